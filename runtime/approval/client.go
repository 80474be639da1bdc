package approval

import (
	"context"
	"time"
)

// A Client is how a question reaches whoever started a call, through the MCP
// client. There is one for each call.
type Client interface {
	// Reaches reports whether the client says that it takes questions with a
	// form.
	Reaches() bool
	// Elicit puts a question and waits for the answer until ctx ends. In an era
	// of MCP in which a server cannot, it returns [ErrLater], and the question
	// has to be the result of the call.
	Elicit(ctx context.Context, question Question) (Reply, error)
	// Reply returns the answer that came with this call; nil where none did. An
	// answer to anything but a question of this server is an error.
	Reply() (*Reply, error)
}

// A Question is what a client shows to a person.
type Question struct {
	Message string // plain text, foreign parts of it made visible
	State   State  // comes back with the answer
}

// A Reply is a client's answer to a [Question].
type Reply struct {
	Action  string         // accept, decline or cancel, as the client says
	Content map[string]any // of the form
	State   State          // of the question
}

// A State says which question an answer belongs to. It travels through the
// client, signed; see [Signer].
type State struct {
	ID        string    `json:"id"`      // of the request
	Binding   string    `json:"binding"` // of the request
	Call      string    `json:"call"`    // id of the call that asks
	Round     int       `json:"round"`   // number of the question
	ExpiresAt time.Time `json:"expires_at"`
}

// Errors of a client.
const (
	ErrLater   clientError = "the client answers with another call"
	ErrGarbage clientError = "the client answered with something that is no answer"
)

type clientError string

func (e clientError) Error() string { return string(e) }
