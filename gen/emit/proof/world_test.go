package proof_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/emit"
)

const (
	home   = "github.com/gatewright/gatewright" // this repository
	outer  = "example.com/s"                    // the module under attack
	root   = outer + "/generated/sample"
	rooted = outer + "/protocols/sample"
)

// sources are packages: import path to file name to text.
type sources map[string]map[string][]byte

func (s sources) put(file string, data []byte) {
	folder := path.Dir(file)
	if s[folder] == nil {
		s[folder] = map[string][]byte{}
	}
	s[folder][path.Base(file)] = data
}

func (s sources) clone() sources {
	other := sources{}
	for folder, files := range s {
		other[folder] = maps.Clone(files)
	}
	return other
}

// A world is everything an attack can import. The packages of runtime, what is
// emitted and the handlers are checked from source, so that a test can weaken
// them; the rest comes from export data.
type world struct {
	set     *token.FileSet
	outside types.Importer
	sources sources
	done    map[string]*types.Package
	looks   func(inspected) // at each package that compiles; nil for nobody
}

// An inspected package is what an analyzer works on.
type inspected struct {
	files   []*ast.File
	pkg     *types.Package
	info    *types.Info
	sources map[string][]byte
}

// emitted is the tree under attack: what the emitter makes of
// testdata/protocol.yaml, under an id.
func emitted(t testing.TB, id string) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/protocol.yaml")
	require.NoError(t, err)
	text = bytes.Replace(text, []byte("protocol_id: sample"), []byte("protocol_id: "+id), 1)
	p, found := check.File("protocol.yaml", text, check.Options{Strict: true})
	require.False(t, diag.HasErrors(found), "%v", found)
	files, err := emit.Emit(p, emit.Options{
		ImportPath: outer + "/generated/" + id, Handlers: outer + "/protocols/" + id, Source: "protocols/" + id + "/protocol.yaml",
	})
	require.NoError(t, err)
	return files
}

// newWorld reads runtime, emits the protocol and finds the export data of all
// that these import.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{set: token.NewFileSet(), sources: sources{}, done: map[string]*types.Package{}}
	command := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles",
		home+"/runtime/gate", home+"/runtime/server", home+"/runtime/servertest", "testing", "errors", "fmt", "iter", "maps", "plugin", "reflect", "slices", "sync", "sync/atomic", "unsafe")
	command.Stderr = os.Stderr
	output, err := command.Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var listed struct {
			ImportPath, Export, Dir string
			GoFiles                 []string
		}
		err := decoder.Decode(&listed)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		exports[listed.ImportPath] = listed.Export
		if !strings.HasPrefix(listed.ImportPath, home+"/") {
			continue
		}
		for _, name := range listed.GoFiles {
			data, err := os.ReadFile(filepath.Join(listed.Dir, name))
			require.NoError(t, err)
			w.sources.put(path.Join(listed.ImportPath, name), data)
		}
	}
	w.outside = importer.ForCompiler(w.set, "gc", func(name string) (io.ReadCloser, error) {
		if exports[name] == "" {
			return nil, errors.New("no package " + name)
		}
		return os.Open(exports[name])
	})
	for name, data := range emitted(t, "sample") {
		if strings.HasSuffix(name, ".go") {
			w.sources.put(path.Join(root, name), data)
		}
	}
	// Of another protocol with the same tools, what handlers could import.
	for name, data := range emitted(t, "other") {
		if folder := path.Dir(name); strings.HasSuffix(name, ".go") && (folder == "." || folder == "internal/permit") {
			w.sources.put(path.Join(outer, "generated/other", name), data)
		}
	}
	data, err := os.ReadFile("testdata/handlers/handlers.go")
	require.NoError(t, err)
	w.sources.put(path.Join(rooted, "handlers.go"), data)
	return w
}

// check type-checks everything there is in the world. It returns the errors,
// in the order of the packages.
func (w *world) check() error {
	for _, name := range slices.Sorted(maps.Keys(w.sources)) {
		if _, err := w.Import(name); err != nil {
			return err
		}
	}
	return nil
}

