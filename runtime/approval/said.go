package approval

import (
	"errors"
	"strings"

	"github.com/gatewright/gatewright/runtime/internal/program"
)

// A because is the reason of an error in words of ours, which everybody may
// read.
type because string

func (b because) Error() string { return string(b) }

// said is what the agent, the store and the log get to know of the error of a
// provider. What a program prints, a client answers and the system says about
// paths is for the log of the server alone.
func said(err error) string {
	if failed, ok := errors.AsType[*program.Error](err); ok {
		return "the program that decides: " + strings.ReplaceAll(string(failed.Reason), "_", " ")
	}
	if reason, ok := errors.AsType[because](err); ok {
		return string(reason)
	}
	for _, known := range []error{ErrTimedOut, ErrDeclined, ErrDismissed, ErrGarbage, errNoDecision, ErrUnreachable} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "the provider failed"
}
