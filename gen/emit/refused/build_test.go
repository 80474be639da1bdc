package refused

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A module is a module on disk that uses this checkout.
type module struct {
	t   *testing.T
	dir string
}

func newModule(t *testing.T, tree Tree) *module {
	t.Helper()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	m := &module{t: t, dir: t.TempDir()}
	const home = "github.com/gatewright/gatewright"
	m.put("go.mod", "module "+Module+"\n\ngo 1.26\n\nrequire "+home+" v0.0.0\n\nreplace "+home+" => "+root+"\n")
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	m.put("go.sum", string(sums))
	m.add(tree)
	return m
}

func (m *module) put(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	require.NoError(m.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(m.t, os.WriteFile(path, []byte(text), 0o600))
}

func (m *module) add(tree Tree) {
	m.t.Helper()
	for importPath, files := range tree {
		for name, text := range files {
			m.put(strings.TrimPrefix(importPath, Module+"/")+"/"+name, text)
		}
	}
}

// program puts a program into the module and returns its import path.
func (m *module) program(at, text string) string {
	m.t.Helper()
	m.put(strings.TrimPrefix(at, Module+"/")+"/program.go", text)
	return at
}

func (m *module) run(args ...string) (string, error) {
	command := exec.Command("go", args...)
	command.Dir, command.Env = m.dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	output, err := command.CombinedOutput()
	return string(output), err
}

// The go command refuses what only the compiler's back end can refuse, and a
// few programs more; it builds their controls.
func TestINV1_TheGoCommandRefuses(t *testing.T) {
	_, tree, cases := setUp(t)
	m := newModule(t, tree)
	bad := map[string][]string{}
	good := []string{"build"}
	chosen := map[string]Case{}
	for _, c := range cases {
		if c.Build == "" {
			continue
		}
		at := m.program(c.At+"/bad", c.Bad)
		chosen[at] = c
		kind := "compile"
		if c.Build == "internal" {
			kind = "load"
		}
		bad[kind] = append(bad[kind], at)
		good = append(good, m.program(c.At+"/good", c.Good))
	}
	output, err := m.run(good...)
	require.NoError(t, err, "%s", output)

	output, err = m.run(append([]string{"build"}, bad["compile"]...)...)
	require.Error(t, err)
	said := byPackage(output)
	for _, at := range bad["compile"] {
		if c := chosen[at]; c.Build == "compiler" {
			require.Contains(t, said[at], "cannot convert", "%s: %s", c.Name, output)
		} else {
			require.Contains(t, c.Causes, CauseOf(said[at]), "%s: %s", c.Name, said[at])
		}
	}
	output, err = m.run(append([]string{"build"}, bad["load"]...)...)
	require.Error(t, err)
	for _, at := range bad["load"] {
		require.Contains(t, output, "package "+at+"\n\t")
		require.Equal(t, len(bad["load"]), strings.Count(output, "use of internal package"), output)
	}
}

// byPackage splits the output of a build.
func byPackage(output string) map[string]string {
	said, at := map[string]string{}, ""
	for line := range strings.Lines(output) {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			at = strings.TrimSpace(name)
			continue
		}
		said[at] += line
	}
	return said
}

// What compiles and is refused at run time is in testdata/tree/careless.txtar.
func TestINV1_RefusedAtRunTime(t *testing.T) {
	_, tree, _ := setUp(t)
	m := newModule(t, tree)
	output, err := m.run("test", "-v", "./outside/...")
	require.NoError(t, err, "%s", output)
	for _, name := range []string{
		"AKeptPermitIsRefused", "AZeroPermitIsRefused", "AClientOfAnotherProtocolIsRefused",
		"ALiveGrantOfAnotherKeyReachesNothing", "AGateOfOnesOwnRefuses",
	} {
		require.Contains(t, output, "--- PASS: TestINV1_"+name)
	}
}
