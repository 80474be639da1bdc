//go:build unix

package approval

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
)

const commandSoon = 20 * time.Second // far more than anything here takes

// safeFolder is a folder that nobody else can write, whatever the umask is.
func safeFolder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

func decider(t *testing.T, dir, script string) string {
	t.Helper()
	path := filepath.Join(dir, "decide")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	require.NoError(t, os.Chmod(path, 0o755))
	return path
}

func commandOf(t *testing.T, script string, arguments ...string) *Command {
	t.Helper()
	source := Source{Provider: CommandProvider, Command: append([]string{decider(t, safeFolder(t), script)}, arguments...)}
	c, err := NewCommand(source, safeFolder(t))
	require.NoError(t, err)
	return c
}

// commandThatPrints is one of a program that prints exactly this text.
func commandThatPrints(t *testing.T, text, then string) *Command {
	t.Helper()
	file := filepath.Join(safeFolder(t), "text")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return commandOf(t, `cat "$1"; `+then, file)
}

func commandInquiry() Inquiry {
	asked := time.Date(2026, 1, 2, 3, 4, 5, 600, time.FixedZone("", 3600))
	return Inquiry{Call: "later", Request: Request{
		ID: "R1", Binding: "sha256:b", Protocol: "greenfield", Digest: "sha256:d", Mode: "review", Tool: "merge", Actor: "someone",
		Session: "1:2", Workspace: "/w", Call: "C1", Arguments: []byte(`{"a":9007199254740993,"b":"<&>\u001b","c":[1e400,0.10]}`),
		Why: "it cannot be undone", AskedAt: asked, ExpiresAt: asked.Add(time.Hour), Status: StatusPending,
	}}
}

func isNo(t *testing.T, answer Answer, err error, about ...any) {
	t.Helper()
	require.Error(t, err, about...)
	require.Equal(t, Answer{}, answer, about...)
	require.NotErrorIs(t, err, ErrUnreachable, about...)
	require.NotErrorIs(t, err, ErrDeclined, about...)
}

func commandSchema(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var parsed jsonschema.Schema
	require.NoError(t, json.Unmarshal(text, &parsed))
	resolved, err := parsed.Resolve(nil)
	require.NoError(t, err)
	return resolved
}

func TestAProgramDecides(t *testing.T) {
	for text, want := range map[string]Answer{
		`{"decision":"approved"}`:                                                                  {Decision: Approved},
		`{"decision":"denied"}`:                                                                    {Decision: Denied},
		`{"decision":"undecided"}`:                                                                 {Decision: Undecided},
		" \r\n\t{ \"decision\" : \"\\u0061pproved\" }\n\n":                                         {Decision: Approved},
		`{"reason":"looks good\n","decision":"approved","approver":"ada"}`:                         {Decision: Approved, Reason: "looks good\n", Approver: `"ada"`},
		`{"decision":"denied","approver":"` + strings.Repeat("é", 512) + `","reason":""}`:          {Decision: Denied, Approver: `"` + strings.Repeat(`\u00e9`, 512) + `"`},
		`{"decision":"denied","approver":"x\", in the name of \u001b\u202e","reason":"日本"}` + "\n": {Decision: Denied, Approver: `"x\", in the name of \x1b\u202e"`, Reason: "日本"},
	} {
		c := commandThatPrints(t, text, "")
		answer, err := c.Ask(t.Context(), commandInquiry())
		require.NoError(t, err, text)
		named := "the program " + c.program.Path()
		if want.Approver != "" {
			named += ", in the name of " + want.Approver
		}
		want.Approver = named
		require.Equal(t, want, answer, text)

		var document any
		require.NoError(t, json.Unmarshal([]byte(text), &document))
		require.NoError(t, commandSchema(t, "decision.schema.json").Validate(document), text)
	}
}

