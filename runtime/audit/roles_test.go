//go:build unix

package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// The test binary runs itself again where a test needs other processes.
func TestMain(m *testing.M) {
	if role := os.Getenv("AUDIT_TEST_ROLE"); role != "" {
		if err := play(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child prepares a process that plays a role on a folder.
func child(folder *state.Folder, role string, args ...string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "AUDIT_TEST_ROLE="+role, "AUDIT_TEST_DIR="+folder.Path(), "AUDIT_TEST_WORKSPACE="+folder.Workspace())
	for i, arg := range args {
		command.Env = append(command.Env, "AUDIT_TEST_ARG"+strconv.Itoa(i)+"="+arg)
	}
	command.Stderr = os.Stderr
	return command
}

// play is what a child process does.
func play(role string) error {
	folder, err := state.Open(state.Options{Dir: os.Getenv("AUDIT_TEST_DIR"), Protocol: "sample", Workspace: os.Getenv("AUDIT_TEST_WORKSPACE")})
	if err != nil {
		return err
	}
	argument := os.Getenv("AUDIT_TEST_ARG0")
	switch role {
	case "append":
		n, _ := strconv.Atoi(argument)
		return appendConcurrently(folder, n)
	case "open":
		log, err := Open(context.Background(), folder, options(argument))
		if err != nil {
			return err
		}
		return log.Close(context.Background())
	case "endless":
		return appendEndlessly(folder)
	case "rotate":
		return rotateEndlessly(folder)
	case "hold":
		return holdLock(folder)
	case "small":
		return appendUntilFull(folder)
	}
	return fmt.Errorf("no role %q", role)
}

func appendConcurrently(folder *state.Folder, n int) error {
	log, err := Open(context.Background(), folder, options(digestA))
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	failed := make(chan error, 2*n)
	for i := range n {
		all.Go(func() {
			id, effect := fmt.Sprintf("%d-%d", os.Getpid(), i), gate.Read
			if i%4 == 0 {
				effect = gate.Write
			}
			failed <- log.Admit(context.Background(), call(id, effect))
			failed <- log.Record(context.Background(), result(id, effect))
		})
	}
	all.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return log.Close(context.Background())
}

// appendEndlessly prints the id of each write after it was admitted.
func appendEndlessly(folder *state.Folder) error {
	log, err := Open(context.Background(), folder, options(digestA))
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		id := fmt.Sprintf("%d-%d", os.Getpid(), i)
		if err := log.Admit(context.Background(), call(id, gate.Write)); err != nil {
			return err
		}
		fmt.Println(id)
		if err := log.Record(context.Background(), result(id, gate.Write)); err != nil {
			return err
		}
	}
}

// rotateEndlessly says when it begins.
func rotateEndlessly(folder *state.Folder) error {
	fmt.Println("begins")
	for {
		if _, err := Rotate(context.Background(), folder, "ada", "1:2"); err != nil {
			return err
		}
	}
}

// holdLock takes the lock, says so, and keeps it until its input ends.
func holdLock(folder *state.Folder) error {
	held, err := newLock(folder)
	if err != nil {
		return err
	}
	if err := held.acquire(context.Background(), time.Time{}); err != nil {
		return err
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// appendUntilFull appends where no file may grow beyond 4 KiB.
func appendUntilFull(folder *state.Folder) error {
	log, err := Open(context.Background(), folder, options(digestA))
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
		return err
	}
	for i := range 100 {
		if err = log.Admit(context.Background(), call(strconv.Itoa(i), gate.Write)); err != nil {
			break
		}
	}
	if !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("the log did not fill: %w", err)
	}
	if err := log.Admit(context.Background(), call("again", gate.Read)); !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("a full log took an entry: %w", err)
	}
	return log.Close(context.Background())
}
