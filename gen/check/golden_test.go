package check_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
)

// UPDATE=1 writes what is found as what is expected.
func update() bool { return os.Getenv("UPDATE") != "" }

// render shows what is found in a form that a golden file can hold: the
// escapes of colours become \e.
func render(t *testing.T, text []byte, flags []string) string {
	t.Helper()
	_, found := check.File("protocol.yaml", text, check.Options{Strict: slices.Contains(flags, "strict")})
	var out bytes.Buffer
	var err error
	switch {
	case slices.Contains(flags, "json"):
		err = diag.JSON(&out, found)
	case slices.Contains(flags, "sarif"):
		err = diag.SARIF(&out, found, "v0.0.0", nil)
	case slices.Contains(flags, "github"):
		err = diag.GitHub(&out, found)
	default:
		err = diag.Text(&out, found, diag.Files{"protocol.yaml": diag.NewSource("protocol.yaml", text)}, slices.Contains(flags, "colour"))
	}
	require.NoError(t, err)
	return strings.ReplaceAll(out.String(), "\x1b", `\e`)
}

// A case is a protocol and what is said about it. Characters that an editor
// would spoil are written as a Go string, in protocol.quoted.
func TestCases(t *testing.T) {
	for _, path := range paths(t, "cases") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { oneCase(t, path) })
	}
}

// What somebody who is new here gets wrong, and is told. A case may hold the
// protocol with the help followed to the letter, mended.yaml: nothing is found
// in it.
func TestNewcomers(t *testing.T) {
	for _, path := range paths(t, "newcomer") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			files := oneCase(t, path)
			_, found := check.File("protocol.yaml", files["protocol.yaml"], check.Options{})
			for _, d := range found {
				require.NotEmpty(t, d.Help, d.Message)
			}
			if mended, ok := files["mended.yaml"]; ok {
				require.NotEqual(t, files["protocol.yaml"], mended)
				require.Empty(t, render(t, mended, nil))
			}
		})
	}
}

func paths(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

// oneCase holds one file to what is expected, and returns what is in it.
func oneCase(t *testing.T, path string) map[string][]byte {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	require.NoError(t, err)
	files := map[string][]byte{}
	for _, file := range archive.Files {
		files[file.Name] = file.Data
	}
	text := files["protocol.yaml"]
	if quoted := files["protocol.quoted"]; quoted != nil {
		for line := range strings.Lines(string(quoted)) {
			plain, err := strconv.Unquote(strings.TrimSpace(line))
			require.NoError(t, err)
			text = append(text, plain...)
		}
	}
	golden(t, path, archive, "diagnostics", render(t, text, strings.Fields(string(files["flags"]))))
	return files
}

func golden(t *testing.T, path string, archive *txtar.Archive, name, got string) {
	t.Helper()
	at := slices.IndexFunc(archive.Files, func(file txtar.File) bool { return file.Name == name })
	if update() {
		if at < 0 {
			at = len(archive.Files)
			archive.Files = append(archive.Files, txtar.File{Name: name})
		}
		archive.Files[at].Data = []byte(got)
		require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
		return
	}
	require.GreaterOrEqual(t, at, 0, "no %s; UPDATE=1 writes it", name)
	require.Equal(t, string(archive.Files[at].Data), got)
}

// Every rule has a failing golden, a passing one, and an explanation.
func TestEveryRuleHasGoldens(t *testing.T) {
	for _, rule := range check.Rules() {
		if slices.Contains(unshown(), rule.ID) || rule.Category == check.Generated {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			path := filepath.Join("testdata", "rules", rule.ID+".txtar")
			bad, good := check.Example(rule.Bad), check.Example(rule.Good)
			explanation, _, ok := check.Explain(rule.ID)
			require.True(t, ok)
			require.Contains(t, explanation, "Refused:")
			got := &txtar.Archive{Files: []txtar.File{
				{Name: "bad.yaml", Data: []byte(bad)}, {Name: "bad.txt", Data: []byte(render(t, []byte(bad), nil))},
				{Name: "good.yaml", Data: []byte(good)}, {Name: "good.txt", Data: []byte(render(t, []byte(good), nil))},
				{Name: "explain.txt", Data: []byte(explanation)},
			}}
			require.Contains(t, string(got.Files[1].Data), "["+rule.ID+"]")
			if update() {
				require.NoError(t, os.WriteFile(path, txtar.Format(got), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), string(txtar.Format(got)))
		})
	}
}
