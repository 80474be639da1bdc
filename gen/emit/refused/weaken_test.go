package refused

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	contract = Module + "/generated/sample"
	permits  = contract + "/internal/permit"
)

// An edit replaces one text in one package of the tree.
type edit struct{ importPath, old, text string }

func (e edit) apply(t *testing.T, tree Tree) Tree {
	t.Helper()
	changed, err := tree.Change(e.importPath, e.old, e.text)
	require.NoError(t, err)
	return changed
}

// exportField and exportMarks are weakenings by themselves and together.
func exportField() []edit {
	return []edit{{permits, "grant *gate.Grant\n", "Grant *gate.Grant\n"}, {permits, "struct{ grant ", "struct{ Grant "}, {permits, ").grant", ").Grant"}, {permits, "{grant: grant}", "{Grant: grant}"}}
}

func exportMarks() []edit {
	return []edit{
		{permits, "reads()", "Reads()"},
		{permits, "writes()", "Writes()"},
		{permits, "isEdit()", "IsEdit()"},
		{permits, "isNote()", "IsNote()"},
	}
}

// previewWrites gives the permit of a preview what only a commit's has.
func previewWrites() []edit {
	return []edit{
		{permits, "type ForImportPreview interface {\n\tReads\n", "type ForImportPreview interface {\n\tWrites\n"},
		{permits, "func (ImportPreview) isImportPreview() {}", "func (ImportPreview) isImportPreview() {}\n\nfunc (ImportPreview) writes() {}"},
	}
}

// Each weakening of the emitted text lets some attack through, and so fails
// the corpus. None of them fails it for another reason: the tree compiles.
func TestINV1_EachWeakeningLetsAnAttackThrough(t *testing.T) {
	checker, tree, cases := setUp(t)
	byName := map[string]Case{}
	for _, c := range cases {
		byName[c.Name] = c
	}
	leak := func(text string) edit {
		return edit{contract, "type CanRead interface", text + "\n\ntype CanRead interface"}
	}
	for _, weakening := range []struct {
		name  string
		edits []edit
		lets  []string
	}{
		{"a plain term", []edit{{permits, "\tisEdit()\n", "\tisEdit()\n\tEdit\n"}}, []string{"forge"}},
		{"exported marks", exportMarks(), []string{"exported_mark"}},
		{"an exported field", exportField(), []string{"convert_to_exported_shape", "convert_from_exported_shape"}},
		{"an exported field and exported marks", append(exportField(), exportMarks()...), []string{"own_exported_marks"}},
		{"a function that makes a permit", []edit{leak("func NewEdit(grant *gate.Grant) permit.Edit { return permit.NewEdit(grant) }")}, []string{"contract_permit"}},
		{
			"a function that takes a handler",
			[]edit{
				leak("func Register(func(context.Context, permit.Edit, EditInput) (EditOutput, error)) {}"),
				{contract, "\"" + permits + "\"\n\t\"", "\"" + permits + "\"\n\t\"context\"\n\t\""},
			},
			[]string{"register"},
		},
		{
			"a sealed tool in the contract",
			[]edit{
				leak("func RunEdit(context.Context, *gate.Grant, any, EditInput) (out EditOutput, err error) { return out, err }"),
				{contract, "\"" + permits + "\"\n\t\"", "\"" + permits + "\"\n\t\"context\"\n\t\""},
			},
			[]string{"sealed_in_contract"},
		},
		{"a key in the contract", []edit{leak("func Key() *gate.Key { return permit.Key() }")}, []string{"key_of_contract"}},
		{"one mark missing", []edit{{permits, "\tisMerge()\n", ""}}, []string{"edit_calls_merge", "approve_calls_merge", "write_calls_merge"}},
		{"no mark for writes", []edit{{permits, "\twrites()\n", ""}}, []string{"read_to_use", "any_read_to_use", "read_to_effect", "read_converted_to_itself"}},
		{"a preview with the mark of writes", previewWrites(), []string{"preview_to_use", "preview_to_effect"}},
		{
			"a preview with the mark of writes, and a commit without a mark of its own",
			append(previewWrites(), edit{permits, "\tisImportCommit()\n", ""}),
			[]string{"preview_calls_commit", "preview_as_commit", "preview_converted_to_itself", "edit_calls_commit", "write_calls_commit"},
		},
		{"no mark between the halves", []edit{{permits, "\tisImportPreview()\n", ""}}, []string{"preview_within_commit", "commit_calls_preview"}},
		{"no marks between read tools", []edit{{permits, "\tisPeek()\n", ""}}, []string{"look_calls_peek"}},
		{
			"a token that a mark mentions",
			[]edit{{permits, "\tisEdit()\n", "\tisEdit()\n\tTool() Token\n"}, {permits, "func (Edit) isEdit() {}", "func (Edit) isEdit() {}\n\nfunc (Edit) Tool() Token { return Token{} }\n\ntype Token struct{}"}},
			[]string{"token_method_expression"},
		},
	} {
		t.Run(weakening.name, func(t *testing.T) {
			weak := tree
			for _, each := range weakening.edits {
				weak = each.apply(t, weak)
			}
			session := checker.Session(weak)
			require.NoError(t, session.All(), "the tree compiles")
			for _, name := range weakening.lets {
				require.Contains(t, byName, name)
				require.Empty(t, findings(t, session, byName[name]), name)
			}
		})
	}
}

