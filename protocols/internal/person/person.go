// Package person sits at a terminal in the place of a person, for the
// demonstration and the tests: it runs gatewright under a pseudo-terminal and
// answers what it asks.
package person

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// Patience bounds one run.
const Patience = time.Minute

// Answer runs a command, waits until it asks its question, answers it, and
// returns all that stood on the terminal.
func Answer(ctx context.Context, question, answer, name string, args ...string) (shown string, err error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1"}
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Rows: 50, Cols: 110})
	if err != nil {
		return "", fmt.Errorf("start %s at a terminal: %w", name, err)
	}
	defer func() { _ = terminal.Close() }()
	text, asked := new(bytes.Buffer), false
	for part := make([]byte, 4096); ; {
		n, read := terminal.Read(part)
		text.Write(part[:n])
		if !asked && strings.Contains(text.String(), question) {
			asked = true
			if _, err := terminal.WriteString(answer + "\n"); err != nil {
				return text.String(), fmt.Errorf("answer %s: %w", name, err)
			}
		}
		// The other side of a terminal that was closed reads as an error.
		if errors.Is(read, io.EOF) || errors.Is(read, syscall.EIO) {
			break
		}
		if read != nil {
			return text.String(), fmt.Errorf("read what %s shows: %w", name, read)
		}
	}
	shown = strings.ReplaceAll(text.String(), "\r\n", "\n")
	switch err := command.Wait(); {
	case err != nil:
		return shown, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, shown)
	case !asked:
		return shown, fmt.Errorf("%s never asked %q: %s", name, question, shown)
	}
	return shown, nil
}
