package greenfield

import (
	"context"
	"time"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/trial"
)

// Bounds of run_tests, in bytes and seconds.
const (
	headOfOutput = 16 << 10
	tailOfOutput = 112 << 10
	testSeconds  = 300
)

// RunTests is the handler of the tool run_tests.
func RunTests[Permit greenfield.RunTestsPermit](ctx context.Context, permit Permit, in greenfield.RunTestsInput) (greenfield.RunTestsOutput, error) {
	writer, err := greenfield.Use(permit, repository)
	if err != nil {
		return greenfield.RunTestsOutput{}, err
	}
	commit, err := named(ctx, writer.Repository, nil, in.Commit)
	if err != nil {
		return greenfield.RunTestsOutput{}, err
	}
	seconds := int64(testSeconds)
	if in.Seconds != nil {
		seconds = *in.Seconds
	}
	done, err := writer.Test(ctx, commit, trial.Bounds{Time: time.Duration(seconds) * time.Second, Head: headOfOutput, Tail: tailOfOutput})
	if err != nil {
		return greenfield.RunTestsOutput{}, err
	}
	return greenfield.RunTestsOutput{
		Commit: done.Commit, Outcome: outcome(done.Result), ExitCode: int64(done.Code), Command: done.Command,
		Output: done.Output, LeftOut: done.Left, Milliseconds: done.Took.Milliseconds(),
	}, nil
}

func outcome(result trial.Result) greenfield.RunTestsOutputOutcome {
	switch {
	case result.TimedOut:
		return greenfield.RunTestsOutputOutcomeTimedOut
	case result.Code == 0:
		return greenfield.RunTestsOutputOutcomePassed
	}
	return greenfield.RunTestsOutputOutcomeFailed
}
