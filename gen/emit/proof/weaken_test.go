package proof_test

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A weakening is a change of what is emitted, or of the runtime, after which
// everything still compiles, and with it the named attacks.
type weakening struct {
	name   string
	change func(t *testing.T, s sources)
	caught []string
}

const (
	permits = root + "/internal/permit"
	gates   = home + "/runtime/gate"
	seals   = home + "/runtime/internal/seal"
)

// swap replaces text in one file, or in every file of a package, where it has
// to be.
func swap(file, old, text string) func(*testing.T, sources) {
	return func(t *testing.T, s sources) {
		t.Helper()
		folder, name := path.Split(file)
		folder = strings.TrimSuffix(folder, "/")
		found := false
		for each, data := range s[folder] {
			if name == "*" || name == each {
				found = found || strings.Contains(string(data), old)
				s[folder][each] = []byte(strings.ReplaceAll(string(data), old, text))
			}
		}
		require.True(t, found, "%s has no %q: the weakening is no longer one", file, old)
	}
}

func all(changes ...func(*testing.T, sources)) func(*testing.T, sources) {
	return func(t *testing.T, s sources) {
		t.Helper()
		for _, change := range changes {
			change(t, s)
		}
	}
}

// exports adds a declaration to the contracts.
func exports(imports, declaration string) func(*testing.T, sources) {
	return func(_ *testing.T, s sources) {
		s.put(path.Join(root, "exports.go"), []byte("package sample\n\nimport (\n"+imports+"\n)\n\n"+declaration+"\n"))
	}
}

// moved puts the package of the permits outside internal.
func moved(_ *testing.T, s sources) {
	s[root+"/permit"] = s[permits]
	delete(s, permits)
	for _, files := range s {
		for name, data := range files {
			files[name] = []byte(strings.ReplaceAll(string(data), `"`+permits+`"`, `"`+root+`/permit"`))
		}
	}
}

// held gives every permit a method that returns its grant, and opens it in
// another way than by the conversion.
func held(open string) func(*testing.T, sources) {
	changes := []func(*testing.T, sources){
		swap(permits+"/permit.go", "(struct {\n\t\tgrant *gate.Grant\n\t})(permit).grant", open),
	}
	for name, permit := range map[string]string{"list": "List", "edit": "Edit", "approve": "Approve", "merge": "Merge"} {
		changes = append(changes, swap(permits+"/"+name+".go", "func ("+permit+") reads() ",
			"func (p "+permit+") held() *gate.Grant { return p.grant }\n\nfunc ("+permit+") reads() "))
	}
	return all(changes...)
}

const shape = "\t~struct {\n\t\tgrant *gate.Grant\n\t}\n"

