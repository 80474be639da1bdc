package stdio

import (
	"fmt"
	"os"
)

// Streams are the standard input and output of the process, put where nothing
// else reads or writes.
type Streams struct {
	In  *os.File
	Out *os.File
}

// Protect keeps the standard streams for the caller. From then on the standard
// input of this process and of its children is empty, and what anything writes
// to standard output goes to standard error: a handler that prints must not be
// able to write to the client. It is to be called once, before other code runs.
func Protect() (Streams, error) {
	streams, err := protect()
	if err != nil {
		return Streams{}, fmt.Errorf("protect the standard streams: %w", err)
	}
	return streams, nil
}
