package templates_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/templates"
)

// The templates greenfield and tracker are the protocols of this repository
// without their tests and their demos. UPDATE=1 copies them anew.
func TestTemplatesAreTheProtocolsOfThisRepository(t *testing.T) {
	for _, id := range []string{"greenfield", "tracker"} {
		t.Run(id, func(t *testing.T) {
			from, to := "../protocols/"+id, id+".txtar"
			want := txtar.Format(archive(t, id, from))
			require.Equal(t, archive(t, id, from), txtar.Parse(want), "a file has a line that txtar takes for its own, or no end of line")
			if os.Getenv("UPDATE") != "" {
				require.NoError(t, os.WriteFile(to, want, 0o644))
			}
			got, err := os.ReadFile(to)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

// archive holds the files of a protocol that are copied.
func archive(t *testing.T, id, from string) *txtar.Archive {
	t.Helper()
	files := &txtar.Archive{Comment: []byte("Made from protocols/" + id + " by make golden. Not edited by hand.\n")}
	require.NoError(t, filepath.WalkDir(from, func(at string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(from, at)
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if name == "demo" || name == "e2e" || entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		case strings.HasSuffix(name, "_test.go"), name != "protocol.yaml" && filepath.Ext(name) != ".go":
			return nil
		}
		data, err := os.ReadFile(at)
		files.Files = append(files.Files, txtar.File{Name: filepath.ToSlash(name), Data: data})
		return err
	}))
	return files
}

func TestTemplatesPassStrictly(t *testing.T) {
	for _, template := range templates.Templates() {
		files, err := templates.Files(template.ID, "example.com/m/protocols", "example.com/m/generated")
		require.NoError(t, err)
		p, found := check.File("protocol.yaml", files["protocol.yaml"], check.Options{Strict: true})
		for _, d := range found { // what is waived stays in sight
			require.Equal(t, diag.Note, d.Level, "%s: %s", template.ID, d.Message)
		}
		require.Equal(t, template.ID, p.ID.Value)
		require.True(t, p.Strict)
		require.Equal(t, p.InitialMode.Value, template.Mode)
	}
	_, err := templates.Files("nothing", "p", "g")
	require.Error(t, err)
}

// A template names the user's module, and of this one the runtime alone.
func TestImportsAreOfTheUsersModule(t *testing.T) {
	for _, template := range templates.Templates() {
		files, err := templates.Files(template.ID, "example.com/m/protocols", "example.com/m/generated")
		require.NoError(t, err)
		for name, text := range files {
			for _, part := range strings.Split(string(text), `"github.com/gatewright/gatewright/`)[1:] {
				require.True(t, strings.HasPrefix(part, "runtime/"), "%s of %s", name, template.ID)
			}
		}
	}
}
