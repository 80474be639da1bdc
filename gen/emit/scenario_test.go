package emit_test

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/emit"
	"github.com/gatewright/gatewright/gen/handlers"
	"github.com/gatewright/gatewright/gen/protocol"
)

// update rewrites what the scenarios expect.
func update() bool { return os.Getenv("UPDATE") != "" }

// home is this repository's module.
const home = "github.com/gatewright/gatewright"

// TestScenarios runs each file of testdata: a protocol.yaml, and either the
// diagnostics expected or some of the files expected, under want/. Handlers
// may stand under handlers/; those that are missing are stubs. Whatever is
// emitted is type-checked, all of it.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	checker := newTypeChecker(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			scenario(t, checker, archive)
			if update() {
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
			}
		})
	}
}

func scenario(t *testing.T, checker *typeChecker, archive *txtar.Archive) {
	t.Helper()
	text := get(archive, "protocol.yaml")
	require.NotNil(t, text)
	p, found := check.File("protocol.yaml", text.Data, check.Options{})
	if want := get(archive, "diagnostics"); want != nil {
		var got bytes.Buffer
		require.NoError(t, diag.Text(&got, found, diag.Files{"protocol.yaml": diag.NewSource("protocol.yaml", text.Data)}, false))
		expect(t, want, got.Bytes())
		return
	}
	require.False(t, diag.HasErrors(found), "%v", found)
	sources := map[string][]byte{}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "handlers/"); ok {
			sources[name] = f.Data
		}
	}
	files := compile(t, checker, p, sources)
	for i := range archive.Files {
		if name, ok := strings.CutPrefix(archive.Files[i].Name, "want/"); ok {
			require.Contains(t, files, name)
			expect(t, &archive.Files[i], files[name])
		}
	}
	again := emitted(t, p)
	require.Equal(t, files, again, "the same protocol gives the same bytes")
}

func get(archive *txtar.Archive, name string) *txtar.File {
	for i := range archive.Files {
		if archive.Files[i].Name == name {
			return &archive.Files[i]
		}
	}
	return nil
}

func expect(t *testing.T, want *txtar.File, got []byte) {
	t.Helper()
	if update() {
		want.Data = got
		return
	}
	require.Equal(t, string(want.Data), string(got), want.Name)
}

// options put a protocol into a module of its own.
func options(p *protocol.Protocol) emit.Options {
	return emit.Options{
		ImportPath: "example.com/s/generated/" + p.ID.Value, Handlers: "example.com/s/protocols/" + p.ID.Value,
		Source: "protocols/" + p.ID.Value + "/protocol.yaml",
	}
}

func emitted(t testing.TB, p *protocol.Protocol) map[string][]byte {
	t.Helper()
	files, err := emit.Emit(p, options(p))
	require.NoError(t, err)
	return files
}

// compile emits a protocol, fills in stubs and type-checks everything.
func compile(t testing.TB, checker *typeChecker, p *protocol.Protocol, sources map[string][]byte) map[string][]byte {
	t.Helper()
	files, at := emitted(t, p), options(p)
	plan, found, err := handlers.Find(p, at.ImportPath, handlers.Folder{Path: "protocols/" + p.ID.Value, Sources: sources})
	require.NoError(t, err)
	require.Empty(t, found)
	require.Empty(t, plan.Paste)
	all := map[string][]byte{}
	for name, data := range files {
		if strings.HasSuffix(name, ".go") {
			require.True(t, bytes.HasPrefix(data, []byte(emit.Marker+"\n")), name)
			all[path.Join(at.ImportPath, name)] = data
		}
	}
	for _, set := range []map[string][]byte{sources, plan.Stubs} {
		for name, data := range set {
			all[path.Join(at.Handlers, name)] = data
		}
	}
	checker.check(t, all)
	return files
}
