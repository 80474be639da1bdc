package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// A seat is a terminal with the command running at it.
type seat struct {
	t         *testing.T
	person    *os.File
	cmd       *exec.Cmd
	out, errs bytes.Buffer
	finished  chan struct{}

	turn    sync.Mutex
	screen  *screen
	raw     bytes.Buffer
	changed chan struct{}
}

// sit runs the command at a new terminal of a size. What was typed before it
// starts is in the terminal then.
func sit(t *testing.T, width, height int, before string, args ...string) *seat {
	t.Helper()
	person, process, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(person, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}))
	_, err = person.WriteString(before)
	require.NoError(t, err)
	s := &seat{t: t, person: person, screen: newScreen(width, height), changed: make(chan struct{}, 1), finished: make(chan struct{})}
	s.cmd = exec.CommandContext(t.Context(), "gatewright", append([]string{"approvals"}, args...)...)
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=", "NO_COLOR="+os.Getenv("NO_COLOR"))
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.errs
	s.cmd.ExtraFiles = []*os.File{process}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	require.NoError(t, s.cmd.Start())
	require.NoError(t, process.Close())
	go s.read()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		s.leave()
		_ = person.Close()
	})
	return s
}

func (s *seat) read() {
	for data := make([]byte, 64<<10); ; {
		n, err := s.person.Read(data)
		s.turn.Lock()
		s.screen.write(data[:n])
		s.raw.Write(data[:n])
		s.turn.Unlock()
		select {
		case s.changed <- struct{}{}:
		default:
		}
		if err != nil {
			close(s.finished)
			return
		}
	}
}

func (s *seat) text() string {
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.screen.text()
}

func (s *seat) all() string {
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.raw.String()
}

const patience = 20 * time.Second

// sees waits until the screen shows one of some texts, and returns which.
func (s *seat) sees(texts ...string) string {
	s.t.Helper()
	return s.until(strings.Join(texts, "\n or "), func(shown string) string {
		for _, text := range texts {
			if strings.Contains(shown, text) {
				return text
			}
		}
		return ""
	})
}

// misses waits until the screen no longer shows a text.
func (s *seat) misses(text string) {
	s.t.Helper()
	s.until("no "+text, func(shown string) string {
		if strings.Contains(shown, text) {
			return ""
		}
		return "gone"
	})
}

func (s *seat) until(what string, check func(shown string) string) string {
	s.t.Helper()
	late := time.After(patience)
	for {
		if found := check(s.text()); found != "" {
			return found
		}
		select {
		case <-s.changed:
		case <-late:
			require.FailNow(s.t, "it was never seen", "%s\nin\n%s\n%s", what, s.text(), s.errs.String())
		}
	}
}

func (s *seat) types(keys string) {
	s.t.Helper()
	_, err := s.person.WriteString(keys)
	require.NoError(s.t, err)
}

// asks types a key until the question it leads to is there: just after
// something has moved, a key is not taken.
func (s *seat) asks(key, question string) {
	s.t.Helper()
	const again = "press the key again"
	for {
		s.types(key)
		if s.sees(question, again) == question {
			return
		}
		s.types("z") // which does nothing but take the notice away
		s.misses(again)
	}
}

// answers types an answer and return until it is taken.
func (s *seat) answers(answer, then string) {
	s.t.Helper()
	const again = "press return again"
	s.types(answer)
	for {
		s.types("\r")
		if s.sees(then, again) == then {
			return
		}
		s.types("\t\t") // there and back, which takes the notice away
		s.misses(again)
	}
}

// leave waits for the end, and returns the exit code.
func (s *seat) leave() int {
	<-s.finished
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}
