package vet

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"

	"github.com/gatewright/gatewright/gen/emit/refused"
)

const (
	contract = refused.Module + "/generated/sample"
	outside  = refused.Module + "/outside/attack"
)

func TestTheAnalyzerIsValid(t *testing.T) {
	require.NoError(t, analysis.Validate([]*analysis.Analyzer{Analyzer()}))
}

// sessionOf checks a tree; a change is made to it first.
func sessionOf(t *testing.T, change func(refused.Tree) refused.Tree) (*refused.Session, refused.Tree) {
	t.Helper()
	checker, err := refused.NewChecker(t.Context())
	require.NoError(t, err)
	tree, err := refused.Sample()
	require.NoError(t, err)
	if change != nil {
		tree = change(tree)
	}
	session := checker.Session(tree)
	require.NoError(t, session.All())
	return session, tree
}

// analyze runs the analyzer over one package that compiles.
func analyze(t *testing.T, session *refused.Session, importPath string, files map[string]string, others ...string) (found []analysis.Diagnostic) {
	t.Helper()
	checked, err := session.Program(importPath, files)
	require.NoError(t, err)
	require.Empty(t, checked.Errors, "the compiler's type checker lets it pass")
	_, err = Analyzer().Run(&analysis.Pass{
		Analyzer: Analyzer(), Files: checked.Files, OtherFiles: others, Pkg: checked.Types, TypesInfo: checked.Info,
		Report: func(d analysis.Diagnostic) { found = append(found, d) },
	})
	require.NoError(t, err)
	return found
}

