package emit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/handlers"
)

// TestScenariosBuildAndRun puts every scenario that emits code into one module
// and builds, vets and tests that with the real tools. Files under test/ of a
// scenario are tests beside its handlers.
func TestScenariosBuildAndRun(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	put := func(name string, data []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
	put("go.mod", []byte("module example.com/s\n\ngo 1.26\n\nrequire "+home+" v0.0.0\n\nreplace "+home+" => "+root+"\n"))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	put("go.sum", sums)

	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		p, found := check.File("protocol.yaml", get(archive, "protocol.yaml").Data, check.Options{})
		if diag.HasErrors(found) {
			continue
		}
		id, sources := p.ID.Value, map[string][]byte{}
		for _, f := range archive.Files {
			if name, ok := strings.CutPrefix(f.Name, "handlers/"); ok {
				sources[name] = f.Data
				put("protocols/"+id+"/"+name, f.Data)
			}
			if name, ok := strings.CutPrefix(f.Name, "test/"); ok {
				put("protocols/"+id+"/"+name, f.Data)
			}
		}
		for name, data := range emitted(t, p) {
			put("generated/"+id+"/"+name, data)
		}
		plan, _, err := handlers.Find(p, options(p).ImportPath, handlers.Folder{Path: "protocols/" + id, Sources: sources})
		require.NoError(t, err)
		for name, data := range plan.Stubs {
			put("protocols/"+id+"/"+name, data)
		}
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./protocols/..."}} {
		command := exec.Command("go", args...)
		command.Dir, command.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		output, err := command.CombinedOutput()
		require.NoError(t, err, "go %v\n%s", args, output)
	}
}
