package approval

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func pending(arguments string) Request {
	return Request{
		ID: "4f9a21bc", Binding: "sha256:b", Protocol: "greenfield", Digest: "sha256:d", Mode: "review", Tool: "approve", Actor: "ci-bot",
		Session: "12:34", Workspace: "/home/ada/app", Call: "call-1", Arguments: []byte(arguments), Why: "It is read by everybody.",
		By: []string{"queue", "elicit"}, AskedAt: noon.Add(-2 * time.Minute), ExpiresAt: noon.Add(28 * time.Minute), Status: StatusPending,
	}
}

func TestCardShowsTheWholeRequest(t *testing.T) {
	request := pending(`{"big":9007199254740993,"deep":{"a":[1,true,null],"e":{},"n":[]},"path":"a","small":1e-7,"text":"one\n\ttwo\n"}`)
	request.Shown = `{"diff":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same"}`
	used := pending(`{}`)
	used.ID, used.Status, used.DecidedAt, used.UsedAt = "0000aaaa", StatusUsed, noon.Add(-2*time.Minute), noon.Add(-time.Minute)
	require.Equal(t, `request 4f9a21bc
  tool         approve
  mode         review
  protocol     greenfield sha256:d
  actor        ci-bot, which is a claim that nobody has checked
  workspace    /home/ada/app
  why          It is read by everybody.
  asked        2026-12-01T11:58:00Z, 2 minutes ago
  expires      2026-12-01T12:28:00Z, in 28 minutes
  ! another protocol is in force now (sha256:e): an approval of this request lets nothing run
  status       pending
  ! an identical call: approved 2 minutes ago, used 1 minute ago, asked 2 minutes ago (0000aaaa)
arguments, in the words of the caller
  | {
  |   "big": 9007199254740993,
  |   "deep": {
  |     "a": [
  |       1,
  |       true,
  |       null
  |     ],
  |     "e": {},
  |     "n": []
  |   },
  |   "path": "a",
  |   "small": 1e-7,
  |   "text": 3 lines:
  |     > one
  |     > →   two
  |     > 
  | }
what a tool said of the call, 2 minutes ago
  | {
  |   "diff": 6 lines:
  |     > --- a/x
  |     > +++ b/x
  |     > @@ -1 +1 @@
  |     > -old
  |     > +new
  |     >  same
  | }
where it comes from
  session      12:34 (the process that started the server)
  call         call-1
  asked of     queue, then elicit
  binding      sha256:b
  state        /s
`, Card(request, CardOptions{Now: noon, Folder: "/s", InForce: "sha256:e", Identical: []Request{used, request}}))
}

func TestCardKnowsADiff(t *testing.T) {
	kinds := diffKinds(strings.Split("- a list\n--- a\n+++ b\n@@ -1,2 +1 @@ f\n-x\n--- y\n+z\n same\ndiff --git a b\n--- c", "\n"))
	require.Equal(t, []CardKind{
		CardQuoted, CardHunk, CardHunk, CardHunk, CardRemoved, CardRemoved, CardAdded, CardQuoted, CardHunk, CardHunk,
	}, kinds)
}

// hostile is text that would be the card's own, or the prompt, if it could.
const hostile = "a\n  tool         harmless\n  ! nothing to see\nrequest 1\n  | {\n\x1b[2J\x1b[H\r\u202e\u2028\u0085Approve it? [y/N] \v\fy"

func everyField(text string) Request {
	quoted, _ := json.Marshal(text)
	request := pending(`{"` + strings.Trim(string(quoted), `"`) + `":` + string(quoted) + `,"list":[` + string(quoted) + `]}`)
	request.ID, request.Binding, request.Protocol, request.Digest, request.Mode, request.Tool = text, text, text, text, text, text
	request.Actor, request.Session, request.Workspace, request.Call, request.Why, request.By = text, text, text, text, text, []string{text, text}
	request.Provider, request.Approver, request.Reason, request.UsedBy = text, text, text, text
	request.Shown = string(request.Arguments)
	return request
}

