package approval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/gatewright/gatewright/runtime/gate"
)

// TerminalProvider is the name of [Terminal] among providers.
const TerminalProvider = "terminal"

const (
	maxWait   = 30 * time.Minute
	maxAnswer = 256 // bytes

	usualWidth = 80 // columns, where nothing says how wide something is
)

// A Terminal asks at the terminal that controls this process, which is not its
// standard input. That somebody answers there proves no person, only a
// terminal.
type Terminal struct {
	open  func() (io.ReadWriteCloser, error)
	flush func(io.ReadWriteCloser) // drops what was typed before the question
}

// NewTerminal returns the terminal of this process.
func NewTerminal() *Terminal { return &Terminal{open: openTerminal, flush: flushTerminal} }

// Decide implements gate.Approver for a tool whose protocol asks for no
// approval. It shows the whole call and takes "y" or "yes" for consent;
// anything else, and the end of the input, is a no.
func (t *Terminal) Decide(ctx context.Context, ask gate.Ask) (gate.Decision, error) {
	decision, err := t.confirm(ctx, carded(fresh(ask, Policy{}), nil), "Run this?")
	if decision.Verdict == gate.Approved {
		decision.Binding = ask.Binding
	}
	return decision, err
}

// Claim implements gate.Approver. What was answered at the terminal was asked
// by this very call, and is kept nowhere, so there is nothing to use up.
func (t *Terminal) Claim(_ context.Context, ask gate.Ask, _ string) (gate.Decision, error) {
	return gate.Decision{Verdict: gate.Approved, Binding: ask.Binding, Provider: TerminalProvider, Approver: approver()}, nil
}

// Ask implements [Provider].
func (t *Terminal) Ask(ctx context.Context, inquiry Inquiry) (Answer, error) {
	decision, err := t.confirm(ctx, carded(inquiry.Request, inquiry.Identical), "Run this?")
	answer := Answer{Approver: decision.Approver, Reason: decision.Reason}
	switch {
	case err != nil:
		return Answer{}, err
	case decision.Verdict == gate.Nobody:
		return Answer{}, fmt.Errorf("%w: %s", ErrUnreachable, decision.Reason)
	case decision.Verdict == gate.TimedOut:
		return Answer{}, fmt.Errorf("%w: %s", ErrTimedOut, decision.Reason)
	case decision.Verdict == gate.Approved:
		answer.Decision = Approved
		if here, ok := inquiry.Client.(*seat); ok {
			here.confirmed = true
		}
	default:
		answer.Decision = Denied
	}
	return answer, nil
}

// carded is the card of a request, for a terminal of some width.
func carded(request Request, identical []Request) func(width int) string {
	return func(width int) string {
		return "\n" + Card(request, CardOptions{Now: time.Now(), Width: width, Identical: identical})
	}
}

// widthOf is how wide a terminal is, in columns. One that does not tell is
// taken for a narrow one: lines broken early do no harm.
func widthOf(terminal io.ReadWriteCloser) int {
	if file, ok := terminal.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return usualWidth
}

func approver() string { return fmt.Sprintf("uid %d", os.Getuid()) }

// Confirm shows a text and asks one question about it, as [Terminal.Decide]
// does. The text goes to the terminal as it is: whoever makes it has to make
// foreign parts of it visible. Without a terminal the verdict is gate.Nobody.
func (t *Terminal) Confirm(ctx context.Context, text, question string) (gate.Decision, error) {
	return t.confirm(ctx, func(int) string { return text }, question)
}

func (t *Terminal) confirm(ctx context.Context, text func(width int) string, question string) (gate.Decision, error) {
	decision := gate.Decision{Provider: TerminalProvider, Approver: approver()}
	terminal, err := t.open()
	if err != nil {
		return gate.Decision{Verdict: gate.Nobody, Provider: TerminalProvider, Reason: "there is no terminal to ask at"}, nil
	}
	defer func() { _ = terminal.Close() }()
	ctx, cancel := context.WithTimeoutCause(ctx, maxWait, errWaited)
	defer cancel()

	if _, err := io.WriteString(terminal, text(widthOf(terminal))); err != nil {
		return decision, fmt.Errorf("show what is asked about: %w", err)
	}
	t.flush(terminal)
	if _, err := io.WriteString(terminal, "\n"+question+" [y/N] "); err != nil {
		return decision, fmt.Errorf("ask: %w", err)
	}
	answer, err := readAnswer(ctx, terminal)
	switch {
	case errors.Is(context.Cause(ctx), errWaited):
		decision.Verdict, decision.Reason = gate.TimedOut, errWaited.Error()
	case err != nil:
		return decision, fmt.Errorf("read the answer: %w", err)
	case answer == "y" || answer == "yes":
		decision.Verdict = gate.Approved
	default:
		decision.Verdict, decision.Reason = gate.Denied, "the answer at the terminal was no"
	}
	return decision, nil
}

var errWaited = fmt.Errorf("nobody answered at the terminal within %s", maxWait)

// readAnswer reads one line. Closing the terminal ends a read that nobody
// waits for any more.
func readAnswer(ctx context.Context, terminal io.ReadWriteCloser) (string, error) {
	type line struct {
		text string
		err  error
	}
	got := make(chan line, 1)
	go func() {
		text, err := readLine(terminal)
		got <- line{text, err}
	}()
	select {
	case l := <-got:
		return l.text, l.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func readLine(r io.Reader) (string, error) {
	var text []byte
	for one := make([]byte, 1); len(text) < maxAnswer; {
		n, err := r.Read(one)
		switch {
		case n == 1 && one[0] == '\n':
			return strings.ToLower(strings.TrimSpace(string(text))), nil
		case n == 1:
			text = append(text, one[0])
		case err != nil:
			return "", err
		}
	}
	return "", nil // longer than any consent
}
