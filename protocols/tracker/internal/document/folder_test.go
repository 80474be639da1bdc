package document

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
	"github.com/gatewright/gatewright/runtime/gate"
)

func workspace(t *testing.T, files map[string]string) (string, *Folder) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		name = filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	opened, err := Open(folder)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	return folder, opened
}

func TestRead(t *testing.T) {
	_, folder := workspace(t, map[string]string{"docs/plan.md": "abc", "docs/more/été.txt": "\ufeffx\r\n"})
	read, err := folder.Read("docs/plan.md")
	require.NoError(t, err)
	require.Equal(t, Document{"docs/plan.md", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}, read)
	read, err = folder.Read("docs/./more//été.txt")
	require.NoError(t, err)
	require.Equal(t, "docs/more/été.txt", read.Name, "a document has one name")
	require.Equal(t, "\ufeffx\r\n", read.Text)
}

func TestReadRefuses(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret.md"), []byte("secret"), 0o644))
	at, folder := workspace(t, map[string]string{
		"docs/plan.md": "abc", "secret.md": "s", ".tracker/notes.md": "s", "docs/.hidden.md": "s", "docs/binary.md": "a\x00b", "docs/latin.md": "\xe9",
		"docs/large.md": strings.Repeat("x", MaxSize+1), "docs/full.md": strings.Repeat("x", MaxSize), "docs/code.go": "s",
	})
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(at, "docs", "link.md")))
	require.NoError(t, os.Symlink("plan.md", filepath.Join(at, "docs", "inner.md")))
	require.NoError(t, os.Symlink(outside, filepath.Join(at, "docs", "linked")))
	require.NoError(t, os.Mkdir(filepath.Join(at, "docs", "folder.md"), 0o755))
	require.NoError(t, syscall.Mkfifo(filepath.Join(at, "docs", "pipe.md"), 0o644))
	for name, code := range map[string]gate.Code{
		"":                       refusal.PathInvalid,
		"docs":                   refusal.PathInvalid,
		"docs/":                  refusal.PathInvalid,
		"secret.md":              refusal.PathInvalid,
		"/docs/plan.md":          refusal.PathInvalid,
		"docs/../secret.md":      refusal.PathInvalid,
		"docs/../docs/plan.md":   refusal.PathInvalid,
		"../docs/plan.md":        refusal.PathInvalid,
		"docs/.hidden.md":        refusal.PathInvalid,
		".tracker/notes.md":      refusal.PathInvalid,
		"docs/code.go":           refusal.PathInvalid,
		`docs\plan.md`:           refusal.PathInvalid,
		"docs/plan.md\x00.md":    refusal.PathInvalid,
		"docs/\u202eplan.md":     refusal.PathInvalid,
		"docs/\xff.md":           refusal.PathInvalid,
		"docs/nothing.md":        refusal.DocumentNotFound,
		"docs/no/thing.md":       refusal.DocumentNotFound,
		"docs/plan.md/more.md":   refusal.DocumentNotFound,
		"docs/link.md":           refusal.PathIsLink,
		"docs/inner.md":          refusal.PathIsLink,
		"docs/linked/secret.md":  refusal.PathIsLink,
		"docs/folder.md":         refusal.NotADocument,
		"docs/pipe.md":           refusal.NotADocument,
		"docs/binary.md":         refusal.DocumentBinary,
		"docs/latin.md":          refusal.DocumentBinary,
		"docs/large.md":          refusal.DocumentTooLarge,
		"docs/" + long(600):      refusal.PathInvalid,
		"docs/" + long(260):      refusal.PathInvalid,
		"docs/" + long(250) + "": refusal.DocumentNotFound,
	} {
		read, err := folder.Read(name)
		require.Zero(t, read, "%q", name)
		require.True(t, refusal.Is(err, code), "%q: %v", name, err)
	}
	read, err := folder.Read("docs/full.md")
	require.NoError(t, err)
	require.Len(t, read.Text, MaxSize)
}

func long(size int) string { return strings.Repeat("x", size-3) + ".md" }

// Links are refused where docs itself is one.
func TestReadRefusesDocsThatIsALink(t *testing.T) {
	at, folder := workspace(t, map[string]string{"elsewhere/plan.md": "abc"})
	require.NoError(t, os.Symlink("elsewhere", filepath.Join(at, "docs")))
	_, err := folder.Read("docs/plan.md")
	require.True(t, refusal.Is(err, refusal.PathIsLink), "%v", err)
}

func TestNotFoundNamesWhatThereIs(t *testing.T) {
	at, folder := workspace(t, map[string]string{"docs/b.md": "", "docs/a.md": "", "docs/code.go": "", "docs/more/c.md": ""})
	_, err := folder.Read("docs/c.md")
	require.EqualError(t, err, `there is no "docs/c.md" in the workspace; docs holds docs/a.md, docs/b.md`)
	for i := range maxNamed + 1 {
		require.NoError(t, os.WriteFile(filepath.Join(at, "docs", "many"+string(rune('a'+i))+".md"), nil, 0o644))
	}
	_, err = folder.Read("docs/c.md")
	require.ErrorContains(t, err, "and 3 more")
	_, empty := workspace(t, map[string]string{"docs/code.go": ""})
	_, err = empty.Read("docs/c.md")
	require.ErrorContains(t, err, "docs holds no documents")
	_, none := workspace(t, nil)
	_, err = none.Read("docs/c.md")
	require.EqualError(t, err, `there is no "docs" in the workspace`)
}
