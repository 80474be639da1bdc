package approval

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// commandVersion is the version of the documents below. It changes when a
// program could misunderstand them.
const commandVersion = 1

// maxClaim bounds each text that a program gives, in bytes.
const maxClaim = 1 << 10

// A commandRequest is what a program reads.
type commandRequest struct {
	V         int            `json:"v"`
	ID        string         `json:"id"`
	Protocol  string         `json:"protocol"`
	Digest    string         `json:"digest"`
	Mode      string         `json:"mode"`
	Tool      string         `json:"tool"`
	Actor     string         `json:"actor"`
	Session   string         `json:"session"`
	Workspace string         `json:"workspace"`
	Call      string         `json:"call"`
	Arguments jsontext.Value `json:"arguments"`
	Why       string         `json:"why"`
	Shown     jsontext.Value `json:"shown,omitzero"`
	AskedAt   time.Time      `json:"asked_at"`
	ExpiresAt time.Time      `json:"expires_at"`
}

// written returns a request as a line of JSON. Its integers are exact.
func written(request Request) ([]byte, error) {
	arguments := jsontext.Value(request.Arguments)
	if arguments.Kind() != '{' {
		return nil, errors.New("the arguments are no JSON object")
	}
	document := commandRequest{
		V: commandVersion, ID: request.ID, Protocol: request.Protocol, Digest: request.Digest, Mode: request.Mode, Tool: request.Tool,
		Actor: request.Actor, Session: request.Session, Workspace: request.Workspace, Call: request.Call, Arguments: arguments,
		Why: request.Why, AskedAt: request.AskedAt.UTC(), ExpiresAt: request.ExpiresAt.UTC(),
	}
	if request.Shown != "" {
		document.Shown = jsontext.Value(request.Shown)
	}
	text, err := json.Marshal(document)
	return append(text, '\n'), err
}

// A commandDecision is what a program prints.
type commandDecision struct {
	Decision claim `json:"decision"`
	Approver claim `json:"approver"`
	Reason   claim `json:"reason"`
}

// A claim is a string of bounded length, and nothing that could stand for one.
type claim string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *claim) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	token, err := decoder.ReadToken()
	switch {
	case err != nil:
		return err
	case token.Kind() != '"':
		return fmt.Errorf("a string is expected, not %s", token.Kind())
	case len(token.String()) > maxClaim:
		return fmt.Errorf("the text is longer than %d bytes", maxClaim)
	}
	*c = claim(token.String())
	return nil
}

// decided reads a decision. Anything but exactly one is an error.
func decided(text []byte) (Answer, error) {
	var decision commandDecision
	if err := json.Unmarshal(text, &decision, json.RejectUnknownMembers(true)); err != nil {
		return Answer{}, err
	}
	switch decision.Decision {
	case Approved, Denied, Undecided:
		return Answer{Decision: string(decision.Decision), Approver: string(decision.Approver), Reason: string(decision.Reason)}, nil
	default:
		return Answer{}, fmt.Errorf("its decision is %+q", string(decision.Decision))
	}
}
