//go:build unix

package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/trial"
)

func bounds() trial.Bounds { return trial.Bounds{Time: time.Minute, Head: 1000, Tail: 4000} }

// tested makes a repository whose test command is a script of it, and returns
// the commit that has this script.
func tested(t *testing.T, script string) (folder, commit string) {
	t.Helper()
	folder, _ = ground(t)
	put(t, folder, TestCommand, "sh\ntest.sh\nan argument\n")
	put(t, folder, "test.sh", script)
	person(t, folder, "add", "-A")
	person(t, folder, "commit", "-qm", "tests")
	return folder, person(t, folder, "rev-parse", "HEAD")
}

func TestTestsRunInACloneOfTheCommit(t *testing.T) {
	folder, commit := tested(t, `echo "$1"; pwd; git status --porcelain; git rev-parse HEAD; ls -A; cat .git/config; rm -rf .git a.txt; echo mine > sub/b.txt; exit 3`)
	put(t, folder, "a.txt", "not committed")
	done, err := opened(t, folder).Test(t.Context(), commit, bounds())
	require.NoError(t, err)
	require.Equal(t, 3, done.Code)
	require.False(t, done.TimedOut)
	lines := strings.Split(done.Output, "\n")
	require.Equal(t, "an argument", lines[0])
	require.NotContains(t, done.Output, folder)
	require.NoDirExists(t, lines[1])
	require.Equal(t, commit, lines[2], done.Output)
	require.FileExists(t, at(folder, ".git/HEAD"))
	data, err := os.ReadFile(at(folder, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "not committed", string(data))
	require.Equal(t, []string{"sh", "test.sh", "an argument"}, []string(done.Command))
}

// The commit under test does not choose the command, and neither does what is
// in the work tree.
func TestTheTestCommandIsThatOfTheTargetBranch(t *testing.T) {
	folder, _ := tested(t, "echo target\n")
	put(t, folder, TestCommand, "echo\nchosen by the caller\n")
	done, err := opened(t, folder).Commit(t.Context(), somebody(), "x", "m")
	require.NoError(t, err)
	ran, err := opened(t, folder).Test(t.Context(), done.Commit, bounds())
	require.NoError(t, err)
	require.Equal(t, "target\n", ran.Output)

	bare, _ := ground(t)
	_, err = opened(t, bare).Test(t.Context(), person(t, bare, "rev-parse", "HEAD"), bounds())
	requireCode(t, err, refusal.NoTestCommand)
	for _, text := range []string{"", "\n\n", "no-such-program-anywhere\n", "\x00"} {
		put(t, bare, TestCommand, text)
		person(t, bare, "add", "-A")
		person(t, bare, "commit", "-qm", "m")
		_, err = opened(t, bare).Test(t.Context(), person(t, bare, "rev-parse", "HEAD"), bounds())
		requireCode(t, err, refusal.NoTestCommand)
	}
	_, err = opened(t, folder).Test(t.Context(), "HEAD", bounds())
	requireCode(t, err, refusal.CommitNotFound)
}

func TestTestsSeeNothingOfTheEnvironment(t *testing.T) {
	folder, commit := tested(t, "env | sort; ls -A $HOME\n")
	t.Setenv("SECRET_TOKEN", "hunter2")
	t.Setenv("GIT_DIR", at(folder, ".git"))
	t.Setenv("PATH", folder+":relative:"+os.Getenv("PATH"))
	put(t, folder, "sh", "#!/bin/sh\necho from the work tree\n")
	require.NoError(t, os.Chmod(at(folder, "sh"), 0o755))
	done, err := opened(t, folder).Test(t.Context(), commit, bounds())
	require.NoError(t, err)
	require.NotContains(t, done.Output, "hunter2")
	require.NotContains(t, done.Output, "GIT_DIR")
	require.NotContains(t, done.Output, folder)
	require.NotContains(t, done.Output, "relative")
	require.NotContains(t, done.Output, "from the work tree")
	var names []string
	for line := range strings.Lines(done.Output) {
		if name, _, found := strings.Cut(line, "="); found {
			names = append(names, name)
		}
	}
	require.Subset(t, []string{
		"CI", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT", "HOME", "LANG", "LC_ALL", "PATH", "PWD", "OLDPWD", "SHLVL", "TERM", "TMPDIR", "TZ", "_",
	}, names)
}

func TestTestsAreBoundedInOutput(t *testing.T) {
	folder, commit := tested(t, "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last\n")
	done, err := opened(t, folder).Test(t.Context(), commit, bounds())
	require.NoError(t, err)
	require.Zero(t, done.Code)
	require.True(t, strings.HasPrefix(done.Output, "first\n"))
	require.True(t, strings.HasSuffix(done.Output, "x\nlast\n"))
	require.Contains(t, done.Output, "bytes left out")
	require.Less(t, len(done.Output), 5100)
	require.EqualValues(t, 50_000_000+12-5000, done.Left)
}

// A program that goes on, and what it started, end with the time, with the call
// and with the program itself.
func TestTestsAreBoundedInTimeAndProcesses(t *testing.T) {
	for _, ended := range []string{"time", "call", "program"} {
		t.Run(ended, func(t *testing.T) {
			pids := filepath.Join(t.TempDir(), "pids")
			script := "sleep 600 &\necho $$ $! > " + pids + ".new; mv " + pids + ".new " + pids + "\n"
			if ended != "program" {
				script += "trap '' TERM INT\nwait; wait; sleep 600\n"
			}
			folder, commit := tested(t, script)
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			ctx, end := context.WithCancel(t.Context())
			defer end()
			limits := bounds()
			if ended == "time" {
				limits.Time = 300 * time.Millisecond
			}
			if ended == "call" {
				go func() {
					for range time.Tick(5 * time.Millisecond) {
						if _, err := os.Stat(pids); err == nil {
							end()
							return
						}
					}
				}()
			}
			done, err := opened(t, folder).Test(ctx, commit, limits)
			switch ended {
			case "time":
				require.NoError(t, err)
				require.True(t, done.TimedOut)
				require.NotZero(t, done.Code)
			case "call":
				require.ErrorIs(t, err, context.Canceled)
			case "program":
				require.NoError(t, err)
				require.Zero(t, done.Code)
			}
			data, err := os.ReadFile(pids)
			require.NoError(t, err)
			for pid := range strings.FieldsSeq(string(data)) {
				require.Eventually(t, func() bool {
					state, err := os.ReadFile("/proc/" + pid + "/stat")
					return err != nil || strings.Contains(string(state), ") Z ")
				}, 10*time.Second, 5*time.Millisecond, "process %s is alive", pid)
			}
			left, err := os.ReadDir(temporary)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// A clone is made without what the repository names, and is removed even where
// the tests took away the right to.
func TestACloneRunsNothingAndLeavesNothing(t *testing.T) {
	folder, commit := tested(t, "mkdir -p locked/in && chmod 0 locked/in locked\n")
	marker := hostile(t, folder)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	_, err := opened(t, folder).Test(t.Context(), commit, bounds())
	require.NoError(t, err)
	require.NoFileExists(t, marker)
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestACloneHoldsLinksSubmodulesAndOddNames(t *testing.T) {
	folder, _ := tested(t, "ls -A | tr '\\n' '|'; readlink link; git status --porcelain; git log --oneline | wc -l\n")
	nested, _ := ground(t)
	person(t, folder, "-c", "protocol.file.allow=always", "submodule", "add", "-q", nested, "module")
	require.NoError(t, os.Symlink("/nowhere", at(folder, "link")))
	put(t, folder, "-dash", "x")
	put(t, folder, "a b/ü", "x")
	put(t, folder, "two\nlines", "x")
	person(t, folder, "add", "-A")
	person(t, folder, "commit", "-qm", "m")
	done, err := opened(t, folder).Test(t.Context(), person(t, folder, "rev-parse", "HEAD"), bounds())
	require.NoError(t, err)
	for _, name := range []string{"|-dash|", "|a b|", "|two|lines|", "|module|", "|link|", "/nowhere\n"} {
		require.Contains(t, "|"+done.Output, name)
	}
	require.Equal(t, "1", strings.TrimSpace(done.Output[strings.LastIndex(strings.TrimSpace(done.Output), "\n"):]))
}
