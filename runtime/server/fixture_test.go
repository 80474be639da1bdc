package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/server"
)

// runAs makes the test binary the binary of a mode.
const runAs = "GATEWRIGHT_TEST_RUN_AS_MODE"

func TestMain(m *testing.M) {
	switch os.Getenv(runAs) {
	case "":
	case "review":
		os.Exit(server.Main(review()))
	case "imports":
		os.Exit(server.Main(imports()))
	case "releases":
		os.Exit(server.Main(releases()))
	default:
		os.Exit(server.Main(fixture()))
	}
	os.Exit(m.Run())
}

type (
	addInput struct {
		A int64 `json:"a"`
		B int64 `json:"b,omitzero"`
	}
	addOutput struct {
		Sum int64 `json:"sum"`
	}
	noteInput struct {
		Path string          `json:"path"`
		Text string          `json:"text,omitzero"`
		Meta json.RawMessage `json:"meta,omitzero"`
	}
	empty    struct{}
	rawInput struct {
		Value json.RawMessage `json:"value"`
	}
	rawOutput struct {
		Value json.RawMessage `json:"value"`
	}
)

const (
	addSchema   = `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a"],"additionalProperties":false}`
	sumSchema   = `{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false}`
	noteSchema  = `{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"},"meta":{}},"required":["path"],"additionalProperties":false}`
	emptySchema = `{"type":"object","properties":{},"additionalProperties":false}`
	rawSchema   = `{"type":"object","properties":{"value":{}},"required":["value"],"additionalProperties":false}`
)

// key is the fixture's. A generated protocol keeps its key the same way.
var key = gate.NewKey("fixture")

// fixture is a mode whose tools behave, and others that do not.
func fixture() server.Mode {
	return server.Mode{
		Key: key, Protocol: "fixture", Version: "1.2.3", Digest: "sha256:f1", Mode: "work",
		Description: "Does the work.",
		Tools: []server.Tool{
			{Name: "add", Description: "Adds.", Effect: gate.Read, Input: addSchema, Output: sumSchema,
				Handler: server.Func[addInput, addOutput]{Run: add}},
			{Name: "note", Description: "Writes a note.", Effect: gate.Write, Input: noteSchema, Record: []string{"/path"},
				Handler: server.Func[noteInput, empty]{Run: note}},
			{Name: "echo", Effect: gate.Read, Input: rawSchema, Output: rawSchema,
				Handler: server.Func[rawInput, rawOutput]{Run: echo}},
			{Name: "print", Effect: gate.Read, Input: emptySchema, Handler: server.Func[empty, empty]{Run: chatter}},
			{Name: "crash", Effect: gate.Write, Input: emptySchema, Handler: server.Func[empty, empty]{Run: crash}},
			{Name: "exit", Effect: gate.Write, Input: emptySchema, Handler: server.Func[empty, empty]{Run: exit}},
			{Name: "wait", Effect: gate.Write, Input: emptySchema, Handler: server.Func[empty, empty]{Run: wait}},
			{Name: "stay", Effect: gate.Write, Input: emptySchema, Handler: server.Func[empty, empty]{Run: stay}},
			{Name: "lie", Effect: gate.Read, Input: emptySchema, Output: sumSchema,
				Handler: server.Func[empty, rawOutput]{Run: lie}},
			{Name: "fail", Effect: gate.Read, Input: emptySchema, Handler: server.Func[empty, empty]{Run: fail}},
		},
		Foreign: []gate.Foreign{
			{Name: "merge", Exclusive: true, Modes: []string{"review"}},
			{Name: "plan", Modes: []string{"think", "review"}},
		},
	}
}

// review is another mode of the same protocol, which confers approval.
func review() server.Mode {
	mode := fixture()
	mode.Mode = "review"
	mode.Tools = []server.Tool{
		{Name: "merge", Effect: gate.Write, Exclusive: true, Input: addSchema, Output: sumSchema, Handler: server.Func[addInput, addOutput]{Run: add}},
		{Name: "look", Effect: gate.Read, Input: emptySchema, Handler: server.Func[empty, empty]{Run: look}},
	}
	mode.Foreign = []gate.Foreign{{Name: "note", Modes: []string{"work"}}}
	return mode
}

func look(context.Context, *gate.Grant, any, empty) (empty, error) { return empty{}, nil }

func add(_ context.Context, _ *gate.Grant, _ any, in addInput) (addOutput, error) {
	return addOutput{Sum: in.A + in.B}, nil
}

func note(context.Context, *gate.Grant, any, noteInput) (empty, error) { return empty{}, nil }

func echo(_ context.Context, _ *gate.Grant, _ any, in rawInput) (rawOutput, error) {
	return rawOutput(in), nil
}

// chatter does what a careless handler may do to the standard streams.
func chatter(context.Context, *gate.Grant, any, empty) (empty, error) {
	fmt.Println("printed")
	_, _ = os.NewFile(1, "1").WriteString("written to descriptor 1\n")
	child := exec.Command("echo", "printed by a child")
	child.Stdout = os.Stdout
	child.Stdin = os.Stdin
	if err := child.Run(); err != nil {
		return empty{}, err
	}
	stolen, err := io.ReadAll(os.Stdin)
	if len(stolen) > 0 {
		return empty{}, errors.New("a handler could read what the client sent")
	}
	return empty{}, err
}

func crash(context.Context, *gate.Grant, any, empty) (empty, error) { panic("as it was told") }

func exit(context.Context, *gate.Grant, any, empty) (empty, error) {
	runtime.Goexit()
	return empty{}, nil
}

// begun tells the client that a handler has started.
func begun(grant *gate.Grant) {
	if call, err := gate.Open(key, grant); err == nil {
		call.Progress(1, 2, "begun")
	}
}

func wait(ctx context.Context, grant *gate.Grant, _ any, _ empty) (empty, error) {
	begun(grant)
	<-ctx.Done()
	return empty{}, ctx.Err()
}

func stay(_ context.Context, grant *gate.Grant, _ any, _ empty) (empty, error) {
	begun(grant)
	select {}
}

func lie(context.Context, *gate.Grant, any, empty) (rawOutput, error) {
	return rawOutput{Value: json.RawMessage(`"not a sum"`)}, nil
}

func fail(context.Context, *gate.Grant, any, empty) (empty, error) {
	return empty{}, &gate.Failure{Code: "NO_LUCK", Message: strings.Repeat("no ", 3000), Next: "Try luck.", Retryable: true}
}