func categories(found []analysis.Diagnostic) []string {
	var all []string
	for _, each := range found {
		all = append(all, each.Category)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// messages are the first words of what was found, in order.
func messages(found []analysis.Diagnostic) []string {
	var all []string
	for _, each := range found {
		first, _, _ := strings.Cut(each.Message, " ")
		all = append(all, each.Category+": "+first)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// careless is what the handlers of the corpus, which are there to be attacked,
// leave to be wished.
var careless = map[string][]string{
	refused.Module + "/protocols/sample":   {"opener: openRepository", "untouched: Note"},
	refused.Module + "/protocols/careless": {"untouched: Late", "untouched: Zero"},
}

// Nothing is reported for what the emitter makes, for careful handlers, or for
// the controls of the corpus.
func TestNothingIsReportedForWhatIsFine(t *testing.T) {
	session, tree := sessionOf(t, nil)
	for _, importPath := range slices.Sorted(maps.Keys(tree)) {
		if !strings.HasPrefix(importPath, refused.Module+"/outside") {
			require.Equal(t, careless[importPath], messages(analyze(t, session, importPath, tree[importPath])), importPath)
		}
	}
	cases, err := refused.Cases()
	require.NoError(t, err)
	for _, c := range cases {
		if c.Name == "narrowed_inner" { // its control has a method expression that is of no use
			continue
		}
		require.Empty(t, analyze(t, session, c.At, map[string]string{"good.go": c.Good}), c.Name)
	}
}

func imports(names ...string) string {
	all := map[string]string{
		"context": `"context"`, "reflect": `"reflect"`, "unsafe": `"unsafe"`, "_unsafe": `_ "unsafe"`,
		"sample": `"` + contract + `"`, "handlers": `handlers "` + refused.Module + `/protocols/sample"`,
	}
	text := "package outside\n\nimport (\n"
	for _, name := range names {
		text += "\t" + all[name] + "\n"
	}
	return text + ")\n\n"
}

const nothing = "type nothing interface {\n\tint\n\tstring\n\tM()\n}\n\n"

func TestINV1_HolesThatTheCompilerLeavesAreReported(t *testing.T) {
	session, _ := sessionOf(t, nil)
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{
			"a handler that does not touch its permit, by an empty type set",
			imports("context", "sample", "handlers") + nothing +
				"func use[P interface{ int; string }](ctx context.Context, _ func(P)) {\n\tvar p P\n\t_ = handlers.Note[P](ctx, p, sample.NoteInput{})\n}\n\nfunc Run(ctx context.Context) { use(ctx, nothing.M) }\n",
			[]string{CategoryExpression, CategoryInstance},
		},
		{
			"the same without the name of the contract",
			imports("context", "handlers") + nothing +
				"func use[P interface{ int; string }](ctx context.Context, _ func(P)) {\n\tvar p P\n\t_ = handlers.Note[P](ctx, p, struct{ Text string `json:\"text\"` }{})\n}\n\nfunc Run(ctx context.Context) { use(ctx, nothing.M) }\n",
			[]string{CategoryExpression, CategoryInstance},
		},
		{
			"a handler as a value, instantiated with what nothing satisfies",
			imports("handlers") + "func Run[P interface{ int; string }]() any { return handlers.Note[P] }\n",
			[]string{CategoryInstance},
		},
		{
			"a method expression of an alias of a constraint",
			imports("sample") + "type mine interface {\n\tsample.EditPermit\n\tM()\n}\n\ntype alias = mine\n\nvar Run = alias.M\n",
			[]string{CategoryExpression},
		},
		{
			"a constraint that embeds a tool's, inferred by a function that asks for nothing",
			imports("sample") + "type mine interface {\n\tsample.EditPermit\n\tM()\n}\n\nfunc use[P any](_ func(P)) (zero P) { return zero }\n\nvar Run = use(mine.M)\n",
			[]string{CategoryExpression, CategoryInstance},
		},
		{"reflect", imports("reflect", "handlers") + "func Run() { _ = reflect.TypeOf(handlers.Shown) }\n", []string{CategoryBypass}},
		{"unsafe", imports("unsafe", "sample") + "func Run[P sample.EditPermit](p P) { _ = unsafe.Pointer(&p) }\n", []string{CategoryBypass}},
		{
			"linkname",
			imports("_unsafe", "handlers") + "//go:linkname open example.com/app/protocols/sample.openRepository\nfunc open()\n\nvar _ = handlers.Shown\n",
			[]string{CategoryBypass},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, categories(analyze(t, session, outside, map[string]string{"attack.go": row.text})))
		})
	}
	t.Run("linkname by itself", func(t *testing.T) {
		text := imports("_unsafe", "handlers") + "//go:linkname open example.com/app/protocols/sample.openRepository\nfunc open()\n\nvar _ = handlers.Shown\n"
		require.Len(t, analyze(t, session, outside, map[string]string{"attack.go": text}), 2, "beside the import of unsafe")
	})
	t.Run("assembly", func(t *testing.T) {
		found := analyze(t, session, outside, map[string]string{"attack.go": imports("handlers") + "var _ = handlers.Shown\n"}, "/x/attack_amd64.s")
		require.Equal(t, []string{CategoryBypass}, categories(found))
	})
}

// A handler that makes nothing of its permit is what the one gap of the type
// checker runs, and an opener with a name is a client without a permit.
func TestINV1_CarelessHandlersAreReported(t *testing.T) {
	const at = refused.Module + "/protocols/other"
	session, _ := sessionOf(t, nil)
	const head = "package other\n\nimport (\n\t\"context\"\n\n\t\"" + contract + "\"\n\t\"github.com/gatewright/gatewright/runtime/gate\"\n)\n\nvar _ = context.Background\n\nvar _ gate.Code\n\n"
	handler := func(body string) string {
		return head + "func Note[P sample.NotePermit](_ context.Context, permit P, _ sample.NoteInput) error {\n" + body + "\n}\n"
	}
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"a permit that is not used", handler("\t_ = 1\n\treturn nil"), []string{"untouched: Note"}},
		{"a permit that is given away to nothing", handler("\t_ = permit\n\treturn nil"), []string{"untouched: Note"}},
		{"a permit without a name", head + "func Note[P sample.NotePermit](context.Context, P, sample.NoteInput) error { return nil }\n", []string{"untouched: Note"}},
		{"a function that is no handler", head + "func Note[P sample.NotePermit](P) {}\n", nil},
		{"a permit that is opened", handler("\t_, err := sample.Open(permit)\n\treturn err"), nil},
		{"a permit that is passed on", head + "func use[P sample.CanRead](P) error { return nil }\n\nfunc Note[P sample.NotePermit](_ context.Context, permit P, _ sample.NoteInput) error { return use(permit) }\n", nil},
		{"an opener with a name", head + "func open(*gate.Call) (int, error) { return 1, nil }\n\nvar _ = sample.Guard(open)\n", []string{"opener: open"}},
		{"an opener with a type argument", head + "func open(*gate.Call) (int, error) { return 1, nil }\n\nvar _ = sample.Guard[int]((open))\n", []string{"opener: (open)"}},
		{"an opener in a variable", head + "var open = func(*gate.Call) (int, error) { return 1, nil }\n\nvar _ = sample.Guard(open)\n", []string{"opener: open"}},
		{"an opener that nothing names", head + "var _ = sample.Guard(func(*gate.Call) (int, error) { return 1, nil })\n", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, messages(analyze(t, session, at, map[string]string{"handlers.go": row.text})))
		})
	}
}

