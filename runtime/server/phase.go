package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/internal/codec"
)

// A Phase says which half of a two-phase tool a [Tool] is.
type Phase = gate.Phase

// The phases of a [Tool].
const (
	PreviewPhase = gate.Preview
	CommitPhase  = gate.Commit
)

const (
	handleProperty = `"handle":{"type":"string","description":"The handle that the preview returned.","minLength":1,"maxLength":100}`
	keyProperty    = `"idempotency_key":{"type":"string","description":"Names this attempt: the same key and handle again return the same result, and nothing runs twice.","minLength":1,"maxLength":200}`
	// commitListed is what clients are told a commit takes.
	commitListed = `{"type":"object","properties":{` + handleProperty + `,"confirmed":{"type":"boolean","const":true,` +
		`"description":"true, once the plan has been looked at: a handle alone is no consent."},` + keyProperty +
		`},"required":["handle","confirmed"],"additionalProperties":false}`
	// commitTaken leaves it to the gate to say what a call without consent is.
	commitTaken = `{"type":"object","properties":{` + handleProperty + `,"confirmed":{"type":"boolean"},` + keyProperty +
		`},"required":["handle"],"additionalProperties":false}`
	// commitByHand takes no consent: whoever makes the call is asked for it.
	commitByHand = `{"type":"object","properties":{` + handleProperty + `,` + keyProperty + `},"required":["handle"],"additionalProperties":false}`
)

// committing are the arguments of a commit.
type committing struct {
	Handle    string `json:"handle"`
	Confirmed bool   `json:"confirmed,omitzero"`
	Key       string `json:"idempotency_key,omitzero"`
}

// commitCodec reads the arguments of a commit. At a terminal the person is
// shown the plan and asked, so consent is no argument there.
func commitCodec(tool Tool, byHand bool) (*codec.Codec, error) {
	taken := commitTaken
	if byHand {
		taken = commitByHand
	}
	return codec.New(codec.Spec{Input: taken, Output: tool.Output, Decode: func(text []byte, strict codec.Strict) (any, error) {
		value, err := codec.Typed[committing](text, strict)
		if err != nil {
			return nil, err
		}
		in, ok := value.(committing)
		if !ok {
			return nil, fmt.Errorf("the input is a %T", value)
		}
		return gate.Commitment{Handle: in.Handle, Key: in.Key, Confirmed: in.Confirmed || byHand}, nil
	}})
}

// planCodec reads the plan that a preview made, for its canonical form alone.
func planCodec(tool Tool) (*codec.Codec, error) {
	return codec.New(codec.Spec{Input: tool.Output, Decode: func([]byte, codec.Strict) (any, error) { return nil, nil }})
}

// listedInput is the input schema that clients are told of.
func (t Tool) listedInput() string {
	if t.Phase == CommitPhase {
		return commitListed
	}
	return t.Input
}

// listedOutput is the output schema that clients are told of, without what a
// refusal looks like; empty for a tool that has none.
func (t Tool) listedOutput() (string, error) {
	switch t.Phase {
	case PreviewPhase:
		return envelope("preview", "plan", t.Output, map[string]any{
			"handle": map[string]any{"type": "string"}, "expires_at": map[string]any{"type": "string", "format": "date-time"},
		})
	case CommitPhase:
		return envelope("committed", "result", t.Output, map[string]any{})
	case gate.Single:
	}
	return t.Output, nil
}

// envelope is the schema of a result that says of which type it is. What it
// holds may be missing where its schema is empty.
func envelope(kind, member, schema string, properties map[string]any) (string, error) {
	properties["result_type"] = map[string]any{"const": kind}
	if schema != "" {
		decoder := json.NewDecoder(strings.NewReader(schema))
		decoder.UseNumber() // bounds keep their digits
		var inner map[string]any
		if err := decoder.Decode(&inner); err != nil {
			return "", fmt.Errorf("read a schema: %w", err)
		}
		properties[member] = relocate(inner, "#/properties/"+member)
	}
	text, err := encode(map[string]any{
		"type": "object", "properties": properties, "required": slices.Sorted(maps.Keys(properties)), "additionalProperties": false,
	})
	return string(text), err
}
