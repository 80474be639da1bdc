package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/runtime/gate"
)

// person runs git as a person would, away from the configuration of this
// machine, and with every program that a repository names.
func person(t *testing.T, folder string, args ...string) string {
	t.Helper()
	command := exec.Command("git", args...)
	command.Dir = folder
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=person", "GIT_AUTHOR_EMAIL=person@example.com", "GIT_COMMITTER_NAME=person", "GIT_COMMITTER_EMAIL=person@example.com",
	}
	output, err := command.CombinedOutput()
	require.NoError(t, err, "git %s: %s", strings.Join(args, " "), output)
	return strings.TrimSuffix(string(output), "\n")
}

// at is where a name with slashes is in a folder.
func at(folder, name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }

func put(t *testing.T, folder, name, text string) {
	t.Helper()
	full := at(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o777))
	require.NoError(t, os.WriteFile(full, []byte(text), 0o644))
}

// ground makes a repository with one commit on main.
func ground(t *testing.T, init ...string) (folder, first string) {
	t.Helper()
	folder = t.TempDir()
	person(t, folder, append([]string{"init", "-q", "-b", "main"}, init...)...)
	put(t, folder, "a.txt", "one\ntwo\n")
	put(t, folder, "sub/b.txt", "b\n")
	put(t, folder, ".gitignore", "*.log\n")
	person(t, folder, "add", "-A")
	person(t, folder, "commit", "-qm", "first")
	return folder, person(t, folder, "rev-parse", "HEAD")
}

func opened(t *testing.T, folder string) *Writer {
	t.Helper()
	writer, err := OpenWriter(t.Context(), folder)
	require.NoError(t, err)
	return writer
}

func requireCode(t *testing.T, err error, code gate.Code) {
	t.Helper()
	require.Error(t, err)
	require.True(t, refusal.Is(err, code), "%s: %v", code, err)
}

func somebody() Caller { return Caller{Actor: "somebody", Call: "CALL"} }

// committed changes a file and commits that to the work branch x.
func committed(t *testing.T, folder string) Committed {
	t.Helper()
	put(t, folder, "a.txt", "one\n2\n")
	done, err := opened(t, folder).Commit(t.Context(), somebody(), "x", "Change")
	require.NoError(t, err)
	return done
}

func link(t *testing.T, target, name string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
	require.NoError(t, os.Symlink(target, name))
}

func requireEmpty(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}
