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

// The template greenfield is protocols/greenfield without its tests and its
// demo. UPDATE=1 copies it anew.
func TestGreenfieldIsTheProtocolOfThisRepository(t *testing.T) {
	const from, to = "../protocols/greenfield", "greenfield.txtar"
	archive := &txtar.Archive{Comment: []byte("Made from protocols/greenfield by make golden. Not edited by hand.\n")}
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
		archive.Files = append(archive.Files, txtar.File{Name: filepath.ToSlash(name), Data: data})
		return err
	}))
	want := txtar.Format(archive)
	require.Equal(t, archive, txtar.Parse(want), "a file has a line that txtar takes for its own, or no end of line")
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(to, want, 0o644))
	}
	got, err := os.ReadFile(to)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
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
