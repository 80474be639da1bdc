package servertest

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// Previewed is the result of a preview.
type Previewed[Plan any] struct {
	Handle    string
	ExpiresAt time.Time
	Plan      Plan
}

// A Commit is what the commit of a two-phase tool takes.
type Commit struct {
	Handle         string
	Confirmed      bool
	IdempotencyKey string // may be empty
}

// Preview calls the preview of a two-phase tool. A refusal is an error of type
// *gate.Refusal.
func Preview[In, Plan any](ctx context.Context, client *Client, tool string, in In) (Previewed[Plan], error) {
	var out Previewed[Plan]
	text, err := client.call(ctx, tool, in)
	if err != nil {
		return out, err
	}
	var envelope struct {
		ResultType string             `json:"result_type"`
		Handle     string             `json:"handle"`
		ExpiresAt  time.Time          `json:"expires_at"`
		Plan       stdjson.RawMessage `json:"plan"`
	}
	if err := json.Unmarshal(text, &envelope, json.RejectUnknownMembers(true)); err != nil {
		return out, fmt.Errorf("call %q: read the result: %w", tool, err)
	}
	if envelope.ResultType != "preview" {
		return out, fmt.Errorf("call %q: the result is of type %q", tool, envelope.ResultType)
	}
	out.Handle, out.ExpiresAt = envelope.Handle, envelope.ExpiresAt
	if err := json.Unmarshal(envelope.Plan, &out.Plan, json.RejectUnknownMembers(true)); err != nil {
		return out, fmt.Errorf("call %q: read the plan: %w", tool, err)
	}
	return out, nil
}

// Committed calls the commit of a two-phase tool that has an output. A refusal
// is an error of type *gate.Refusal.
func Committed[Out any](ctx context.Context, client *Client, tool string, commit Commit) (Out, error) {
	var out Out
	result, err := client.commit(ctx, tool, commit)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(result, &out, json.RejectUnknownMembers(true)); err != nil {
		return out, fmt.Errorf("call %q: read the result: %w", tool, err)
	}
	return out, nil
}

// CommittedNothing calls the commit of a two-phase tool that has no output.
func CommittedNothing(ctx context.Context, client *Client, tool string, commit Commit) error {
	_, err := client.commit(ctx, tool, commit)
	return err
}

func (c *Client) commit(ctx context.Context, tool string, commit Commit) ([]byte, error) {
	arguments := map[string]any{"handle": commit.Handle, "confirmed": commit.Confirmed}
	if commit.IdempotencyKey != "" {
		arguments["idempotency_key"] = commit.IdempotencyKey
	}
	text, err := c.call(ctx, tool, arguments)
	if err != nil {
		return nil, err
	}
	var envelope struct {
		ResultType string             `json:"result_type"`
		Result     stdjson.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(text, &envelope, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("call %q: read the result: %w", tool, err)
	}
	if envelope.ResultType != "committed" {
		return nil, fmt.Errorf("call %q: the result is of type %q", tool, envelope.ResultType)
	}
	return envelope.Result, nil
}
