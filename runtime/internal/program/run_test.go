//go:build unix

package program

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestARunIsWhatTheCallSays(t *testing.T) {
	t.Setenv("GATEWRIGHT_TEST_SECRET", "s")
	dir := folder(t)
	c := call("a b", "$(id)", "*", "")
	c.Dir, c.Env, c.Stdin = dir, []string{"ONE=1", "TWO="}, []byte("in")
	result, err := Run(t.Context(), resolved(t, `pwd; printf '<%s>' "$@"; echo; cat; echo; /usr/bin/env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD= | sort; echo aside >&2`), c)
	require.NoError(t, err)
	require.Equal(t, dir+"\n<a b><$(id)><*><>\nin\nONE=1\nTWO=\n", string(result.Stdout))
	require.Equal(t, "aside\n", string(result.Stderr))
}

func TestNothingIsInherited(t *testing.T) {
	t.Setenv("GATEWRIGHT_TEST_SECRET", "s")
	c := call()
	c.Env = nil
	result, err := Run(t.Context(), resolved(t, `/usr/bin/env`), c)
	require.NoError(t, err)
	require.NotContains(t, string(result.Stdout), "GATEWRIGHT_TEST_SECRET")
	require.NotContains(t, string(result.Stdout), "HOME=")

	c.Env = Environment([]string{"GATEWRIGHT_TEST_SECRET", "GATEWRIGHT_TEST_UNSET", "", "A=B"})
	require.Len(t, c.Env, 3)
	require.Equal(t, "GATEWRIGHT_TEST_SECRET=s", c.Env[0])
	require.Regexp(t, "^HOME=/", c.Env[1])
	require.Equal(t, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", c.Env[2])
	t.Setenv("HOME", "/elsewhere")
	t.Setenv("PATH", "/evil")
	require.Equal(t, c.Env, Environment([]string{"GATEWRIGHT_TEST_SECRET"}))
	require.Equal(t, []string{"HOME=/elsewhere", "PATH=/evil"}, Environment([]string{"PATH", "HOME", "PATH"}))
}

// A program with many names does what argv[0] says.
func TestAProgramIsCalledWhatItsLinkIsCalled(t *testing.T) {
	shell, err := filepath.EvalSymlinks("/bin/sh")
	require.NoError(t, err)
	link := filepath.Join(folder(t), "link")
	require.NoError(t, os.Symlink("/bin/sh", link))
	program, err := Resolve(link, folder(t))
	require.NoError(t, err)
	require.Equal(t, shell, program.Path())
	result, err := Run(t.Context(), program, call("-c", "echo $0"))
	require.NoError(t, err)
	require.Equal(t, link+"\n", string(result.Stdout))
}

func TestINV4_OnlyAnExitWithStatus0IsASuccess(t *testing.T) {
	failed := refused(t, Failed, fails(t, `echo approved; echo "bad $(printf '\033')[2J" >&2; exit 3`, call()))
	require.Equal(t, 3, failed.Exit)
	require.Equal(t, "bad \x1b[2J\n", failed.Stderr)
	require.NotContains(t, failed.Error(), "\x1b")
	require.Contains(t, failed.Error(), `it exited with status 3; its last words were "bad \x1b[2J\n"`)

	failed = refused(t, Failed, fails(t, `echo approved; kill -9 $$`, call()))
	require.Equal(t, -1, failed.Exit)
	require.Equal(t, "killed", failed.Signal)
	failed = refused(t, Failed, fails(t, `echo approved; kill -TERM $$`, call()))
	require.Equal(t, "terminated", failed.Signal)

	failed = refused(t, Failed, fails(t, `i=0; while [ $i -lt 200 ]; do echo 0123456789 >&2; i=$((i+1)); done; exit 1`, call()))
	require.Len(t, failed.Stderr, tail)
}

func fails(t *testing.T, script string, c Call) error {
	t.Helper()
	result, err := Run(t.Context(), resolved(t, script), c)
	require.Error(t, err)
	require.Equal(t, Result{}, result, "nothing that a failed run printed counts")
	return err
}

func TestINV4_AProgramKilledFromOutsideFails(t *testing.T) {
	w := watch(t)
	done := start(t.Context(), resolved(t, hold+`echo approved; sleep 1000`), call(w.path))
	require.NoError(t, syscall.Kill(w.number(t), syscall.SIGKILL))
	out := wait(t, done)
	require.Equal(t, "killed", refused(t, Failed, out.err).Signal)
	require.Equal(t, Result{}, out.result)
	w.gone(t)
}

func TestINV4_ADeadlineEndsAProgramAndItsChildren(t *testing.T) {
	for name, script := range map[string]string{
		"it waits":              `exec sleep 1000`,
		"its child waits":       `sleep 1000`,
		"children of children":  `(sh -c 'sleep 1000 & sleep 1000' & sleep 1000) & wait`,
		"it ignores SIGTERM":    `trap '' TERM; while :; do sleep 1; done`,
		"it is stopped":         `kill -STOP $$`,
		"it exits on SIGTERM":   `trap 'echo approved; exit 0' TERM; sleep 1000 & wait`,
		"a child keeps running": `trap 'exit 0' TERM; (trap '' TERM; while :; do sleep 1; done) & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			c := call(w.path)
			c.Timeout = 300 * time.Millisecond
			out := wait(t, start(t.Context(), resolved(t, hold+`echo approved; `+script), c))
			refused(t, TimedOut, out.err)
			require.Equal(t, Result{}, out.result)
			w.number(t)
			w.gone(t)
		})
	}
}

func TestINV4_TheEndOfTheContextEndsAProgram(t *testing.T) {
	w := watch(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	done := start(ctx, resolved(t, hold+`echo approved; sleep 1000`), call(w.path))
	w.number(t)
	cause := errors.New("the client has gone")
	cancel(cause)
	out := wait(t, done)
	require.ErrorIs(t, refused(t, Cancelled, out.err), cause)
	require.Equal(t, Result{}, out.result)
	w.gone(t)

	marker := filepath.Join(folder(t), "ran")
	_, err := Run(ctx, resolved(t, `touch "$1"`), call(marker))
	refused(t, Cancelled, err)
	require.NoFileExists(t, marker)
}

func TestINV4_AFloodIsStopped(t *testing.T) {
	for _, stream := range []string{"1", "2"} {
		w := watch(t)
		c := call(w.path)
		c.MaxOutput = 1000
		out := wait(t, start(t.Context(), resolved(t, hold+`trap '' TERM PIPE; while :; do echo 0123456789012345678901234567890123456789; done >&`+stream), c))
		refused(t, Flooded, out.err)
		require.Equal(t, Result{}, out.result)
		w.gone(t)
	}
	// One byte is enough, also when the program is over before anybody looks.
	c := call()
	c.MaxOutput = 10
	_, err := Run(t.Context(), resolved(t, `printf 0123456789; printf 0123456789 >&2`), c)
	require.NoError(t, err)
	refused(t, Flooded, fails(t, `printf 01234567890`, c))
	refused(t, Flooded, fails(t, `printf 01234567890 >&2`, c))
}

// The flood is seen also by whoever looks when all is over.
func TestINV4_AFloodThatIsOverIsOne(t *testing.T) {
	c := call()
	c.MaxOutput = 10
	for _, script := range []string{`printf 01234567890`, `printf 01234567890; exit 3`} {
		r := newRun(resolved(t, script), c)
		go r.live()
		require.NoError(t, <-r.started)
		<-r.ended
		result, err := r.result()
		refused(t, Flooded, err)
		require.Equal(t, Result{}, result)
	}
}

func TestWhatAProgramLeavesBehindIsKilled(t *testing.T) {
	w := watch(t)
	out := wait(t, start(t.Context(), resolved(t, hold+`sleep 1000 & (trap '' TERM HUP; sleep 1000) & echo whole`), call(w.path)))
	require.NoError(t, out.err)
	require.Equal(t, "whole\n", string(out.result.Stdout))
	w.gone(t)
}

func TestAProgramNeedNotReadWhatItIsGiven(t *testing.T) {
	for _, script := range []string{`exec <&-; echo done`, `head -c 1 >/dev/null; echo done`, `echo done`, `exec <&-; sleep 0.2; echo done`, `sleep 1000 <&0 & echo done`} {
		c := call()
		c.Stdin = bytes.Repeat([]byte("x"), 1<<20)
		out := wait(t, start(t.Context(), resolved(t, script), c))
		require.NoError(t, out.err, script)
		require.Equal(t, "done\n", string(out.result.Stdout), script)
	}
	c := call()
	c.Stdin = bytes.Repeat([]byte("x"), 1<<20)
	result, err := Run(t.Context(), resolved(t, `wc -c | tr -d ' '`), c)
	require.NoError(t, err)
	require.Equal(t, "1048576\n", string(result.Stdout))
}

// Nor can it type into the terminal at which a person is asked.
func TestAProgramHasNoTerminal(t *testing.T) {
	result, err := Run(t.Context(), resolved(t, `if (: </dev/tty) 2>/dev/null; then echo a terminal; else echo none; fi`), call())
	require.NoError(t, err)
	require.Equal(t, "none\n", string(result.Stdout))
}

func TestAProgramLeadsItsSession(t *testing.T) {
	w := watch(t)
	done := start(t.Context(), resolved(t, hold+`exec sleep 1000`), call(w.path))
	number := w.number(t)
	session, err := unix.Getsid(number)
	require.NoError(t, err)
	require.Equal(t, number, session)
	require.NoError(t, syscall.Kill(-number, syscall.SIGKILL))
	refused(t, Failed, wait(t, done).err)
}

func TestACallThatCannotBeMadeIsNotMade(t *testing.T) {
	program := resolved(t, `exit 0`)
	for name, spoil := range map[string]func(*Call){
		"relative folder":  func(c *Call) { c.Dir = "." },
		"no folder":        func(c *Call) { c.Dir = "" },
		"no time":          func(c *Call) { c.Timeout = 0 },
		"no output":        func(c *Call) { c.MaxOutput = 0 },
		"zero byte":        func(c *Call) { c.Args = []string{"a\x00b"} },
		"zero in variable": func(c *Call) { c.Env = []string{"A=a\x00B=b"} },
		"no variable":      func(c *Call) { c.Env = []string{"A"} },
		"no name":          func(c *Call) { c.Env = []string{"=a"} },
	} {
		c := call()
		spoil(&c)
		_, err := Run(t.Context(), program, c)
		refused(t, BadCall, err)
		require.Error(t, err, name)
	}
	_, err := Run(t.Context(), Program{name: "never resolved"}, call())
	refused(t, BadCall, err)
	c := call()
	c.Dir = filepath.Join(folder(t), "missing")
	_, err = Run(t.Context(), program, c)
	refused(t, NotStarted, err)
	c = call(strings.Repeat("x", 8<<20))
	_, err = Run(t.Context(), program, c)
	refused(t, NotStarted, err)

	garbage := filepath.Join(folder(t), "garbage")
	require.NoError(t, os.WriteFile(garbage, []byte("no program"), 0o755))
	program, err = Resolve(garbage, folder(t))
	require.NoError(t, err)
	_, err = Run(t.Context(), program, call())
	refused(t, NotStarted, err) // and no shell tries it
}