// The handlers of a tool in two phases that are written for the other half, or
// for the input where the plan belongs, do not compile into a server.
func TestINV6_HandlersOfTheWrongHalfDoNotCompile(t *testing.T) {
	checker, tree, _ := setUp(t)
	require.NoError(t, checker.Session(tree).All(), "as they are, they compile")
	const handlers, work = Module + "/protocols/sample", contract + "/internal/work"
	const reads = "\ttext, err := Text(permit, \"text\")\n\treturn sample.ImportPlan{"
	for name, row := range map[string]struct {
		edit

		at, cause, names string // where it is refused, for what, and what the message names
	}{
		"a commit that asks for the input": {
			edit{handlers, "permit Permit, plan sample.ImportPlan) (", "permit Permit, plan sample.ImportInput) ("}, work, "mismatched", "ImportInput",
		},
		"a preview with the permit of the commit": {
			edit{handlers, "ImportPreview[Permit sample.ImportPreviewPermit]", "ImportPreview[Permit sample.ImportCommitPermit]"}, work, "does-not-satisfy", "ImportCommitPermit",
		},
		"a preview that writes": {
			edit{handlers, reads, "\ttext, err := \"\", write(permit, \"text\", in.Text)\n\treturn sample.ImportPlan{"}, handlers, "does-not-satisfy", "CanWrite",
		},
		"a preview that calls the commit": {
			edit{handlers, reads, "\ttext := \"\"\n\t_, err := ImportCommit(nil, permit, sample.ImportPlan{})\n\treturn sample.ImportPlan{"}, handlers, "does-not-satisfy", "ImportCommitPermit",
		},
	} {
		t.Run(name, func(t *testing.T) {
			changed := row.apply(t, tree)
			checked, err := checker.Session(changed).Program(row.at, changed[row.at])
			require.NoError(t, err)
			require.Len(t, checked.Errors, 1, "%v", checked.Errors)
			require.Equal(t, row.cause, CauseOf(checked.Errors[0].Msg), checked.Errors[0].Msg)
			require.Contains(t, checked.Errors[0].Msg, row.names)
		})
	}
}

// Where the permits are not internal, everybody has them.
func TestINV1_PermitsThatAreNotInternalAreHad(t *testing.T) {
	checker, tree, cases := setUp(t)
	moved := tree.Rename("sample/internal/permit", "sample/permit")
	session := checker.Session(moved)
	require.NoError(t, session.All())
	had := 0
	for _, c := range cases {
		if c.Causes[0] != "internal-import" {
			continue
		}
		was := findings(t, checker.Session(tree), c)
		require.NotEmpty(t, was, c.Name)
		text := Tree{"": {"bad.go": c.Bad}}.Rename("sample/internal/permit", "sample/permit")[""]["bad.go"]
		if text == c.Bad {
			continue
		}
		c.Bad = text
		had++
		for _, each := range findings(t, session, c) {
			require.Contains(t, each.message, "imported and not used", "%s compiles", c.Name)
		}
	}
	require.GreaterOrEqual(t, had, 8)
}

// The rule on internal packages is that of this package's own checker, so it
// is held against the go command's by TestINV1_TheGoCommandRefuses, and here
// against its definition.
func TestMayImport(t *testing.T) {
	for _, row := range []struct {
		from, to string
		may      bool
	}{
		{"a/b", "a/b/internal/c", true},
		{"a/b/d/e", "a/b/internal/c", true},
		{"a/b/internal/d", "a/b/internal/c", true},
		{"a/bc", "a/b/internal/c", false},
		{"a", "a/b/internal/c", false},
		{"x/a/b", "a/b/internal/c", false},
		{"a/b", "a/b/internal", true},
		{"a", "a/b/internal", false},
		{"a/b", "a/internal/b/internal/c", false},
		{"a/internal/b/d", "a/internal/b/internal/c", true},
		{"a", "a/internals/c", true},
	} {
		require.Equal(t, row.may, MayImport(row.from, row.to), "%s imports %s", row.from, row.to)
	}
}

// Open and Use that do not convert the permit leave the back end nothing to
// refuse.
func TestINV1_WithoutTheConversionAnEmptyTypeSetCompiles(t *testing.T) {
	_, tree, cases := setUp(t)
	conversion := "(struct {\n\t\tgrant *gate.Grant\n\t})(permit).grant"
	weak := edit{permits, conversion, "grantOf(permit)"}.apply(t, tree)
	weak.Put(permits, "weak.go", "package permit\n\nimport \"github.com/gatewright/gatewright/runtime/gate\"\n\nfunc grantOf(p any) *gate.Grant {\n\tif c, ok := p.(interface{ carried() *gate.Grant }); ok {\n\t\treturn c.carried()\n\t}\n\treturn nil\n}\n")
	m := newModule(t, weak)
	args := []string{"build"}
	for _, c := range cases {
		if c.Build == "compiler" && c.Name != "empty_set_gate" && c.Name != "empty_set_server" { // those are runtime's
			args = append(args, m.program(c.At+"/bad", c.Bad))
		}
	}
	require.Greater(t, len(args), 5)
	output, err := m.run(args...)
	require.NoError(t, err, "%s", output)
}
