package approval

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// A script is a terminal with somebody at it.
type script struct {
	answer io.Reader
	shown  strings.Builder
	fails  bool
	closed chan struct{}
}

func (s *script) Read(p []byte) (int, error) {
	if s.answer == nil {
		<-s.closed
		return 0, io.EOF
	}
	return s.answer.Read(p)
}

func (s *script) Write(p []byte) (int, error) {
	if s.fails {
		return 0, errors.New("the terminal is gone")
	}
	return s.shown.Write(p)
}

func (s *script) Close() error {
	close(s.closed)
	return nil
}

func at(s *script) *Terminal {
	s.closed = make(chan struct{})
	return &Terminal{open: func() (io.ReadWriteCloser, error) { return s, nil }, flush: func(io.ReadWriteCloser) {}}
}

func ask(arguments string) gate.Ask {
	return gate.Ask{
		Binding: "b", CallID: "ID", Protocol: "greenfield", Digest: "sha256:d", Mode: "implement", Tool: "edit", Actor: "someone", Workspace: "/w",
		Arguments: []byte(arguments), By: []string{TerminalProvider},
	}
}

func TestINV4_OnlyAYesAtTheTerminalIsConsent(t *testing.T) {
	for answer, verdict := range map[string]gate.Verdict{
		"y\n": gate.Approved, "yes\n": gate.Approved, "YES\n": gate.Approved, " y \r\n": gate.Approved,
		"\n": gate.Denied, "n\n": gate.Denied, "no\n": gate.Denied, "yy\n": gate.Denied, "yes please\n": gate.Denied, "true\n": gate.Denied,
		"1\n": gate.Denied, "ｙ\n": gate.Denied, "y\x00\n": gate.Denied, strings.Repeat(" ", 1000) + "y\n": gate.Denied,
		"n\ny\n": gate.Denied, "": gate.Undecided, "y": gate.Undecided, "yes": gate.Undecided,
	} {
		decision, err := at(&script{answer: strings.NewReader(answer)}).Decide(t.Context(), ask(`{}`))
		require.Equal(t, verdict, decision.Verdict, "%q", answer)
		require.Equal(t, verdict == gate.Approved, decision.Binding == "b", "%q", answer)
		require.Equal(t, verdict == gate.Undecided, err != nil, "%q", answer)
	}
}

func TestINV4_ATerminalThatFailsIsANo(t *testing.T) {
	decision, err := at(&script{answer: strings.NewReader("y\n"), fails: true}).Decide(t.Context(), ask(`{}`))
	require.Error(t, err)
	require.NotEqual(t, gate.Approved, decision.Verdict)

	none := &Terminal{open: func() (io.ReadWriteCloser, error) { return nil, errors.New("none") }}
	decision, err = none.Decide(t.Context(), ask(`{}`))
	require.NoError(t, err)
	require.Equal(t, gate.Nobody, decision.Verdict)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	decision, err = at(&script{}).Decide(ctx, ask(`{}`))
	require.ErrorIs(t, err, context.Canceled)
	require.NotEqual(t, gate.Approved, decision.Verdict)
}

// The danger is never after the cut: there is no cut.
func TestTheWholeCallIsShown(t *testing.T) {
	s := &script{answer: strings.NewReader("n\n")}
	long := strings.Repeat("x", 50000)
	_, err := at(s).Decide(t.Context(), ask(`{"path":"a","text":"`+long+`; rm -rf \u001b[2J`+"\u202e"+`"}`))
	require.NoError(t, err)
	shown := s.shown.String()
	for line := range strings.SplitSeq(shown, "\n") {
		require.LessOrEqual(t, len(line), 80)
	}
	shown = strings.ReplaceAll(shown, "\n  : ", "")
	for _, part := range []string{
		"edit", "implement", "greenfield sha256:d", "someone", "/w", "ID",
		"  | {\n  |   \"path\": \"a\",\n", long + `; rm -rf \u001b[2J\u202e"`, "[y/N]",
	} {
		require.Contains(t, shown, part)
	}
}

func TestNobodyRefuses(t *testing.T) {
	decision, err := Nobody{}.Decide(t.Context(), ask(`{}`))
	require.NoError(t, err)
	require.Equal(t, gate.Nobody, decision.Verdict)
	require.Empty(t, decision.Binding)
}
