package approval

import "time"

// Bounds of an approval. A protocol chooses within them; nothing turns them
// off.
const (
	DefaultTTL     = 30 * time.Minute // from the request until it is used
	MinTTL         = time.Minute
	MaxTTL         = 24 * time.Hour
	DefaultHold    = 30 * time.Second // for which a call waits in the queue
	MaxHold        = 5 * time.Minute
	DefaultTimeout = time.Minute // of a provider that answers at once, or of one question through the client
	MaxTimeout     = 10 * time.Minute
)

// Names of providers, as a protocol has them.
const (
	QueueProvider   = "queue"
	ElicitProvider  = "elicit"
	CommandProvider = "command"
)

// A Policy is what a protocol says of the approval of one tool.
type Policy struct {
	By     []Source      // in the order in which they are asked
	TTL    time.Duration // 0 is DefaultTTL
	Hold   time.Duration // negative is no wait at all, 0 is DefaultHold
	Reason string        // why the tool needs one, in the protocol's words
	Show   string        // tool of effect read whose result a person is shown; may be empty
}

// A Source is a provider with its settings.
type Source struct {
	Provider string
	Command  []string      // of CommandProvider: the program and its arguments
	Env      []string      // of CommandProvider: names of the variables that are passed on
	Timeout  time.Duration // of CommandProvider and ElicitProvider; 0 is DefaultTimeout
}
