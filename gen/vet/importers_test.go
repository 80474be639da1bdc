package vet

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const runtime = "github.com/gatewright/gatewright/runtime"

// A place is a module on disk with a small generated tree, and other modules.
type place struct {
	t   *testing.T
	dir string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir()}
	p.put("go.mod", "module example.com/app\n\ngo 1.26\n")
	p.put("generated/x/x.go", "package x\n\nimport _ \"example.com/app/generated/x/internal/permit\"\n")
	p.put("generated/x/internal/permit/permit.go", "package permit\n")
	p.put("app.go", "package app\n\nimport _ \"example.com/app/generated/x\"\n")
	return p
}

func (p *place) put(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.dir, filepath.FromSlash(name))
	require.NoError(p.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(p.t, os.WriteFile(file, []byte(text), 0o600))
}

func (p *place) importers(flags ...string) []Importer {
	p.t.Helper()
	command := exec.Command("go", append(append([]string{"list", "-deps", "-test", "-json"}, flags...), "./...")...)
	command.Dir, command.Env = p.dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
	output, err := command.Output()
	require.NoError(p.t, err)
	rows, err := Rows(strings.NewReader(string(output)))
	require.NoError(p.t, err)
	return Importers(rows, []Tree{{
		ImportPath: "example.com/app/generated/x", Dir: filepath.Join(p.dir, "generated", "x"),
		Files: []string{"x.go", "internal/permit/permit.go"},
	}}, runtime)
}

const evil = "package evil\n\nimport _ \"example.com/app/generated/x/internal/permit\"\n"

func TestImportersFindsNothingInWhatWasGenerated(t *testing.T) {
	p := newPlace(t)
	require.Empty(t, p.importers())
}

// Each of these is built by the go command without a word.
func TestINV1_ImportersFindsModulesThatPlaceThemselvesInTheTree(t *testing.T) {
	const inApp = "package app\n\nimport _ \"example.com/app/generated/x/evil\"\n"
	other := func(p *place, folder string) {
		p.put(folder+"/go.mod", "module example.com/app/generated/x/evil\n\ngo 1.26\n")
		p.put(folder+"/evil.go", evil)
	}
	for _, row := range []struct {
		name, reason string
		make         func(*place) []string
	}{
		{"a replaced module", "another module", func(p *place) []string {
			other(p, "elsewhere")
			p.put("more.go", inApp)
			p.put("go.mod", "module example.com/app\n\ngo 1.26\n\nrequire example.com/app/generated/x/evil v0.0.0\n\nreplace example.com/app/generated/x/evil => ./elsewhere\n")
			return nil
		}},
		{"a module of the work space", "another module", func(p *place) []string {
			other(p, "elsewhere")
			p.put("more.go", inApp)
			p.put("go.work", "go 1.26\n\nuse (\n\t.\n\t./elsewhere\n)\n")
			return nil
		}},
		{"a vendored module", "another module", func(p *place) []string {
			p.put("more.go", inApp)
			p.put("go.mod", "module example.com/app\n\ngo 1.26\n\nrequire example.com/app/generated/x/evil v1.0.0\n")
			p.put("vendor/modules.txt", "# example.com/app/generated/x/evil v1.0.0\n## explicit; go 1.26\nexample.com/app/generated/x/evil\n")
			p.put("vendor/example.com/app/generated/x/evil/evil.go", evil)
			return []string{"-mod=vendor"}
		}},
		{"a folder in the tree", "did not write its file evil.go", func(p *place) []string {
			p.put("generated/x/evil/evil.go", evil)
			return nil
		}},
		{"a file of a test in the tree", "did not write its file x_test.go", func(p *place) []string {
			p.put("generated/x/x_test.go", "package x\n\nimport _ \"example.com/app/generated/x/internal/permit\"\n")
			return nil
		}},
		{"an external test in the tree", "outside the generated tree", func(p *place) []string {
			p.put("generated/x/x_test.go", "package x_test\n\nimport _ \"example.com/app/generated/x/internal/permit\"\n")
			return nil
		}},
		{"an overlay", "did not write its file more.go", func(p *place) []string {
			p.put("elsewhere/more.go.txt", "package x\n")
			text, err := json.Marshal(map[string]any{"Replace": map[string]string{
				filepath.Join(p.dir, "generated", "x", "more.go"): filepath.Join(p.dir, "elsewhere", "more.go.txt"),
			}})
			require.NoError(p.t, err)
			p.put("overlay.json", string(text))
			return []string{"-overlay=overlay.json"}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newPlace(t)
			flags := row.make(p)
			found := p.importers(flags...)
			require.NotEmpty(t, found)
			require.Contains(t, found[len(found)-1].String(), row.reason, "%v", found)
			command := exec.Command("go", append(append([]string{"vet"}, flags...), "./...")...)
			command.Dir, command.Env = p.dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
			output, err := command.CombinedOutput()
			require.NoError(t, err, "%s", output)
		})
	}
}

// A module may be named like a folder of the runtime as well.
func TestINV1_ImportersFindsModulesThatPlaceThemselvesInTheRuntime(t *testing.T) {
	rows, err := Rows(strings.NewReader(`
{"ImportPath": "` + runtime + `/internal/seal", "Module": {"Path": "github.com/gatewright/gatewright"}}
{"ImportPath": "` + runtime + `/gate", "Module": {"Path": "github.com/gatewright/gatewright"}, "Imports": ["` + runtime + `/internal/seal"]}
{"ImportPath": "` + runtime + `/evil", "Module": {"Path": "` + runtime + `/evil"}, "Imports": ["` + runtime + `/internal/seal"]}
{"ImportPath": "` + runtime + `/evil [x.test]", "Module": {"Path": "` + runtime + `/evil"}, "Imports": ["` + runtime + `/internal/seal [x.test]"]}
`))
	require.NoError(t, err)
	found := Importers(rows, nil, runtime)
	require.Len(t, found, 1)
	require.Equal(t, runtime+"/evil", found[0].ImportPath)
}

// A copy of the module elsewhere is not the tree that was looked at.
func TestINV1_ImportersFindsACopyOfTheTree(t *testing.T) {
	module := &RowModule{Path: "a"}
	rows := []Row{
		{ImportPath: "a/generated/x/internal/permit", Dir: "/copy/generated/x/internal/permit", Module: module},
		{ImportPath: "a/generated/x", Dir: "/copy/generated/x", Module: module, GoFiles: []string{"x.go"}, Imports: []string{"a/generated/x/internal/permit"}},
	}
	tree := Tree{ImportPath: "a/generated/x", Dir: "/real/generated/x", Files: []string{"x.go"}}
	found := Importers(rows, []Tree{tree}, runtime)
	require.Len(t, found, 1)
	require.Contains(t, found[0].Reason, "not in the folder")
	tree.Dir = "/copy/generated/x"
	require.Empty(t, Importers(rows, []Tree{tree}, runtime))
}

func TestRowsRefusesWhatIsNoList(t *testing.T) {
	_, err := Rows(strings.NewReader(`{"ImportPath": 1}`))
	require.ErrorContains(t, err, "read the list of packages")
}
