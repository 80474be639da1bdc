package e2e

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// The flags of a mode's binary are few, and each is known.
func TestINV7_FlagsOfAModeBinary(t *testing.T) {
	output, err := exec.Command(binary("implement"), "-h").CombinedOutput()
	require.NoError(t, err)
	golden(t, "flags.txt", string(output))
	for _, command := range []string{"serve", "call", "tools", "version"} {
		same, err := exec.Command(binary("implement"), command, "-h").CombinedOutput()
		require.NoError(t, err)
		require.Equal(t, string(output), string(same), "%s has flags of its own", command)
	}
}

// What a mode's binary, its libraries included, reads of the environment. The
// standard library's own (GODEBUG, TZ and such) is not listed.
func TestINV7_EnvironmentOfAModeBinary(t *testing.T) {
	readers := map[string][]string{
		"os":      {"Getenv", "LookupEnv", "Environ", "ExpandEnv", "UserHomeDir", "UserConfigDir", "UserCacheDir"},
		"syscall": {"Getenv", "Environ"},
		"os/user": {"Current"},
		"os/exec": {"LookPath"},
	}
	var found []string
	for _, p := range linked(t) {
		if p.Standard {
			continue
		}
		for _, name := range p.GoFiles {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(file, func(node ast.Node) bool {
				call, ok := node.(*ast.CallExpr)
				if !ok {
					return true
				}
				selector, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if on, ok := selector.X.(*ast.Ident); ok && slices.Contains(readers[importPath(file, on.Name)], selector.Sel.Name) {
					found = append(found, p.ImportPath+": "+on.Name+"."+selector.Sel.Name+arguments(call))
				}
				return true
			})
		}
	}
	slices.Sort(found)
	golden(t, "environment.txt", strings.Join(slices.Compact(found), "\n")+"\n")
}

type linkedPackage struct {
	ImportPath string
	Dir        string
	Standard   bool
	GoFiles    []string
}

func linked(t *testing.T) []linkedPackage {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,GoFiles", "./generated/greenfield/cmd/...")
	list.Dir = "../../.."
	output, err := list.Output()
	require.NoError(t, err)
	var packages []linkedPackage
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var next linkedPackage
		err := decoder.Decode(&next)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, next)
	}
}

func importPath(file *ast.File, name string) string {
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path[strings.LastIndex(path, "/")+1:] == name {
			return path
		}
	}
	return ""
}

func arguments(call *ast.CallExpr) string {
	var texts []string
	for _, argument := range call.Args {
		switch argument := argument.(type) {
		case *ast.BasicLit:
			texts = append(texts, argument.Value)
		case *ast.Ident:
			texts = append(texts, argument.Name)
		default:
			texts = append(texts, "…")
		}
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// Whatever the environment says, the answer stays no. Every word in capitals
// that stands anywhere in the binary is tried as a variable, all at once.
func TestINV7_NoVariableTurnsTheGateOff(t *testing.T) {
	content, err := os.ReadFile(binary("implement"))
	require.NoError(t, err)
	names := map[string]bool{
		"GATEWRIGHT_DISABLE": true, "GATEWRIGHT_TEST": true, "GATEWRIGHT_APPROVE": true, "GATEWRIGHT_YES": true, "CI": true, "DEBUG": true, "TEST": true,
	}
	for _, word := range regexp.MustCompile(`[A-Z][A-Z0-9_]{3,40}`).FindAll(content, -1) {
		if name := string(word); !strings.HasPrefix(name, "GO") { // GOMEMLIMIT=1 and such stop any Go program
			names[name] = true
		}
	}
	require.True(t, names["MCPGODEBUG"], "the control: a variable that is read is among those tried")

	s := newSite(t)
	command := s.command("implement")
	for name := range names {
		value := "1"
		if strings.HasSuffix(name, "GODEBUG") {
			value = "gate=off" // the form its readers take
		}
		command.Env = append(command.Env, name+"="+value)
	}
	for _, value := range []string{"off", "true", "yes"} {
		command.Env = append(command.Env, "GATEWRIGHT="+value, "GATEWRIGHT_GATE="+value)
	}
	sdk := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := sdk.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	require.NoError(t, err)
	c := &client{t: t, session: session}
	require.Equal(t, "TOOL_NOT_IN_MODE", c.refused("merge", map[string]any{}))
	require.Equal(t, "ARGUMENTS_INVALID", c.refused("edit", map[string]any{}))
	require.NoError(t, session.Close())
	require.NotEmpty(t, s.log())
}

// A write from a terminal asks there, and without a terminal it does not run.
func TestINV7_CallHasNoWayRoundTheQuestion(t *testing.T) {
	s := newSite(t)
	for _, args := range [][]string{
		{"call", "create", `{"path":"a.txt","text":"x"}`},
		{"call", "create", `{"path":"a.txt","text":"x","confirmed":true}`},
	} {
		command := exec.Command(binary("implement"), append([]string{args[0], "--workspace", s.workspace, "--state-dir", s.state}, args[1:]...)...)
		command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal to ask in
		command.Stdin = strings.NewReader("y\nyes\n")
		output, err := command.CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, string(output))
		require.NoFileExists(t, filepath.Join(s.workspace, "a.txt"))
	}
}