// weakened is a world whose sources were changed. What the change cannot reach
// is not checked anew.
func (w *world) weakened(change func(sources)) *world {
	other := &world{set: w.set, outside: w.outside, sources: w.sources.clone(), done: map[string]*types.Package{}}
	change(other.sources)
	same := func(name string) bool {
		return maps.EqualFunc(w.sources[name], other.sources[name], func(a, b []byte) bool { return string(a) == string(b) })
	}
	below := slices.Collect(maps.Keys(w.sources))
	if !slices.ContainsFunc(below, func(name string) bool { return strings.HasPrefix(name, home) && !same(name) }) {
		for name, done := range w.done {
			if strings.HasPrefix(name, home) {
				other.done[name] = done
			}
		}
	}
	return other
}

// Import makes a world the importer of its own packages.
func (w *world) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	if done := w.done[name]; done != nil {
		return done, nil
	}
	files, ok := w.sources[name]
	if !ok {
		return w.outside.Import(name)
	}
	checked, refused := w.compile(name, files, w)
	if len(refused) > 0 {
		return nil, errors.New(refused[0].String())
	}
	w.done[name] = checked
	return checked, nil
}

// compile parses and type-checks one package, and holds its imports against
// the internal rule, which is the go command's and not the type checker's.
func (w *world) compile(name string, sources map[string][]byte, imports types.Importer) (*types.Package, []refusal) {
	var refused []refusal
	place := func(pos token.Pos, text string) {
		at := w.set.Position(pos)
		refused = append(refused, refusal{file: strings.TrimPrefix(at.Filename, outer+"/"), line: at.Line, text: text})
	}
	var files []*ast.File
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		parsed, err := parser.ParseFile(w.set, path.Join(name, file), sources[file], parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			at, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), path.Join(name, file)+":"), ":")
			line, _ := strconv.Atoi(at)
			return nil, []refusal{{file: strings.TrimPrefix(path.Join(name, file), outer+"/"), line: line, text: err.Error()}}
		}
		for _, spec := range parsed.Imports {
			if imported, _ := strconv.Unquote(spec.Path.Value); !mayImport(name, imported) {
				place(spec.Pos(), "use of internal package "+imported+" not allowed")
			}
		}
		files = append(files, parsed)
	}
	if len(refused) > 0 {
		return nil, refused
	}
	config := types.Config{
		GoVersion: "go1.26", Importer: imports, IgnoreFuncBodies: strings.HasPrefix(name, home),
		Error: func(err error) {
			var failed types.Error
			if errors.As(err, &failed) && !strings.HasPrefix(failed.Msg, "\t") {
				place(failed.Pos, failed.Msg)
			}
		},
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
	}
	checked, _ := config.Check(name, w.set, files, info)
	if w.looks != nil && len(refused) == 0 {
		w.looks(inspected{files: files, pkg: checked, info: info, sources: sources})
	}
	return checked, refused
}

// mayImport is the go command's rule: a path with the element internal can be
// imported from below the parent of that element alone.
func mayImport(from, imported string) bool {
	at := strings.LastIndex("/"+imported+"/", "/internal/")
	if at < 0 {
		return true
	}
	parent := strings.TrimSuffix(("/" + imported)[:at], "/")
	parent = strings.TrimPrefix(parent, "/")
	return from == parent || strings.HasPrefix(from, parent+"/")
}

// attempt type-checks a program of a case in the world, and leaves no trace.
func (w *world) attempt(name string, p program) []refusal {
	trial := &world{set: w.set, outside: w.outside, sources: sources{}, done: map[string]*types.Package{}}
	for file, data := range p {
		trial.sources.put(path.Join(outer, "cases", name, file), data)
	}
	var refused []refusal
	imports := importFunc(func(imported string) (*types.Package, error) {
		if trial.sources[imported] != nil {
			return trial.done[imported], nil
		}
		return w.Import(imported)
	})
	// The deepest first: a program imports what is below it.
	folders := slices.SortedFunc(maps.Keys(trial.sources), func(a, b string) int { return len(b) - len(a) })
	for _, folder := range folders {
		checked, errs := w.compile(folder, trial.sources[folder], imports)
		refused = append(refused, errs...)
		trial.done[folder] = checked
	}
	return refused
}

type importFunc func(string) (*types.Package, error)

func (f importFunc) Import(name string) (*types.Package, error) { return f(name) }