// ours are the ways in which a line of a card can start.
func ours(line string) bool {
	for _, start := range []string{
		"  | ", "  : ", "  ! ", "  |", "  :", "      ", "    ", "request ", "arguments, in the words of the caller", "what a tool said of the call", "where it comes from",
		"  tool         ", "  mode         ", "  protocol     ", "  actor        ", "  workspace    ", "  session      ", "  call         ",
		"  why          ", "  asked        ", "  expires      ", "  asked of     ", "  binding      ", "  state        ", "  status       ",
		"  decided by   ", "  reason       ", "  used by      ",
	} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

// Whatever a request holds, at whatever width, none of its text stands where
// only ours may.
func TestINV4_NoTextOfARequestImitatesTheCardOrThePrompt(t *testing.T) {
	for _, text := range []string{hostile, strings.Repeat(" ", 77) + "Approve it? [y/N] ", strings.Repeat("日本", 60) + hostile, strings.Repeat("x", 500)} {
		for _, width := range []int{0, 40, 79, 80, 81, 200} {
			request := everyField(text)
			card := Card(request, CardOptions{Now: noon, Width: width, Folder: text, InForce: "other", Identical: []Request{pending(`{}`), everyField(text + "x")}})
			seen := map[string]int{}
			for line := range strings.SplitSeq(strings.TrimSuffix(card, "\n"), "\n") {
				require.True(t, ours(line), "width %d: %q", width, line)
				label, _, _ := strings.Cut(strings.TrimPrefix(line, "  "), "  ")
				if !strings.HasPrefix(line, "   ") && !strings.HasPrefix(line, "  ! ") && !strings.HasPrefix(line, "  |") && !strings.HasPrefix(line, "  :") {
					seen[label]++
				}
				columns := 0
				for _, r := range line {
					require.True(t, plain(r), "%q in %q", r, line)
					columns += Columns(r)
				}
				if width > 0 {
					require.LessOrEqual(t, columns, width, "%q", line)
				}
			}
			for _, label := range []string{"tool", "actor", "status", "binding"} {
				require.Equal(t, 1, seen[label], "%s at width %d", label, width)
			}
		}
	}
}

func TestCardShowsWhatIsNoJSONAsItIs(t *testing.T) {
	for _, text := range []string{``, `{"a":1`, `{"a":1,"a":2}`, `{} {}`, "{\"a\":\"\xff\"}", `[1,]`, "nope\n  tool  x"} {
		card := Card(pending(text), CardOptions{Now: noon})
		require.Contains(t, card, "! this is not the JSON that it should be", "%q", text)
		for line := range strings.SplitSeq(text, "\n") {
			require.Contains(t, card, "  |   > "+strings.ToValidUTF8(line, "\uFFFD"), "%q", text)
		}
	}
}

func TestCardTellsHiddenCharactersFromTextThatLooksLikeThem(t *testing.T) {
	for text, shown := range map[string]string{
		"a\u202eb":       `a\u202eb`,
		`a\u202eb`:       `a\\u202eb`,
		"a\\\u202eb":     `a\\\u202eb`,
		`C:\dir\users`:   `C:\dir\\users`,
		"→\tx":           `\u2192→ x`,
		"\ta\tb":         "→   a→  b",
		"\x00\U000e0041": `\u0000\udb40\udc41`,
	} {
		require.Equal(t, shown, exact(text))
	}
	require.Contains(t, Card(pending(`{"a":"\u202e","b":"x\ty\n"}`), CardOptions{Now: noon}), "! there is 1 character here that would not show as themselves")
}

// What a card shows of a text of several lines is the text: it can be read back.
func TestCardTextCanBeReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune{'\\', 'u', '→', '\t', ' ', '\u202e', '2', '0', 'e', 'a'}), rapid.Rune())).Draw(t, "text")
		text = strings.NewReplacer("\n", "", "\uFFFD", "").Replace(text)
		require.Equal(t, text, readBack(t, exact(text)))
	})
}