func TestINV4_AnythingButADecisionIsANo(t *testing.T) {
	const yes = `{"decision":"approved"}`
	for _, text := range []string{
		"", " \n", "null", "true", "42", `"approved"`, "approved", "yes\n", "[]", "[" + yes + "]", "{}", `{"decision":}`, "{",
		yes + yes, yes + "\n" + yes, yes + ",", yes + "x", "log: asking\n" + yes, yes + "\x00", "\xef\xbb\xbf" + yes, "\xff\xfe{\x00}\x00",
		`{"decision":"Approved"}`, `{"decision":"APPROVED"}`, `{"decision":"approve"}`, `{"decision":" approved"}`, `{"decision":"approved\u0000"}`, `{"decision":"yes"}`, `{"decision":""}`,
		`{"decision":true}`, `{"decision":1}`, `{"decision":null}`, `{"decision":["approved"]}`, `{"decision":{"approved":true}}`,
		`{"Decision":"approved"}`, `{"DECISION":"approved"}`, `{"decisi\u006fn":"denied","decision":"approved"}`, `{"ſ":1,"decision":"approved"}`,
		`{"decision":"denied","decision":"approved"}`, `{"decision":"approved","decision":"approved"}`, `{"decision":"approved","Decision":"denied"}`,
		`{"decision":"approved","note":"x"}`, `{"decision":"approved","approved":true}`, `{"decision":"approved","":""}`,
		`{"decision":"approved","approver":null}`, `{"decision":"approved","reason":null}`, `{"decision":"approved","approver":1}`, `{"decision":"approved","reason":["x"]}`,
		"{\"decision\":\"approved\",\"reason\":\"\xff\"}", "{\"decision\":\"approved\",\"reason\":\"\xed\xa0\x80\"}", `{"decision":"approved","reason":"\ud800"}`, "{\"decision\":\"approved\",\"reason\":\"a\nb\"}",
		`{"decision":"approved","reason":"` + strings.Repeat("x", 1025) + `"}`, `{"decision":"approved","approver":"` + strings.Repeat("é", 513) + `"}`,
		`{'decision':'approved'}`, `{decision:"approved"}`, `{"decision":"approved",}`, `{"decision":"approved"} // sure`, "<html>approved</html>",
		`{"reason":` + strings.Repeat("[", 20000), "{\"decision\":\"approved\"}\u00a0", "{\"decision\":\"approved\"}\v",
	} {
		answer, err := decided([]byte(text))
		require.Error(t, err, "%.80q", text)
		require.Equal(t, Answer{}, answer, "%.80q", text)
	}
	for _, text := range []string{"", "approved", yes + yes, `{"decision":"denied","decision":"approved"}`, yes + strings.Repeat(" ", maxPrinted)} {
		answer, err := commandThatPrints(t, text, "").Ask(t.Context(), commandInquiry())
		isNo(t, answer, err, "%.80q", text)
	}
}

// Whatever is taken for a decision is one by the schema, too.
func FuzzINV4_ADecisionFitsItsSchema(f *testing.F) {
	f.Add([]byte(`{"decision":"approved","approver":"ada","reason":"r"}`))
	f.Add([]byte(`{"decision":"denied","Reason":null}`))
	text, err := os.ReadFile("decision.schema.json")
	require.NoError(f, err)
	var parsed jsonschema.Schema
	require.NoError(f, json.Unmarshal(text, &parsed))
	fits, err := parsed.Resolve(nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text []byte) {
		answer, err := decided(text)
		if err != nil {
			require.Equal(t, Answer{}, answer)
			return
		}
		var document any
		require.NoError(t, json.Unmarshal(text, &document))
		require.NoError(t, fits.Validate(document))
		require.Equal(t, document.(map[string]any)["decision"], answer.Decision)
	})
}

func TestINV4_ADecisionDoesNotCountIfItsProgramFails(t *testing.T) {
	const yes = `{"decision":"approved"}`
	for _, then := range []string{"exit 1", "exit 255", "kill -9 $$", "kill -TERM $$", "kill -PIPE $$", "head -c 70000 /dev/zero", "head -c 70000 /dev/zero >&2", "exec /nowhere"} {
		answer, err := commandThatPrints(t, yes, then).Ask(t.Context(), commandInquiry())
		isNo(t, answer, err, then)
		require.NotErrorIs(t, err, ErrTimedOut, then)
	}
	answer, err := commandThatPrints(t, yes, "sleep 1000 & exit 0").Ask(t.Context(), commandInquiry())
	require.NoError(t, err, "what it leaves behind is killed, and holds up nobody")
	require.Equal(t, Approved, answer.Decision)
}

// askedMeanwhile is an Ask in the background, of a program that has said its number.
func askedMeanwhile(ctx context.Context, t *testing.T, c *Command, said string) (number int, wait func() (Answer, error)) {
	t.Helper()
	type outcome struct {
		answer Answer
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		answer, err := c.Ask(ctx, commandInquiry())
		done <- outcome{answer, err}
	}()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(said)
		if err != nil || !strings.HasSuffix(string(text), "\n") {
			return false
		}
		number, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	}, commandSoon, 5*time.Millisecond)
	return number, func() (Answer, error) {
		select {
		case out := <-done:
			return out.answer, out.err
		case <-time.After(commandSoon):
			require.Fail(t, "the program holds up the call")
			return Answer{}, nil
		}
	}
}

