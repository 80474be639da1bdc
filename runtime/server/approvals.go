package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// keyFile holds the key with which questions are signed, so that an answer
// counts after a restart as well.
const keyFile = "signing.key"

// maxShown bounds what a tool says of a call, in bytes: the store keeps no more.
const maxShown = 1 << 20

// approvals are what a mode needs whose tools want one.
type approvals struct {
	chain  *approval.Chain
	folder *state.Folder

	mu   sync.Mutex
	made *approval.Signer
}

// newApprovals returns nil for a mode that asks nobody.
func (s *service) newApprovals(with setup) (*approvals, error) {
	policies := map[string]approval.Policy{}
	for _, tool := range s.mode.Tools {
		if tool.Approval != nil {
			policies[tool.Name] = *tool.Approval
		}
	}
	if len(policies) == 0 {
		return nil, nil
	}
	folder := s.record.folder
	options := approval.ChainOptions{
		Policies: policies, Workspace: folder.Workspace(), Show: s.show, Terminal: with.terminal,
	}
	if open := s.mode.OpenBook; open != nil {
		options.Open = func(ctx context.Context) (approval.Book, error) { return open(ctx, folder) }
	}
	chain, err := approval.NewChain(options)
	if err != nil {
		return nil, err
	}
	return &approvals{chain: chain, folder: folder}, nil
}

func (a *approvals) Close() error {
	if a == nil {
		return nil
	}
	return a.chain.Close()
}

// signer returns the signer of this state folder, made when it is first
// needed.
func (a *approvals) signer() (*approval.Signer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.made != nil {
		return a.made, nil
	}
	key, err := a.folder.Once(keyFile, func() []byte {
		key := make([]byte, approval.KeySize)
		_, _ = rand.Read(key) // never fails
		return key
	})
	if err != nil {
		return nil, fmt.Errorf("open the signing key: %w", err)
	}
	a.made, err = approval.NewSigner(key)
	return a.made, err
}

// approver is who the gate asks.
func (s *service) approver(with setup) gate.Approver {
	switch {
	case with.terminal != nil && s.approvals != nil:
		return approval.NewHand(with.terminal, s.approvals.chain)
	case with.terminal != nil:
		return with.terminal
	case s.approvals != nil:
		return s.approvals.chain
	}
	return approval.Nobody{}
}

// asked are the providers of a tool: those of its policy, and for a write that
// is made by hand the terminal.
func asked(tool Tool, with setup) []string {
	var names []string
	if tool.Approval != nil {
		for _, source := range tool.Approval.By {
			names = append(names, source.Provider)
		}
	}
	if len(names) == 0 && with.terminal != nil && tool.Effect != gate.Read {
		names = []string{approval.TerminalProvider}
	}
	return names
}

// show calls the tool that a policy names, so that whoever decides sees what
// the call is about. It is a call like any other, and gets those fields of the
// arguments that it declares. What keeps it from saying anything is said in its
// place.
func (s *service) show(ctx context.Context, ask gate.Ask, name string) string {
	for _, tool := range s.mode.Tools {
		if tool.Name != name || tool.Effect != gate.Read || tool.Approval != nil {
			continue
		}
		arguments, err := common(ask.Arguments, tool.Input)
		if err != nil {
			s.log.Error("what is approved cannot be shown", "tool", name, "error", err)
			return approval.NotShown("the arguments do not fit " + name)
		}
		result := s.gate.Call(ctx, gate.Request{Tool: name, Arguments: arguments})
		if result.Refusal != nil {
			s.log.Warn("what is approved cannot be shown", "tool", name, "call", result.CallID, "error", result.Refusal)
			return approval.NotShown(fmt.Sprintf("%s ended in %s, call %s", name, result.Refusal.Code, result.CallID))
		}
		if len(result.Output) > maxShown {
			return approval.NotShown(fmt.Sprintf("%s said more than can be kept: %d bytes", name, len(result.Output)))
		}
		return string(result.Output)
	}
	return approval.NotShown("this mode has no tool " + name + " that could")
}

// common are the members of arguments that a schema declares.
func common(arguments []byte, schema string) ([]byte, error) {
	var declared struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(schema), &declared); err != nil {
		return nil, fmt.Errorf("read an input schema: %w", err)
	}
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, fmt.Errorf("read the arguments: %w", err)
	}
	for key := range given {
		if _, ok := declared.Properties[key]; !ok {
			delete(given, key)
		}
	}
	return json.Marshal(given)
}
