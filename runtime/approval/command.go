package approval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gatewright/gatewright/runtime/internal/program"
)

// maxPrinted bounds what a program prints, in bytes, on each of its streams.
const maxPrinted = 64 << 10

// A Command asks a program. It reads the request as one JSON document and
// prints its decision as one; request.schema.json and decision.schema.json
// describe them. It counts only if the program then exits with status 0.
type Command struct {
	program     program.Program
	arguments   []string
	environment []string
	timeout     time.Duration
}

// NewCommand finds the program of a source. It refuses one that does not exist,
// that lies in the workspace, or that others could replace.
func NewCommand(source Source, workspace string) (*Command, error) {
	timeout := source.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	switch {
	case source.Provider != CommandProvider:
		return nil, fmt.Errorf("the provider %q is no command", source.Provider)
	case len(source.Command) == 0:
		return nil, errors.New("the provider names no command")
	case timeout < 0 || timeout > MaxTimeout:
		return nil, fmt.Errorf("the timeout of a command is %s, and not between 0 and %s", timeout, MaxTimeout)
	}
	found, err := program.Resolve(source.Command[0], workspace)
	if err != nil {
		return nil, fmt.Errorf("find the program that approves: %w", err)
	}
	return &Command{
		program: found, timeout: timeout, environment: program.Environment(source.Env),
		arguments: append([]string(nil), source.Command[1:]...),
	}, nil
}

// Ask implements [Provider]. The program runs in the root folder, knows the
// workspace from the request alone, and is killed when its time is up.
func (c *Command) Ask(ctx context.Context, inquiry Inquiry) (Answer, error) {
	if c == nil {
		return Answer{}, errors.New("there is no command to ask")
	}
	request, err := written(inquiry.Request)
	if err != nil {
		return Answer{}, fmt.Errorf("write the request for %s: %w", c.program.Path(), err)
	}
	result, err := program.Run(ctx, c.program, program.Call{
		Args: c.arguments, Env: c.environment, Stdin: request, Timeout: c.timeout, MaxOutput: maxPrinted,
		Dir: filepath.VolumeName(c.program.Path()) + string(filepath.Separator),
	})
	failed := new(program.Error)
	switch {
	case errors.As(err, &failed) && failed.Reason == program.TimedOut:
		return Answer{}, fmt.Errorf("%w: %w", ErrTimedOut, err)
	case err != nil:
		return Answer{}, fmt.Errorf("ask a program: %w", err)
	}
	answer, err := decided(result.Stdout)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w: %w", c.program.Path(), errNoDecision, err)
	}
	answer.Approver = c.approver(answer.Approver)
	return answer, nil
}

var errNoDecision = errors.New("what it printed is no decision")

// approver names the program, and whom it names in turn.
func (c *Command) approver(claimed string) string {
	if claimed == "" {
		return "the program " + c.program.Path()
	}
	return fmt.Sprintf("the program %s, in the name of %+q", c.program.Path(), claimed)
}