func TestINV4_AProgramKilledWhileItWaitsIsANo(t *testing.T) {
	said := filepath.Join(safeFolder(t), "said")
	number, wait := askedMeanwhile(t.Context(), t, commandOf(t, `echo '{"decision":"approved"}'; echo $$ >"$1"; sleep 1000`, said), said)
	require.NoError(t, syscall.Kill(number, syscall.SIGKILL))
	answer, err := wait()
	isNo(t, answer, err)
}

func TestINV4_ACallThatIsCancelledIsANo(t *testing.T) {
	said := filepath.Join(safeFolder(t), "said")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, wait := askedMeanwhile(ctx, t, commandOf(t, `echo '{"decision":"approved"}'; echo $$ >"$1"; sleep 1000`, said), said)
	gone := errors.New("the client has gone")
	cancel(gone)
	answer, err := wait()
	isNo(t, answer, err)
	require.ErrorIs(t, err, gone)
}

func TestINV4_AProgramThatTakesTooLongHasTimedOut(t *testing.T) {
	for _, script := range []string{
		`echo '{"decision":"approved"}'; exec sleep 1000`,
		`trap '' TERM; echo '{"decision":"approved"}'; while :; do sleep 1; done`,
		`trap 'exit 0' TERM; echo '{"decision":"approved"}'; sleep 1000 & wait`,
		`exec <&- >&- 2>&-; exec sleep 1000`,
	} {
		source := Source{Provider: CommandProvider, Command: []string{decider(t, safeFolder(t), script)}, Timeout: 300 * time.Millisecond}
		c, err := NewCommand(source, safeFolder(t))
		require.NoError(t, err)
		answer, err := c.Ask(t.Context(), commandInquiry())
		isNo(t, answer, err, script)
		require.ErrorIs(t, err, ErrTimedOut, script)
	}
}

func TestINV4_AProgramThatChangedIsNotAsked(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"written over": func(path string) error {
			return os.WriteFile(path, []byte("#!/bin/sh\necho '{\"decision\":\"approved\"}'\n"), 0o755)
		},
		"removed":     os.Remove,
		"opened":      func(path string) error { return os.Chmod(path, 0o777) },
		"made a file": func(path string) error { return os.Chmod(path, 0o644) },
		"its folder opened": func(path string) error {
			return os.Chmod(filepath.Dir(path), 0o777)
		},
	} {
		c := commandThatPrints(t, `{"decision":"approved"}`, "")
		answer, err := c.Ask(t.Context(), commandInquiry())
		require.NoError(t, err)
		require.Equal(t, Approved, answer.Decision)
		require.NoError(t, change(c.program.Path()))
		answer, err = c.Ask(t.Context(), commandInquiry())
		isNo(t, answer, err, name)
	}
}

func TestINV4_ACommandThatCannotBeAskedIsNotMade(t *testing.T) {
	dir, workspace := safeFolder(t), safeFolder(t)
	path := decider(t, dir, `echo '{"decision":"approved"}'`)
	inside := decider(t, workspace, `echo '{"decision":"approved"}'`)
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(inside, link))
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o644))
	open := filepath.Join(dir, "open")
	require.NoError(t, os.WriteFile(open, []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.Chmod(open, 0o757))
	t.Setenv("PATH", dir+":"+workspace)

	_, err := NewCommand(Source{Provider: CommandProvider, Command: []string{"decide"}}, workspace)
	require.NoError(t, err)
	for name, source := range map[string]Source{
		"another provider": {Provider: QueueProvider, Command: []string{path}},
		"no command":       {Provider: CommandProvider},
		"an empty one":     {Provider: CommandProvider, Command: []string{""}},
		"missing":          {Provider: CommandProvider, Command: []string{filepath.Join(dir, "missing")}},
		"not in PATH":      {Provider: CommandProvider, Command: []string{"gatewright-missing"}},
		"relative":         {Provider: CommandProvider, Command: []string{"./decide"}},
		"not executable":   {Provider: CommandProvider, Command: []string{plain}},
		"in the workspace": {Provider: CommandProvider, Command: []string{inside}},
		"through a link":   {Provider: CommandProvider, Command: []string{link}},
		"open to others":   {Provider: CommandProvider, Command: []string{open}},
		"negative timeout": {Provider: CommandProvider, Command: []string{path}, Timeout: -1},
		"long timeout":     {Provider: CommandProvider, Command: []string{path}, Timeout: MaxTimeout + 1},
	} {
		c, err := NewCommand(source, workspace)
		require.Error(t, err, name)
		require.Nil(t, c, name)
	}
	for _, c := range []*Command{nil, {}} {
		answer, err := c.Ask(t.Context(), commandInquiry())
		isNo(t, answer, err)
	}
}