// What the compiler's back end refuses is reported as well.
func TestINV1_EmptyTypeSetsOfTheCorpusAreReported(t *testing.T) {
	session, _ := sessionOf(t, nil)
	cases, err := refused.Cases()
	require.NoError(t, err)
	tried := 0
	for _, c := range cases {
		// A program that imports the runtime alone knows no protocol.
		if c.Build != "compiler" || !strings.Contains(c.Bad, "/generated/") {
			continue
		}
		tried++
		found := analyze(t, session, c.At, map[string]string{"bad.go": c.Bad})
		require.Equal(t, []string{CategoryExpression, CategoryInstance}, categories(found), c.Name)
	}
	require.GreaterOrEqual(t, tried, 5)
}

// A package that knows no protocol may do as it likes.
func TestOtherPackagesAreLeftAlone(t *testing.T) {
	session, _ := sessionOf(t, nil)
	text := "package outside\n\nimport (\n\t\"reflect\"\n\t_ \"unsafe\"\n)\n\n" + nothing + "var _ = reflect.TypeOf(nothing.M)\n"
	require.Empty(t, analyze(t, session, outside, map[string]string{"fine.go": text}))
}

func TestINV1_LeaksOfTheGeneratedTreeAreReported(t *testing.T) {
	const (
		permit = `"` + contract + `/internal/permit"`
		work   = `"` + contract + `/internal/work"`
		gate   = `"github.com/gatewright/gatewright/runtime/gate"`
		server = `"github.com/gatewright/gatewright/runtime/server"`
	)
	file := func(name, text string, imported ...string) string {
		return "package " + name + "\n\nimport (\n\t" + strings.Join(imported, "\n\t") + "\n)\n\n" + text + "\n"
	}
	for _, row := range []struct{ name, at, text string }{
		{"a constructor", contract, file("sample", "func NewEdit(grant *gate.Grant) permit.Edit { return permit.NewEdit(grant) }", permit, gate)},
		{"a parameter of a parameter", contract, file("sample", "func Register(func(permit.Edit)) {}", permit)},
		{"a variable", contract, file("sample", "var Zero permit.Edit", permit)},
		{"a field", contract, file("sample", "type Holder struct{ Permit []map[string]*permit.Edit }", permit)},
		{"a method", contract, file("sample", "type Holder struct{}\n\nfunc (*Holder) Register(chan permit.Edit) {}", permit)},
		{"a type argument", contract, file("sample", "type Box[P any] struct{ p P }\n\nvar Held Box[permit.Edit]", permit)},
		{"an alias", contract, file("sample", "type Edit = permit.Edit", permit)},
		{"an unexported type in between", contract, file("sample", "type holder struct{ Permit permit.Edit }\n\nfunc Get() (h holder) { return h }", permit)},
		{"the key", contract, file("sample", "func Key() *gate.Key { return permit.Key() }", permit, gate)},
		{"a mode, through which a handler is had", contract + "/open", file("open", "func Mode() server.Mode { return work.Mode() }", server, work)},
		{"a mode in the test kit", contract + "/sampletest", file("sampletest", "func Mode() server.Mode { return work.Mode() }", server, work)},
	} {
		t.Run(row.name, func(t *testing.T) {
			session, tree := sessionOf(t, func(tree refused.Tree) refused.Tree {
				tree.Put(row.at, "leak.go", row.text)
				return tree
			})
			require.Equal(t, []string{CategoryLeak}, categories(analyze(t, session, row.at, tree[row.at])))
		})
	}
	t.Run("an alias of a constraint", func(t *testing.T) {
		session, tree := sessionOf(t, func(tree refused.Tree) refused.Tree {
			tree.Put(contract, "more.go", file("sample", "type ForEdit = permit.ForEdit", permit))
			return tree
		})
		require.Empty(t, analyze(t, session, contract, tree[contract]))
	})
	t.Run("within internal", func(t *testing.T) {
		at := path.Join(contract, "internal/more")
		session, tree := sessionOf(t, func(tree refused.Tree) refused.Tree {
			tree.Put(at, "more.go", file("more", "func Zero() (p permit.Edit) { return p }", permit))
			return tree
		})
		require.Empty(t, analyze(t, session, at, tree[at]))
	})
}
