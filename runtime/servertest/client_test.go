package servertest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/server"
	"github.com/gatewright/gatewright/runtime/servertest"
)

type addInput struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}

type addOutput struct {
	Sum int64 `json:"sum"`
}

// key is the protocol's.
var key = gate.NewKey("sums")

func mode() server.Mode {
	add := func(ctx context.Context, grant *gate.Grant, _ any, in addInput) (addOutput, error) {
		call, err := gate.Open(key, grant)
		if err != nil {
			return addOutput{}, err
		}
		call.Progress(1, 2, "adding")
		if in.A == 13 {
			return addOutput{}, &gate.Failure{Code: "UNLUCKY", Message: "13 is refused", Next: "Take 12.", Retryable: true}
		}
		return addOutput{Sum: in.A + in.B}, nil
	}
	return server.Mode{
		Key: key, Protocol: "sums", Version: "1.0.0", Digest: "sha256:00", Mode: "count",
		Tools: []server.Tool{{
			Name: "add", Effect: gate.Read,
			Input:   `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}`,
			Output:  `{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false}`,
			Handler: server.Func[addInput, addOutput]{Run: add},
		}},
		Foreign: []gate.Foreign{{Name: "merge", Exclusive: true, Modes: []string{"review"}}},
	}
}

func TestCallInBothEras(t *testing.T) {
	for _, version := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			client := servertest.Start(t, mode(), servertest.Options{ProtocolVersion: version})
			out, err := servertest.Call[addInput, addOutput](t.Context(), client, "add", addInput{A: 1 << 60, B: 1})
			require.NoError(t, err)
			require.Equal(t, addOutput{Sum: 1<<60 + 1}, out)

			names, err := client.Tools(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{"add"}, names)

			_, err = servertest.Call[addInput, addOutput](t.Context(), client, "add", addInput{A: 13})
			refusal := new(gate.Refusal)
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, gate.Refusal{Code: "UNLUCKY", Message: "13 is refused", Next: "Take 12.", Retryable: true}, *refusal)

			require.ErrorAs(t, servertest.Do(t.Context(), client, "merge", struct{}{}), &refusal)
			require.Equal(t, gate.ToolNotInMode, refusal.Code)
			require.ErrorAs(t, servertest.Do(t.Context(), client, "nothing", struct{}{}), &refusal)
			require.Equal(t, gate.UnknownTool, refusal.Code)
		})
	}
}

func TestTheKitRefusesToRunOutsideATest(t *testing.T) {
	output, err := exec.Command("go", "run", "./testdata/outside").CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Equal(t, "refused: servertest is for tests\n", string(output))
}

func TestServersThatShareAStateFolderShareTheLog(t *testing.T) {
	options := servertest.Options{StateDir: t.TempDir(), Workspace: t.TempDir()}
	first, second := servertest.Start(t, mode(), options), servertest.Start(t, mode(), options)
	require.Equal(t, first.StateDir(), second.StateDir())
	for _, client := range []*servertest.Client{first, second} {
		_, err := servertest.Call[addInput, addOutput](t.Context(), client, "add", addInput{A: 1})
		require.NoError(t, err)
		require.NoError(t, client.Close())
	}
	file, err := os.Open(filepath.Join(first.StateDir(), audit.FileName))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	report, err := audit.Verify(file)
	require.NoError(t, err)
	require.EqualValues(t, 5, report.Entries) // the pin, and two of each call
}

func TestProgressReachesTheTest(t *testing.T) {
	client := servertest.Start(t, mode(), servertest.Options{})
	told := make(chan string, 1)
	ctx := servertest.WithProgress(t.Context(), func(_, _ float64, message string) { told <- message })
	_, err := servertest.Call[addInput, addOutput](ctx, client, "add", addInput{A: 1})
	require.NoError(t, err)
	require.Equal(t, "adding", <-told)
}

func TestOnlyTemporaryFoldersAreWorkedOn(t *testing.T) {
	require.Panics(t, func() { servertest.Start(t, mode(), servertest.Options{Workspace: "/"}) })
	require.Panics(t, func() {
		servertest.Start(t, mode(), servertest.Options{Workspace: filepath.Join(t.TempDir(), "..", "..", "..")})
	})
}
