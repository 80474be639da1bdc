package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestGenerate runs testdata/script/generate*.txtar with the real command.
func TestGenerate(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/generate*.txtar")
	require.NoError(t, err)
	bin := build(t)
	testscript.Run(t, testscript.Params{
		Files:               scripts,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
	})
}

// build builds the command and returns its folder.
func build(t *testing.T) string {
	t.Helper()
	bin, name := t.TempDir(), "gatewright"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	output, err := exec.Command("go", "build", "-o", filepath.Join(bin, name), ".").CombinedOutput()
	require.NoError(t, err, string(output))
	return bin
}

// A run that is killed at any moment is completed by the next.
func TestGenerateKilled(t *testing.T) {
	command, dir := filepath.Join(build(t), "gatewright"), t.TempDir()
	protocol := filepath.Join(dir, "protocols", "many", "protocol.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(protocol), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"), 0o600))
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command(command, append([]string{"generate"}, args...)...)
		cmd.Dir = dir
		return cmd
	}
	var whole time.Duration
	for round := range 8 {
		var text strings.Builder
		text.WriteString("protocol_id: many\ninitial_mode: m\ntools:\n")
		for i := range 40 {
			fmt.Fprintf(&text, "  r%d_%d: {description: round %d}\n", round%3, i, round)
		}
		text.WriteString("modes:\n  m:\n    tools:\n")
		for i := range 40 {
			fmt.Fprintf(&text, "    - r%d_%d\n", round%3, i)
		}
		require.NoError(t, os.WriteFile(protocol, []byte(text.String()), 0o600))
		cmd := run("./...")
		began := time.Now()
		require.NoError(t, cmd.Start())
		if round > 0 {
			timer := time.AfterFunc(whole*time.Duration(round)/8, func() { _ = cmd.Process.Kill() })
			t.Cleanup(func() { timer.Stop() })
		}
		_ = cmd.Wait()
		if round == 0 {
			whole = time.Since(began)
			continue
		}
		output, err := run("./...").CombinedOutput()
		require.NoError(t, err, string(output))
		output, err = run("--check", "./...").CombinedOutput()
		require.NoError(t, err, string(output))
	}
}

func TestModulePath(t *testing.T) {
	for text, want := range map[string]string{
		"module example.com/m\n":                          "example.com/m",
		"// module x\nmodule\texample.com/m // why\ngo 1": "example.com/m",
		"module \"example.com/m\"":                        "example.com/m",
		"module (\n\texample.com/m\n)\n":                  "example.com/m",
		"module `m`\r\n":                                  "m",
	} {
		got, err := modulePath(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "go 1.26\n", "module\n", "module a b\n", "module \"a", "module ../a\n", "module /a\n", "module a/../b\n", "modules x\n"} {
		_, err := modulePath(text)
		require.Error(t, err, text)
	}
}
