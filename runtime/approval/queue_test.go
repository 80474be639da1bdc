package approval

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A client that takes no progress holds up no decision.
func TestProgressThatBlocksHoldsUpNothing(t *testing.T) {
	book, blocked := &kept{request: Request{ID: "A", Status: StatusPending}}, make(chan struct{})
	defer close(blocked)
	got := make(chan Answer, 1)
	go func() {
		answer, _ := Queue{book: func(context.Context) (Book, error) { return book, nil }}.Ask(t.Context(), Inquiry{
			Request: book.request, Hold: time.Millisecond, Progress: func(float64, float64, string) { <-blocked },
		})
		got <- answer
	}()
	select {
	case answer := <-got:
		require.Equal(t, Undecided, answer.Decision)
	case <-time.After(20 * time.Second):
		require.Fail(t, "it waits for the client")
	}
}
