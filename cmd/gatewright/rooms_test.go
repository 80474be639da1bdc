package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const thisModule = "github.com/gatewright/gatewright/"

type listed struct {
	ImportPath string
	Name       string
	Standard   bool
	Imports    []string
	Deps       []string
	Dir        string
	GoFiles    []string
}

func list(t *testing.T, patterns ...string) []listed {
	t.Helper()
	command := exec.Command("go", append([]string{"list", "-json=ImportPath,Name,Standard,Imports,Deps,Dir,GoFiles"}, patterns...)...)
	command.Dir = "../.."
	output, err := command.Output()
	require.NoError(t, err)
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var next listed
		err := decoder.Decode(&next)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, next)
	}
}

func room(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, thisModule), "/")
	return first
}

func library(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") && !strings.HasPrefix(path, thisModule)
}

// Imports run one way: cmd to gen, generated to runtime, handlers to what was
// generated for them.
func TestRoomsImportOneWay(t *testing.T) {
	may := map[string][]string{
		"cmd":       {"cmd", "gen", "templates", "runtime"},
		"gen":       {"gen"},
		"runtime":   {"runtime"},
		"templates": {},
		"generated": {"generated", "runtime", "protocols"},
		"protocols": {"protocols", "generated", "runtime"},
	}
	for _, p := range list(t, "./...") {
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, thisModule) {
				require.Contains(t, may[room(p.ImportPath)], room(imported), "%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// A contract never imports a handler, or a user's package could not import it.
func TestContractsDoNotImportHandlers(t *testing.T) {
	for _, p := range list(t, "./generated/...") {
		sealed := strings.Contains(p.ImportPath, "/internal/") && !strings.HasSuffix(p.ImportPath, "/internal/permit")
		for _, imported := range p.Imports {
			if !sealed {
				require.NotEqual(t, "protocols", room(imported), "%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// The kernel can be read on its own: it imports the standard library and the
// seal, and no more of the standard library than is listed here.
func TestKernelImportsTheStandardLibraryAlone(t *testing.T) {
	allowed := []string{
		"context", "crypto/rand", "crypto/sha256", "encoding/binary", "encoding/hex", "errors", "fmt", "log/slog",
		"regexp", "runtime/debug", "strings", "sync", "sync/atomic", "time",
		thisModule + "runtime/internal/seal",
	}
	for _, p := range list(t, "./runtime/gate", "./runtime/internal/seal") {
		for _, imported := range p.Imports {
			require.Contains(t, allowed, imported, "%s imports %s", p.ImportPath, imported)
		}
	}
}

// Some libraries have one room, so that they can be replaced there.
func TestLibrariesStayInTheirRooms(t *testing.T) {
	rooms := map[string][]string{
		"gopkg.in/yaml.v3":            {thisModule + "gen/protocol"},
		"github.com/dave/jennifer":    {thisModule + "gen/emit"},
		"github.com/spf13/cobra":      {thisModule + "cmd/gatewright"},
		"github.com/gofrs/flock":      {thisModule + "runtime/audit", thisModule + "runtime/state", thisModule + "runtime/store"},
		"modernc.org/sqlite":          {thisModule + "runtime/store", thisModule + "protocols/tracker/internal/items", thisModule + "protocols/tracker/demo", thisModule + "runtime/bench/stored"},
		"github.com/stretchr/testify": {},
	}
	for _, p := range list(t, "./...") {
		for _, imported := range p.Imports {
			for name, allowed := range rooms {
				if imported == name || strings.HasPrefix(imported, name+"/") {
					require.Contains(t, allowed, p.ImportPath, "%s imports %s", p.ImportPath, imported)
				}
			}
		}
	}
}

// A mode's binary links what serving needs and nothing of the generator, the
// command line library or the test kit. text/template and net/http/pprof would
// also keep the linker from dropping what a mode does not use.
func TestModeBinariesStayLean(t *testing.T) {
	allowed := []string{
		"github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go", "github.com/go-json-experiment/json",
		"github.com/gofrs/flock", "github.com/yosida95/uritemplate", "github.com/segmentio", "golang.org/x/",
	}
	// Only where a tool of the mode asks for approvals or has phases.
	forStore := []string{"modernc.org/", "github.com/ncruces/go-strftime", "github.com/remyoudompheng/bigfft", "github.com/google/uuid", "github.com/dustin/go-humanize", "github.com/mattn/go-isatty"}
	refused := []string{"text/template", "html/template", "testing", "net/http/pprof", "plugin", "expvar"}
	mains := 0
	for _, p := range list(t, "./generated/...") {
		if p.Name != "main" {
			continue
		}
		mains++
		allowed := allowed
		if slices.Contains(p.Deps, thisModule+"runtime/store") {
			allowed = slices.Concat(allowed, forStore)
		}
		for _, dep := range p.Deps {
			require.NotContains(t, refused, dep, "%s links %s", p.ImportPath, dep)
			require.NotEqual(t, "gen", room(dep), "%s links %s", p.ImportPath, dep)
			if library(dep) && !strings.HasPrefix(dep, "vendor/") {
				require.True(t, slices.ContainsFunc(allowed, func(prefix string) bool { return strings.HasPrefix(dep, prefix) }),
					"%s links %s", p.ImportPath, dep)
			}
		}
	}
	require.NotZero(t, mains)
	for _, p := range list(t, "./generated/greenfield/cmd/...") {
		asks := strings.HasSuffix(p.ImportPath, "greenfield-integrate")
		require.Equal(t, asks, slices.Contains(p.Deps, thisModule+"runtime/store"), p.ImportPath)
	}
}

// A variable that a package exports can be set by every other one in the
// process: an error that is nil then lets through what it was to refuse.
func TestINV7_NoExportedVariables(t *testing.T) {
	for _, p := range list(t, "./runtime/...", "./generated/...") {
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, declared := range file.Decls {
				group, ok := declared.(*ast.GenDecl)
				if !ok || group.Tok != token.VAR {
					continue
				}
				for _, spec := range group.Specs {
					for _, variable := range spec.(*ast.ValueSpec).Names {
						require.False(t, variable.IsExported(), "%s exports the variable %s", p.ImportPath, variable.Name)
					}
				}
			}
		}
	}
}
