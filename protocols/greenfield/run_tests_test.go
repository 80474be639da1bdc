package greenfield_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/runtime/gate"
)

func TestRunTests(t *testing.T) {
	folder := scratch(t)
	kit, ctx := newKit(t, folder), t.Context()
	implement := kit.Implement(t)
	main := git(t, folder, "rev-parse", "HEAD")
	_, err := implement.RunTests(ctx, greenfield.RunTestsInput{})
	refused(t, err, "NO_WORK_BRANCH")
	_, err = implement.RunTests(ctx, greenfield.RunTestsInput{Commit: &main})
	refused(t, err, "NO_TEST_COMMAND")
	_, err = implement.RunTests(ctx, greenfield.RunTestsInput{Commit: &main, Seconds: new(int64(3600))})
	refused(t, err, gate.ArgumentsInvalid)

	write(t, folder, ".gatewright/tests", "grep\n-c\neverybody\nhello.txt\n")
	git(t, folder, "add", "-A")
	git(t, folder, "commit", "-qm", "tests")
	main = git(t, folder, "rev-parse", "HEAD")
	ran, err := implement.RunTests(ctx, greenfield.RunTestsInput{Commit: &main})
	require.NoError(t, err)
	require.Equal(t, greenfield.RunTestsOutputOutcomeFailed, ran.Outcome)
	require.EqualValues(t, 1, ran.ExitCode)
	committed := changed(t, kit)
	ran, err = implement.RunTests(ctx, greenfield.RunTestsInput{})
	require.NoError(t, err)
	require.Equal(t, greenfield.RunTestsOutputOutcomePassed, ran.Outcome)
	require.Equal(t, "1\n", ran.Output)
	require.Equal(t, committed.Commit, ran.Commit)
	require.Equal(t, []string{"grep", "-c", "everybody", "hello.txt"}, ran.Command)

	write(t, folder, ".gatewright/tests", "sleep\n60\n")
	git(t, folder, "add", "-A")
	git(t, folder, "commit", "-qm", "slow tests")
	slow := git(t, folder, "rev-parse", "HEAD")
	git(t, folder, "update-ref", "refs/heads/main", slow)
	ran, err = implement.RunTests(ctx, greenfield.RunTestsInput{Commit: &slow, Seconds: new(int64(1))})
	require.NoError(t, err)
	require.Equal(t, greenfield.RunTestsOutputOutcomeTimedOut, ran.Outcome)
}