// readBack undoes exact by its own rules.
func readBack(t require.TestingT, shown string) string {
	var text []rune
	in := []rune(shown)
	column := 0
	for i := 0; i < len(in); {
		run := 0
		for i+run < len(in) && in[i+run] == '\\' {
			run++
		}
		switch {
		case run > 0 && i+run < len(in) && in[i+run] == 'u':
			for range run / 2 {
				text = append(text, '\\')
			}
			if run%2 == 0 {
				text = append(text, 'u')
				column += run + 1
				i += run + 1
				continue
			}
			end := i + run + 5
			quoted := `"` + string(in[i+run-1:end]) + `"`
			if high := string(in[i+run+1 : end]); high >= "d800" && high < "dc00" {
				end += 6
				quoted = `"` + string(in[i+run-1:end]) + `"`
			}
			var one string
			require.NoError(t, json.Unmarshal([]byte(quoted), &one))
			text = append(text, []rune(one)...)
			column += end - i
			i = end
		case run > 0:
			text = append(text, in[i:i+run]...)
			column += run
			i += run
		case in[i] == '→':
			text = append(text, '\t')
			step := 4 - column%4
			column += step
			i += step
		default:
			text = append(text, in[i])
			column++
			i++
		}
	}
	return string(text)
}

// No number loses a digit, and no member is left out.
func TestCardIsWholeForAnyJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.MapOf(rapid.String(), rapid.OneOf(
			rapid.Map(rapid.Int64(), func(n int64) any { return json.RawMessage(fmt.Sprintf("%d.%d", n, 12345)) }),
			rapid.Map(rapid.String(), func(s string) any { return s }),
		)).Draw(t, "values")
		arguments, err := json.Marshal(values)
		require.NoError(t, err)
		card := Card(pending(string(arguments)), CardOptions{Now: noon})
		for _, value := range values {
			if number, ok := value.(json.RawMessage); ok {
				require.Contains(t, card, string(number))
			}
		}
		require.NotContains(t, card, "not the JSON")
		for _, r := range card {
			require.True(t, r == '\n' || unicode.IsPrint(r), "%q", r)
		}
	})
}

func TestCardOfDeepNestingStaysNearItsSize(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	require.Less(t, len(Card(pending(deep), CardOptions{Now: noon})), 9000*2*60)
}

func TestFate(t *testing.T) {
	at := func(change func(*Request)) string {
		request := pending(`{}`)
		change(&request)
		return Fate(request, noon)
	}
	require.Equal(t, "pending", at(func(*Request) {}))
	require.Equal(t, "pending, and its time is over", at(func(r *Request) { r.ExpiresAt = noon }))
	require.Equal(t, "timed out 1 minute ago", at(func(r *Request) { r.Status, r.DecidedAt = StatusTimedOut, noon.Add(-time.Minute) }))
	require.Equal(t, "denied in 5 seconds, through queue", at(func(r *Request) {
		r.Status, r.DecidedAt, r.Provider = StatusDenied, noon.Add(5*time.Second), "queue"
	}))
	require.Equal(t, "stale", at(func(r *Request) { r.Status = StatusStale }))
	require.Equal(t, `"\u001b"`, at(func(r *Request) { r.Status = "\x1b" }))
	for span, words := range map[time.Duration]string{
		0: "0 seconds", time.Second: "1 second", 61 * time.Second: "1 minute 1 second", 2 * time.Hour: "2 hours", 25 * time.Hour: "1 day 1 hour",
	} {
		require.Equal(t, words, Span(span))
	}
}

// Whoever decides is told that something is missing, in words and not by its
// absence.
func TestCardSaysWhatIsNotShown(t *testing.T) {
	request := pending(`{"a":1}`)
	request.Shown = NotShown("sum ended in HANDLER_FAILED\x1b[2J")
	card := Card(request, CardOptions{Now: noon})
	require.Contains(t, card, `  ! a tool should say what this call is about, and did not: "sum ended in HANDLER_FAILED\u001b[2J"`+"\n")
	require.NotContains(t, card, "what a tool said")
	require.NotContains(t, card, "not_shown")

	request.Shown = `{"diff":"+everything"}`
	card = Card(request, CardOptions{Now: noon, Brief: true})
	require.NotContains(t, card, "everything")
	require.Contains(t, card, "  ! what a tool said of the call is not shown here: `gatewright approvals show 4f9a21bc` has it\n")

	for _, text := range []string{`{"not_shown":1}`, `{"not_shown":"x","more":1}`, `["not_shown"]`, `{"not_shown":"x"} `, `{}`} {
		request.Shown = text
		require.Contains(t, Card(request, CardOptions{Now: noon}), "what a tool said of the call", text)
	}
}
