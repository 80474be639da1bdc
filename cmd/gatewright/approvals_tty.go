package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// openTTY opens the terminal that controls this process, which is not its
// standard input.
func openTTY() (*os.File, error) {
	terminal, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if !term.IsTerminal(int(terminal.Fd())) {
		return nil, errors.Join(errors.New("/dev/tty is not a terminal"), terminal.Close())
	}
	return terminal, nil
}

// columnsOf is how wide a terminal is. One that does not tell is taken for a
// narrow one: lines broken early do no harm.
func columnsOf(terminal *os.File) int {
	width, _, err := term.GetSize(int(terminal.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// readLine reads one line of at most so many bytes, until ctx ends. Closing the
// terminal ends a read that nobody waits for any more.
func readLine(ctx context.Context, terminal io.Reader, most int) (string, error) {
	type line struct {
		text string
		err  error
	}
	got := make(chan line, 1)
	go func() {
		text, err := untilNewLine(terminal, most)
		got <- line{text, err}
	}()
	select {
	case l := <-got:
		return l.text, l.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func untilNewLine(terminal io.Reader, most int) (string, error) {
	var text []byte
	for one := make([]byte, 1); len(text) <= most; {
		n, err := terminal.Read(one)
		switch {
		case n == 1 && one[0] == '\n':
			return strings.TrimSpace(string(text)), nil
		case n == 1:
			text = append(text, one[0])
		case err != nil:
			return "", err
		}
	}
	return "", errors.New("it is too long")
}
