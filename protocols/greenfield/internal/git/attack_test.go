//go:build unix

package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// hostile makes a repository name a program in every place that is known, and
// returns the file which that program makes.
func hostile(t *testing.T, folder string) (marker string) {
	t.Helper()
	marker = filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(t.TempDir(), "evil")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >> "+marker+"\ncat\n"), 0o755))
	for _, hook := range []string{
		"pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "reference-transaction", "post-index-change", "post-checkout",
		"pre-merge-commit", "post-merge", "update", "pre-receive", "post-rewrite", "fsmonitor-watchman", "post-applypatch",
	} {
		require.NoError(t, os.Symlink(program, filepath.Join(folder, ".git", "hooks", hook)))
	}
	config := map[string]string{
		"core.fsmonitor": program, "core.hooksPath": filepath.Join(folder, ".git", "hooks"), "core.sshCommand": program, "core.editor": program,
		"core.pager": program, "core.askPass": program, "core.gitProxy": program, "core.alternateRefsCommand": program,
		"diff.external": program, "diff.evil.command": program, "diff.evil.textconv": program, "filter.evil.clean": program,
		"filter.evil.smudge": program, "filter.evil.process": program, "filter.evil.required": "true", "merge.evil.driver": program,
		"gpg.program": program, "gpg.ssh.program": program, "commit.gpgSign": "true", "tag.gpgSign": "true", "log.showSignature": "true",
		"credential.helper": program, "sequence.editor": program, "interactive.diffFilter": program, "pager.diff": program, "pager.log": program,
		"alias.diff-tree": "!" + program, "alias.commit-tree": "!" + program, "alias.update-ref": "!" + program,
		"remote.origin.url": "ext::" + program, "remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none",
		"remote.origin.uploadpack": program, "protocol.ext.allow": "always", "protocol.allow": "always", "submodule.recurse": "true",
		"core.attributesFile": at(folder, "attributes"), "trailer.gatewright-call.cmd": program, "uploadpack.packObjectsHook": program,
	}
	for key, value := range config {
		person(t, folder, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "config", key, value)
	}
	put(t, folder, ".gitattributes", "*.txt diff=evil filter=evil merge=evil ident\n")
	put(t, folder, ".git/info/attributes", "*.txt diff=evil filter=evil merge=evil\n")
	put(t, folder, "attributes", "*.txt diff=evil filter=evil\n")
	require.NoFileExists(t, marker)
	return marker
}

func TestNothingThatARepositoryNamesIsRun(t *testing.T) {
	folder, _ := ground(t)
	marker := hostile(t, folder)
	ctx := t.Context()
	put(t, folder, "code.go", "package code\n")
	put(t, folder, "a.txt", "changed\n")
	writer := opened(t, folder)
	done, err := writer.Commit(ctx, somebody(), "x", "m")
	require.NoError(t, err)
	require.Contains(t, done.Files, "code.go")
	require.Contains(t, skippedPaths(done), "a.txt")

	compared, err := writer.Compare(ctx, "", done.Commit)
	require.NoError(t, err)
	patch, _, err := writer.Patch(ctx, compared.Base, compared.Commit, "", 1<<20)
	require.NoError(t, err)
	require.Contains(t, patch, "+package code")
	_, err = writer.List(ctx, done.Commit, ".", true, 100)
	require.NoError(t, err)
	_, err = writer.Read(ctx, done.Commit, "a.txt")
	require.NoError(t, err)
	_, err = writer.Approve(ctx, somebody(), done.Base, done.Commit)
	require.NoError(t, err)

	// The merge into a work tree that has main checked out.
	person(t, folder, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "symbolic-ref", "HEAD", "refs/heads/main")
	for _, name := range []string{"code.go", ".gitattributes", "attributes", "a.txt"} {
		require.NoError(t, os.Remove(filepath.Join(folder, name)))
	}
	put(t, folder, "a.txt", "one\ntwo\n")
	require.NoError(t, os.Remove(filepath.Join(folder, ".git", "index")))
	person(t, folder, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "read-tree", "main")
	merged, err := writer.Merge(ctx, done.Base, done.Commit)
	require.NoError(t, err)
	require.Equal(t, Updated, merged.WorkTree)
	require.NoFileExists(t, marker)

	// The control: a person's git does run what the repository names.
	command := exec.Command("git", "status")
	command.Dir, command.Env = folder, []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null"}
	_ = command.Run()
	require.FileExists(t, marker)
}

