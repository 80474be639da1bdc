package emit_test

import (
	"encoding/json"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A typeChecker type-checks packages in memory against the real runtime.
type typeChecker struct {
	set  *token.FileSet
	real types.Importer
}

func newTypeChecker(t testing.TB) *typeChecker {
	t.Helper()
	command := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export",
		home+"/runtime/gate", home+"/runtime/server", home+"/runtime/servertest", home+"/runtime/approval", home+"/runtime/store", "testing", "errors", "encoding/json", "time")
	command.Stderr = os.Stderr
	output, err := command.Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); decoder.More(); {
		var listed struct{ ImportPath, Export string }
		require.NoError(t, decoder.Decode(&listed))
		exports[listed.ImportPath] = listed.Export
	}
	set := token.NewFileSet()
	return &typeChecker{set: set, real: importer.ForCompiler(set, "gc", func(name string) (io.ReadCloser, error) {
		return os.Open(exports[name])
	})}
}

// check type-checks every package of a set of files, by path. Files that Go
// would leave out of a build on this machine are an error: generated code
// means the same everywhere.
func (c *typeChecker) check(t testing.TB, files map[string][]byte) {
	t.Helper()
	work := &session{checker: c, packages: map[string]map[string][]byte{}, done: map[string]*types.Package{}}
	for name, data := range files {
		folder := path.Dir(name)
		if work.packages[folder] == nil {
			work.packages[folder] = map[string][]byte{}
		}
		work.packages[folder][path.Base(name)] = data
		everywhere := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", JoinPath: path.Join, OpenFile: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(string(data))), nil
		}}
		match, err := everywhere.MatchFile("", path.Base(name))
		require.NoError(t, err, name)
		require.True(t, match && !strings.HasSuffix(name, "_test.go"), "%s is not built everywhere", name)
	}
	for _, folder := range slices.Sorted(maps.Keys(work.packages)) {
		_, err := work.Import(folder)
		require.NoError(t, err)
	}
}

type session struct {
	checker  *typeChecker
	packages map[string]map[string][]byte
	done     map[string]*types.Package
}

// Import makes a session the importer of its own packages.
func (s *session) Import(name string) (*types.Package, error) {
	if done := s.done[name]; done != nil {
		return done, nil
	}
	sources, ok := s.packages[name]
	if !ok {
		return s.checker.real.Import(name)
	}
	var files []*ast.File
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		parsed, err := parser.ParseFile(s.checker.set, path.Join(name, file), sources[file], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, parsed)
	}
	config := types.Config{Importer: s}
	checked, err := config.Check(name, s.checker.set, files, nil)
	if err == nil {
		s.done[name] = checked
	}
	return checked, err
}
