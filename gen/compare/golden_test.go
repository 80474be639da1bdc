package compare_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/compare"
	"github.com/gatewright/gatewright/gen/protocol"
)

func update() bool { return os.Getenv("UPDATE") != "" }

func load(t *testing.T, name string, text []byte) *protocol.Protocol {
	t.Helper()
	p, found := protocol.Load(name, []byte(check.Example(string(text))))
	require.Empty(t, found)
	require.NotNil(t, p)
	return p
}

// TestCases compares the two protocols of each case, in both directions.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := map[compare.Kind]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			before := load(t, "old.yaml", archive.Files[0].Data)
			after := load(t, "new.yaml", archive.Files[1].Data)
			archive.Files = archive.Files[:2]
			for _, way := range []struct {
				name     string
				from, to *protocol.Protocol
			}{{"changes.txt", before, after}, {"back.txt", after, before}} {
				var out bytes.Buffer
				changes := compare.Compare(way.from, way.to)
				for _, change := range changes {
					require.Equal(t, change.Weaker, change.Why != "")
					seen[change.Kind] = true
				}
				require.NoError(t, compare.Text(&out, changes, false))
				archive.Files = append(archive.Files, txtar.File{Name: way.name, Data: out.Bytes()})
			}
			got := txtar.Format(archive)
			if update() {
				require.NoError(t, os.WriteFile(file, got, 0o600))
				return
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
	for _, kind := range compare.Kinds() {
		if kind != compare.Rewritten {
			require.True(t, seen[kind], "no case shows %s", kind)
		}
	}
}

func TestJSONHasEveryKey(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, compare.JSON(&out, []compare.Change{{Kind: compare.StrictOff, Message: "a < b"}}))
	require.JSONEq(t, `{"changes":[{"kind":"strict_off","mode":"","tool":"","name":"","old":"","new":"","message":"a < b","weaker":false,"why":""}]}`, out.String())
	require.Contains(t, out.String(), "a < b")
	out.Reset()
	require.NoError(t, compare.JSON(&out, nil))
	require.JSONEq(t, `{"changes":[]}`, out.String())
}

func TestNothingForeignReachesTheTerminal(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, compare.Text(&out, []compare.Change{{Message: "a\x1b[2J\n\u202eb", Weaker: true, Why: "\x1b"}}, false))
	require.NotContains(t, out.String(), "\x1b")
	require.NotContains(t, out.String(), "\u202e")
	out.Reset()
	require.NoError(t, compare.Text(&out, []compare.Change{{Message: "m", Weaker: true, Why: "w"}}, true))
	require.Contains(t, out.String(), "\x1b[1;31mweaker\x1b[0m")
}