func TestAMissingObjectIsNotFetched(t *testing.T) {
	folder, first := ground(t)
	marker := hostile(t, folder)
	blob := person(t, folder, "-c", "core.fsmonitor=false", "rev-parse", first+":a.txt")
	require.NoError(t, os.Remove(filepath.Join(folder, ".git", "objects", blob[:2], blob[2:])))
	_, err := opened(t, folder).Read(t.Context(), first, "a.txt")
	require.Error(t, err)
	require.NoFileExists(t, marker)
}

func TestConfiguredHooksAreRefused(t *testing.T) {
	folder, _ := ground(t)
	put(t, folder, "included", "[hook \"evil\"]\n\tevent = reference-transaction\n\tcommand = evil\n")
	person(t, folder, "config", "include.path", at(folder, "included"))
	_, err := Open(t.Context(), folder)
	requireCode(t, err, refusal.RepositoryConfig)
}

// Attributes can call a text file binary, and replacement refs can show another
// object; neither may keep a reviewer from seeing what would be merged.
func TestADiffShowsWhatWouldBeMerged(t *testing.T) {
	folder, first := ground(t)
	put(t, folder, ".gitattributes", "* -diff -text linguist-generated\n")
	put(t, folder, ".git/info/attributes", "* -diff\n")
	put(t, folder, "a.txt", "evil\n")
	writer := opened(t, folder)
	done, err := writer.Commit(t.Context(), somebody(), "x", "m")
	require.NoError(t, err)
	decoy := person(t, folder, "commit-tree", first+"^{tree}", "-p", first, "-m", "innocent")
	person(t, folder, "replace", done.Commit, decoy)
	blob := person(t, folder, "--no-replace-objects", "rev-parse", done.Commit+":a.txt")
	person(t, folder, "replace", blob, person(t, folder, "rev-parse", first+":a.txt"))
	put(t, folder, ".git/info/grafts", done.Commit+"\n")
	compared, err := writer.Compare(t.Context(), "", done.Commit)
	require.NoError(t, err)
	require.Len(t, compared.Changes, 2)
	change := compared.Changes[1]
	require.Equal(t, "a.txt changed 100644 +1 -2", fmt.Sprintf("%s %s %s +%d -%d", change.Path, change.Status, change.Mode, change.Added, change.Removed))
	require.False(t, change.Binary)
	require.NoError(t, writer.Obstacle(t.Context(), compared))
	patch, _, err := writer.Patch(t.Context(), compared.Base, compared.Commit, "", 1<<20)
	require.NoError(t, err)
	require.Contains(t, patch, "+evil\n")
	text, err := writer.Read(t.Context(), done.Commit, "a.txt")
	require.NoError(t, err)
	require.Equal(t, "evil\n", string(text))
}

func TestAGitInTheWorkTreeIsNotRun(t *testing.T) {
	folder, _ := ground(t)
	marker := filepath.Join(t.TempDir(), "ran")
	put(t, folder, "bin/git", "#!/bin/sh\ntouch "+marker+"\n")
	require.NoError(t, os.Chmod(at(folder, "bin/git"), 0o755))
	elsewhere := t.TempDir()
	require.NoError(t, os.Symlink(at(folder, "bin/git"), at(elsewhere, "git")))
	for _, first := range []string{at(folder, "bin"), elsewhere, "bin", ""} {
		t.Run(first, func(t *testing.T) {
			t.Chdir(folder)
			t.Setenv("PATH", first+string(os.PathListSeparator)+os.Getenv("PATH"))
			_, err := Open(t.Context(), folder)
			if first == "" {
				require.NoError(t, err)
			} else {
				requireCode(t, err, refusal.GitMissing)
			}
			require.NoFileExists(t, marker)
		})
	}
}

