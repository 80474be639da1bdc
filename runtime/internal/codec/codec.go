package codec

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gatewright/gatewright/runtime/gate"
)

// maxOutput bounds a result, in bytes.
const maxOutput = 8 << 20

// A Spec says what a codec is for.
type Spec struct {
	Input  string   // JSON Schema of the arguments
	Output string   // JSON Schema of the result; empty for a tool without one
	Record []string // JSON pointers into the arguments
	// Decode turns canonical arguments into the Go value; see [Typed].
	Decode func(text []byte, strict Strict) (any, error)
}

// A Codec is a gate.Codec. It is safe for concurrent use.
type Codec struct {
	input  *schema
	output *schema // nil for a tool without a result
	root   []*jsonschema.Schema
	record []jsontext.Pointer
	decode func(text []byte, strict Strict) (any, error)
	strict Strict
}

// New resolves the schemas of one tool.
func New(spec Spec) (*Codec, error) {
	if spec.Decode == nil {
		return nil, errors.New("the tool has no decoder")
	}
	c := &Codec{decode: spec.Decode, strict: NewStrict()}
	var err error
	if c.input, err = resolve(spec.Input); err != nil {
		return nil, fmt.Errorf("the input: %w", err)
	}
	if err := c.input.object(); err != nil {
		return nil, fmt.Errorf("the input: %w", err)
	}
	c.root = c.input.follow([]*jsonschema.Schema{c.input.root})
	if spec.Output != "" {
		if c.output, err = resolve(spec.Output); err != nil {
			return nil, fmt.Errorf("the output: %w", err)
		}
	}
	for _, pointer := range spec.Record {
		if !jsontext.Pointer(pointer).IsValid() || pointer == "" {
			return nil, fmt.Errorf("record: %q is not a JSON pointer into the arguments", pointer)
		}
		c.record = append(c.record, jsontext.Pointer(pointer))
	}
	return c, nil
}

// Decode implements gate.Codec.
func (c *Codec) Decode(arguments []byte) (gate.Input, error) {
	tree := any(map[string]any{})
	if len(arguments) > 0 {
		var err error
		if tree, err = read(arguments); err != nil {
			return gate.Input{}, err
		}
	}
	if tree == nil {
		tree = map[string]any{}
	}
	if _, isObject := tree.(map[string]any); !isObject {
		return gate.Input{}, malformed("they have to be one JSON object and are %s", quote(tree))
	}
	if err := c.input.spelling(tree, c.root, ""); err != nil {
		return gate.Input{}, err
	}
	if err := c.input.check(tree); err != nil {
		return gate.Input{}, err
	}
	text, err := canonical(tree)
	if err != nil {
		return gate.Input{}, malformed("%s", clip(err.Error()))
	}
	value, err := c.decode(text, c.strict)
	if err != nil {
		return gate.Input{}, err
	}
	recorded, err := record(tree, c.record)
	if err != nil {
		return gate.Input{}, malformed("%s", clip(err.Error()))
	}
	return gate.Input{Value: value, Canonical: text, Recorded: recorded}, nil
}

// Encode implements gate.Codec. The result of a tool without an output schema
// is nil, whatever its handler returned.
func (c *Codec) Encode(output any) ([]byte, error) {
	if c.output == nil {
		return nil, nil
	}
	text, err := json.Marshal(output, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("it cannot be written as JSON: %s", clip(err.Error()))
	}
	if len(text) > maxOutput {
		return nil, fmt.Errorf("it has %d bytes and may have at most %d", len(text), maxOutput)
	}
	tree, err := read(text)
	if err != nil {
		return nil, err
	}
	if err := c.output.check(tree); err != nil {
		return nil, err
	}
	return text, nil
}

func matches(pattern, value string) bool {
	expression, err := regexp.Compile(pattern)
	return err != nil || expression.MatchString(value)
}
