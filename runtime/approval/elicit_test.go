package approval

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
)

// Consent is a decision that says so, and nothing else is.
func TestINV4_OnlyAnExplicitDecisionInTheFormCounts(t *testing.T) {
	form := func(pairs ...any) map[string]any {
		content := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			content[pairs[i].(string)] = pairs[i+1]
		}
		return content
	}
	for name, c := range map[string]struct {
		reply    Reply
		decision string
		err      error
	}{
		"approve":                {Reply{Action: "accept", Content: form("decision", "approve")}, Approved, nil},
		"approve with a reason":  {Reply{Action: "accept", Content: form("decision", "approve", "reason", "fine")}, Approved, nil},
		"deny":                   {Reply{Action: "accept", Content: form("decision", "deny", "reason", "no tests")}, Denied, nil},
		"a bare accept":          {Reply{Action: "accept"}, "", ErrGarbage},
		"an empty form":          {Reply{Action: "accept", Content: form()}, "", ErrGarbage},
		"a reason alone":         {Reply{Action: "accept", Content: form("reason", "approve")}, "", ErrGarbage},
		"true":                   {Reply{Action: "accept", Content: form("decision", true)}, "", ErrGarbage},
		"a number":               {Reply{Action: "accept", Content: form("decision", 1.0)}, "", ErrGarbage},
		"a list":                 {Reply{Action: "accept", Content: form("decision", []any{"approve"})}, "", ErrGarbage},
		"null":                   {Reply{Action: "accept", Content: form("decision", nil)}, "", ErrGarbage},
		"another case":           {Reply{Action: "accept", Content: form("decision", "Approve")}, "", ErrGarbage},
		"another key":            {Reply{Action: "accept", Content: form("Decision", "approve")}, "", ErrGarbage},
		"one key more":           {Reply{Action: "accept", Content: form("decision", "approve", "confirmed", true)}, "", ErrGarbage},
		"spaces":                 {Reply{Action: "accept", Content: form("decision", "approve ")}, "", ErrGarbage},
		"approved":               {Reply{Action: "accept", Content: form("decision", "approved")}, "", ErrGarbage},
		"yes":                    {Reply{Action: "accept", Content: form("decision", "yes")}, "", ErrGarbage},
		"a reason without end":   {Reply{Action: "accept", Content: form("decision", "approve", "reason", strings.Repeat("x", maxReason+1))}, "", ErrGarbage},
		"a reason not in UTF-8":  {Reply{Action: "accept", Content: form("decision", "approve", "reason", "\xff")}, "", ErrGarbage},
		"decline":                {Reply{Action: "decline", Content: form("decision", "approve")}, "", ErrDeclined},
		"cancel":                 {Reply{Action: "cancel", Content: form("decision", "approve")}, "", ErrDismissed},
		"no action":              {Reply{Content: form("decision", "approve")}, "", ErrGarbage},
		"an action in capitals":  {Reply{Action: "ACCEPT", Content: form("decision", "approve")}, "", ErrGarbage},
		"an action of its own":   {Reply{Action: "approve", Content: form("decision", "approve")}, "", ErrGarbage},
		"the content of another": {Reply{Action: "accept", Content: form("handle", "x")}, "", ErrGarbage},
	} {
		answer, err := read(c.reply)
		require.Equal(t, c.decision, answer.Decision, name)
		if c.err == nil {
			require.NoError(t, err, name)
		} else {
			require.ErrorIs(t, err, c.err, name)
		}
	}
}

func TestTheFormIsASchema(t *testing.T) {
	var schema jsonschema.Schema
	require.NoError(t, schema.UnmarshalJSON([]byte(Form)))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	require.NoError(t, resolved.Validate(map[string]any{"decision": "approve", "reason": "fine"}))
	require.Error(t, resolved.Validate(map[string]any{"reason": "fine"}))
	require.Error(t, resolved.Validate(map[string]any{"decision": "yes"}))
}

// swallows is a client that takes the question and never answers.
type swallows struct{}

func (swallows) Reaches() bool          { return true }
func (swallows) Reply() (*Reply, error) { return nil, nil }

func (swallows) Elicit(ctx context.Context, _ Question) (Reply, error) {
	<-ctx.Done()
	return Reply{}, ctx.Err()
}

// counts is as much of a book as a question needs.
type counts struct{ Book }

func (counts) Put(context.Context, string) (int, error) { return 1, nil }
func (counts) Get(context.Context, string) (Request, error) {
	return Request{Status: StatusPending}, nil
}

func TestINV4_AQuestionThatIsSwallowedIsBounded(t *testing.T) {
	elicit := Elicit{book: func(context.Context) (Book, error) { return counts{}, nil }, wait: time.Millisecond}
	answer, err := elicit.Ask(t.Context(), Inquiry{Client: swallows{}})
	require.ErrorIs(t, err, ErrUnreachable, "the next provider is asked")
	require.ErrorIs(t, err, ErrTimedOut)
	require.Empty(t, answer.Decision)
}