func TestTheEnvironmentReachesGitInNothing(t *testing.T) {
	folder, first := ground(t)
	other, _ := ground(t)
	for name, value := range map[string]string{
		"GIT_DIR": at(other, ".git"), "GIT_WORK_TREE": other, "GIT_INDEX_FILE": at(other, "x"), "GIT_EXTERNAL_DIFF": "/bin/false",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "nonsense", "GIT_TRACE": at(other, "trace"),
		"GIT_OBJECT_DIRECTORY": other, "GIT_NAMESPACE": "x", "GIT_EXEC_PATH": other, "HOME": other, "GIT_CEILING_DIRECTORIES": "/",
	} {
		t.Setenv(name, value)
	}
	data, err := opened(t, folder).Read(t.Context(), first, "a.txt")
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", string(data))
	require.NoFileExists(t, at(other, "trace"))
}

func TestTheFolderForTemporaryFilesMustLieElsewhere(t *testing.T) {
	folder, first := ground(t)
	require.NoError(t, os.Mkdir(at(folder, "tmp"), 0o777))
	t.Setenv("TMPDIR", at(folder, "tmp"))
	_, err := opened(t, folder).Read(t.Context(), first, "a.txt")
	requireCode(t, err, refusal.RepositoryUnusable)
	left, err := os.ReadDir(at(folder, "tmp"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestNoTemporaryFolderIsLeft(t *testing.T) {
	folder, _ := ground(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	done := committed(t, folder)
	_, err := opened(t, folder).Approve(t.Context(), somebody(), done.Base, done.Commit)
	require.NoError(t, err)
	_, err = opened(t, folder).Approve(t.Context(), somebody(), done.Commit, done.Base)
	require.Error(t, err)
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

// The end of a call ends git and what git has started.
func TestTheEndOfACallEndsGit(t *testing.T) {
	folder, _ := ground(t)
	program := filepath.Join(t.TempDir(), "slow")
	pids := filepath.Join(t.TempDir(), "pids")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nsleep 600 &\necho $$ $! > "+pids+".new\nmv "+pids+".new "+pids+"\nwait\n"), 0o755))
	writer := opened(t, folder)
	writer.program = program
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := writer.execute(ctx, run{args: []string{"anything"}})
		done <- err
	}()
	require.Eventually(t, func() bool { _, err := os.Stat(pids); return err == nil }, 10*time.Second, 5*time.Millisecond)
	end()
	require.ErrorIs(t, <-done, context.Canceled)
	data, err := os.ReadFile(pids)
	require.NoError(t, err)
	for pid := range strings.FieldsSeq(string(data)) {
		require.Eventually(t, func() bool {
			state, err := os.ReadFile("/proc/" + pid + "/stat")
			return err != nil || strings.Contains(string(state), ") Z ")
		}, 10*time.Second, 5*time.Millisecond, "process %s is alive", pid)
	}
}

func TestOutputIsBounded(t *testing.T) {
	folder, first := ground(t)
	writer := opened(t, folder)
	_, err := writer.inShadow(t.Context(), run{args: []string{"cat-file", "-p", first}, limit: 10})
	require.ErrorIs(t, err, errOutput)
	output, err := writer.inShadow(t.Context(), run{args: []string{"cat-file", "-p", first}, limit: 10, cut: true})
	require.NoError(t, err)
	require.Len(t, output, 10)
}

// git follows links within its own folder, so a ref or a log that is one would
// let a commit write anywhere.
func TestRefsAndLogsThatAreLinksAreNotWritten(t *testing.T) {
	for _, name := range []string{"refs/heads/work", "logs/refs/heads/work/x", "logs/HEAD", "packed-refs", "logs"} {
		t.Run(name, func(t *testing.T) {
			folder, _ := ground(t)
			outside := t.TempDir()
			put(t, outside, "file", "# pack-refs with: \n")
			target := at(outside, "file")
			if name == "refs/heads/work" || name == "logs" {
				target = outside
			}
			link := at(folder, ".git/"+name)
			require.NoError(t, os.RemoveAll(link))
			require.NoError(t, os.MkdirAll(filepath.Dir(link), 0o777))
			require.NoError(t, os.Symlink(target, link))
			put(t, folder, "a.txt", "changed")
			_, err := opened(t, folder).Commit(t.Context(), somebody(), "x", "m")
			requireCode(t, err, refusal.RepositoryUnusable)
			left, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Len(t, left, 1)
			data, err := os.ReadFile(at(outside, "file"))
			require.NoError(t, err)
			require.Equal(t, "# pack-refs with: \n", string(data))
		})
	}
}
