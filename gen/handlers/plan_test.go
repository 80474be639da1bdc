package handlers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maps"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/handlers"
	"github.com/gatewright/gatewright/gen/protocol"
)

// TestFind runs testdata/*.txtar: a protocol.yaml, the sources of the folder,
// and under want/ the stubs, what is to be pasted, and the diagnostics.
func TestFind(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			var kept []txtar.File
			var text []byte
			want, sources := map[string]string{}, map[string][]byte{}
			for _, f := range archive.Files {
				if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
					want[name] = string(f.Data)
					continue
				}
				kept = append(kept, f)
				if f.Name == "protocol.yaml" {
					text = f.Data
				} else {
					sources[f.Name] = f.Data
				}
			}
			got := find(t, text, sources)
			if os.Getenv("UPDATE") != "" {
				for _, name := range slices.Sorted(maps.Keys(got)) {
					kept = append(kept, txtar.File{Name: "want/" + name, Data: []byte(got[name])})
				}
				archive.Files = kept
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
				return
			}
			require.Equal(t, want, got)
		})
	}
}

func find(t *testing.T, text []byte, sources map[string][]byte) map[string]string {
	t.Helper()
	p, found := protocol.Load("protocol.yaml", text)
	require.Empty(t, found)
	plan, found, err := handlers.Find(p, "example.com/m/generated/notes", handlers.Folder{Path: "protocols/my-notes", Sources: sources})
	require.NoError(t, err)
	got := map[string]string{}
	for name, data := range plan.Stubs {
		got[name] = string(data)
	}
	for _, paste := range plan.Paste {
		got["paste"] += paste.File + "\n" + paste.Source
	}
	if len(found) > 0 {
		var out bytes.Buffer
		require.NoError(t, diag.Text(&out, found, nil, false))
		got["diagnostics"] = out.String()
	}
	return got
}

// A folder of anything at all is looked at without a panic.
func FuzzFind(f *testing.F) {
	const text = "protocol_id: notes\ninitial_mode: m\ngo: {deps: Deps}\ntools: {note: {}}\nmodes: {m: {tools: [note]}}\n"
	for _, source := range []string{
		"", "package", "package a\nfunc Note", "package a\nfunc Note() {}", "package a\nfunc Note[P, Q any](a, b int) (x, y error)", "package _\n",
		"package a\nfunc (x T) Note() {}\ntype Deps struct{}\nfunc OpenDeps(struct{}) (struct{}, error)",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, found := protocol.Load("protocol.yaml", []byte(text))
		require.Empty(t, found)
		_, _, err := handlers.Find(p, "example.com/m/generated/notes", handlers.Folder{Path: "x", Sources: map[string][]byte{"a.go": []byte(source)}})
		require.NoError(t, err)
	})
}