func weakenings() []weakening {
	imports := "\t\"context\"\n\n\t\"" + permits + "\""
	return []weakening{
		{"a plain term in place of the ~", swap(permits+"/edit.go", "interface {\n\tWrites\n", "interface {\n\tEdit\n\tWrites\n"),
			[]string{"inferred_from_its_shape", "channel", "slice", "variadic"}},
		{"the mark of every permit exported", swap(permits+"/*", "reads()", "Reads()"), []string{"mark_reads"}},
		{"the mark of writes exported", swap(permits+"/*", "writes()", "Writes()"), []string{"mark_writes"}},
		{"the mark of a tool exported", swap(permits+"/edit.go", "isEdit()", "IsEdit()"), []string{"mark_of_a_tool"}},
		{"a permit in the signature of a contract", exports("\t\""+permits+"\"", "func OnEdit(do func(permit.Edit)) {}"),
			[]string{"contract_mentions_a_permit"}},
		{"a variable that makes permits", exports("\t\""+permits+"\"", "var MakeEdit = permit.NewEdit"), []string{"contract_makes_a_permit"}},
		{"a permit in an exported field", exports("\t\""+permits+"\"", "type Admission struct{ Edit permit.Edit }"),
			[]string{"contract_has_a_permit_in_a_field"}},
		{"a registry that takes a handler", exports(imports, "func RegisterEdit(func(context.Context, permit.Edit, EditInput) (EditOutput, error)) {}"),
			[]string{"contract_takes_a_handler"}},
		{"the key in the contracts", exports("\t\""+permits+"\"", "var Key = permit.Key"), []string{"contract_gives_the_key"}},
		{"permits outside internal", moved, []string{"permits_outside_internal"}},
		{"an exported field in the shape", all(
			swap(permits+"/*", "grant *gate.Grant\n", "Grant *gate.Grant\n"), swap(permits+"/permit.go", ").grant", ").Grant"),
			swap(permits+"/*", "{grant: grant}", "{Grant: grant}"),
		), []string{"convert_to_exported_shape"}},
		{"constraints without a shape", all(held("permit.held()"), swap(permits+"/permit.go", shape, "\theld() *gate.Grant\n")),
			[]string{
				"variable_of_the_constraint", "alias_of_the_constraint", "defined_type_of_the_constraint", "parameter_of_the_constraint",
				"constraint_as_argument", "conversion_to_the_constraint", "new_of_the_constraint", "embedded_in_a_struct", "assert_to_the_constraint",
				"handler_behind_an_interface", "callback_with_the_constraint", "constraint_by_a_method",
			}},
		{"guarded clients for every permit", swap(root+"/sample.go", "interface {\n\tpermit.Writes\n", "interface {\n\tpermit.Reads\n"),
			[]string{"read_permit_uses_a_client", "any_permit_uses_a_client"}},
		{"a tool without a mark of its own", swap(permits+"/merge.go", "\tWrites\n\tisMerge()\n", "\tWrites\n"),
			[]string{"write_permit_runs_another_write", "helper_runs_a_handler"}},
		{"a write that asks for the permit of a read", swap(permits+"/merge.go", "\tWrites\n\tisMerge()\n", "\tReads\n"), []string{"read_permit_runs_a_write"}},
		{"a handler that takes anything", all(
			swap(root+"/merge.go", "interface {\n\tpermit.ForMerge\n}", "interface{}"), swap(root+"/merge.go", "import \""+permits+"\"", ""),
		), []string{"method_value", "method_expression", "generic_alias", "local_type", "constraint_that_names_itself", "read_permit_runs_a_write"}},
		{"a plain term in the seal", swap(seals+"/seal.go", "interface{ ~struct{ made bool } }", "interface{ Seal }"), []string{"seal_by_function"}},
		{"no seal", swap(seals+"/seal.go", "interface{ ~struct{ made bool } }", "interface{}"), []string{"seal_of_a_fake", "seal_of_a_server"}},
		{"a guard with an exported function", swap(gates+"/grant.go", "\topen func(", "\tOpen func("), []string{"exported_field_of_a_guarded_client"}},
	}
}

// Each weakening of what is emitted lets attacks compile that the corpus then
// reports: a corpus that notices nothing would prove nothing.
func TestINV1_EveryWeakeningIsNoticed(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.check())
	attacks := map[string]proof{}
	for _, p := range proofs(t, "cases") {
		attacks[p.name] = p
	}
	for _, each := range weakenings() {
		t.Run(each.name, func(t *testing.T) {
			weak := w.weakened(func(s sources) { each.change(t, s) })
			require.NoError(t, weak.check(), "the weakened tree does not compile, so it weakens nothing")
			for _, name := range each.caught {
				require.Contains(t, attacks, name)
				require.NotEmpty(t, w.attempt(name, attacks[name].attack))
				require.Empty(t, weak.attempt(name, attacks[name].attack), "%s does not notice", name)
			}
		})
	}
}

// A conversion is all that keeps an empty set of types out, and the compiler's
// back end alone refuses it: with an assertion in its place, those attacks
// build.
func TestINV1_ATreeThatDoesNotConvertIsNoticed(t *testing.T) {
	w := newWorld(t)
	weak := w.weakened(func(s sources) {
		held("grantOf(permit)")(t, s)
		s.put(permits+"/grant.go", []byte(`package permit

import "github.com/gatewright/gatewright/runtime/gate"

func grantOf(permit any) *gate.Grant {
	if held, ok := permit.(interface{ held() *gate.Grant }); ok {
		return held.held()
	}
	return nil
}
`))
	})
	require.NoError(t, weak.check())
	m := newModule(t, weak)
	var caught []string
	for _, p := range proofs(t, "cases") {
		if p.behind != "" && !strings.Contains(string(p.attack["attack/attack.go"]), gates) && !strings.Contains(string(p.attack["attack/attack.go"]), home+"/runtime/server") {
			m.put(p.name, p.attack)
			caught = append(caught, "./cases/"+p.name+"/attack")
		}
	}
	require.Len(t, caught, 5)
	output, err := m.run("", append([]string{"build"}, caught...)...)
	require.NoError(t, err, "%s", output)
}
