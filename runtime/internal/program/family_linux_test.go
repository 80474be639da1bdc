package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const roleVariable = "GATEWRIGHT_TEST_ROLE"

// TestMain lets the test binary be another process of the story.
func TestMain(m *testing.M) {
	switch role, argument, _ := strings.Cut(os.Getenv(roleVariable), " "); role {
	case "server": // runs a program, and is killed meanwhile
		program, err := Resolve(argument, "/etc")
		if err == nil {
			_, err = Run(context.Background(), program, call(os.Args[1]))
		}
		fmt.Println(err)
		os.Exit(1)
	case "escape": // leaves a process of another session behind
		child := exec.Command("/bin/sh", "-c", hold+"exec sleep 1000", "sh", argument)
		child.Env = []string{"PATH=/usr/bin:/bin"}
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	default:
		os.Exit(m.Run())
	}
}

func TestAProgramDiesWithTheServer(t *testing.T) {
	w := watch(t)
	path := write(t, folder(t), "program", hold+`exec sleep 1000`)
	server := exec.Command(os.Args[0], w.path)
	server.Env = append(os.Environ(), roleVariable+"=server "+path)
	require.NoError(t, server.Start())
	number := w.number(t)
	require.NoError(t, syscall.Kill(number, 0))
	require.NoError(t, server.Process.Kill())
	_ = server.Wait()
	w.gone(t)
}

// A process that leaves the group lives on: that is the limit. It holds up
// nobody, and what was printed beside it does not count.
func TestINV4_AProcessThatLeavesTheGroupFailsTheRun(t *testing.T) {
	w := watch(t)
	c := call()
	c.Env = []string{roleVariable + "=escape " + w.path}
	out := wait(t, start(t.Context(), resolved(t, "exec "+os.Args[0]), c))
	refused(t, Lingering, out.err)
	require.Equal(t, Result{}, out.result)
	require.NoError(t, syscall.Kill(w.number(t), syscall.SIGKILL))
	w.gone(t)
}

// Many at once: threads and numbers of processes are not mixed up.
func TestProgramsRunAtOnce(t *testing.T) {
	program := resolved(t, `cat; sleep 1000 >/dev/null 2>&1 & exit 0`)
	runs := map[string]<-chan outcome{}
	for i := range 24 {
		text := fmt.Sprintf("run %d", i)
		c := call()
		c.Stdin = []byte(text)
		runs[text] = start(t.Context(), program, c)
	}
	for text, done := range runs {
		out := wait(t, done)
		require.NoError(t, out.err)
		require.Equal(t, text, string(out.result.Stdout))
	}
}
