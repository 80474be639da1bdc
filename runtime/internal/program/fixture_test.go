//go:build unix

package program

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const soon = 20 * time.Second // far more than anything here takes

// folder is a folder that nobody else can write, whatever the umask is.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// write puts a shell script into a folder.
func write(t *testing.T, dir, name, script string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	require.NoError(t, os.Chmod(path, 0o755))
	return path
}

func resolved(t *testing.T, script string) Program {
	t.Helper()
	program, err := Resolve(write(t, folder(t), "program", script), folder(t))
	require.NoError(t, err)
	return program
}

func call(args ...string) Call {
	return Call{Args: args, Dir: "/", Env: Environment(nil), Timeout: soon, MaxOutput: 1 << 16}
}

func refused(t *testing.T, reason Reason, err error) *Error {
	t.Helper()
	var refusal *Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, reason, refusal.Reason, refusal.Error())
	require.NotEmpty(t, refusal.Message)
	require.NotEmpty(t, refusal.Program)
	return refusal
}

// A witness is a pipe that a program and everything it starts keep open. It
// ends when the last of them is dead.
type witness struct {
	path string
	said chan string
	over chan struct{}
}

// hold is what a script begins with to be witnessed, and to say its number.
const hold = `exec 9>"$1"; echo $$ >&9; `

func watch(t *testing.T) *witness {
	t.Helper()
	w := &witness{path: filepath.Join(folder(t), "witness"), said: make(chan string, 16), over: make(chan struct{})}
	require.NoError(t, syscall.Mkfifo(w.path, 0o600))
	go func() {
		defer close(w.over)
		pipe, err := os.Open(w.path)
		if err != nil {
			return
		}
		defer pipe.Close()
		for text, part := "", make([]byte, 64); ; {
			n, err := pipe.Read(part)
			text += string(part[:n])
			for line, rest, whole := strings.Cut(text, "\n"); whole; line, rest, whole = strings.Cut(text, "\n") {
				w.said <- line
				text = rest
			}
			if err == io.EOF {
				return
			}
		}
	}()
	return w
}

// number returns the number of a process that has written it.
func (w *witness) number(t *testing.T) int {
	t.Helper()
	select {
	case line := <-w.said:
		number, err := strconv.Atoi(line)
		require.NoError(t, err)
		return number
	case <-time.After(soon):
		require.Fail(t, "no process has said its number")
		return 0
	}
}

// gone waits until nobody holds the witness.
func (w *witness) gone(t *testing.T) {
	t.Helper()
	select {
	case <-w.over:
	case <-time.After(soon):
		require.Fail(t, "a process is left")
	}
}

// outcome is a run that a test waits for in the background.
type outcome struct {
	result Result
	err    error
}

func start(ctx context.Context, program Program, call Call) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		result, err := Run(ctx, program, call)
		done <- outcome{result, err}
	}()
	return done
}

func wait(t *testing.T, done <-chan outcome) outcome {
	t.Helper()
	select {
	case out := <-done:
		return out
	case <-time.After(soon):
		require.Fail(t, "the run does not end")
		return outcome{}
	}
}
