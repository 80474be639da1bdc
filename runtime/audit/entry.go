package audit

import (
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
)

// Events of the log's own, beside those of the gate.
const (
	ProtocolPinned  gate.Event = "protocol_pinned"  // from here on this digest may write
	ProtocolAdopted gate.Event = "protocol_adopted" // a person put this digest in the place of the pinned one
	LogRepaired     gate.Event = "log_repaired"     // an unterminated last line was set aside
	CommitResolved  gate.Event = "commit_resolved"  // a person said what was done of a commit that had been interrupted
	LogRotated      gate.Event = "log_rotated"      // the log goes on in a new file, whose first entry this is
	SharedSession   gate.Event = "shared_session"   // whoever started this server has one of another mode too
)

// An Entry is one line of the log. See the package comment for its form.
type Entry struct {
	V        int               `json:"v"`
	Seq      uint64            `json:"seq"`
	Time     time.Time         `json:"time"`
	Event    gate.Event        `json:"event"`
	Protocol string            `json:"protocol"`
	Digest   string            `json:"digest"`
	Mode     string            `json:"mode"`
	Tool     string            `json:"tool,omitempty"`
	Effect   string            `json:"effect,omitempty"`
	Call     string            `json:"call,omitempty"`
	Actor    string            `json:"actor,omitempty"`
	Session  string            `json:"session,omitempty"`
	Args     string            `json:"args,omitempty"`
	Plan     string            `json:"plan,omitempty"`
	Recorded map[string]string `json:"recorded,omitempty"`
	Decision string            `json:"decision,omitempty"`
	Outcome  string            `json:"outcome,omitempty"`
	Code     gate.Code         `json:"code,omitempty"`
	Approval *gate.Approval    `json:"approval,omitempty"`
	Details  map[string]string `json:"details,omitempty"`
	Prev     string            `json:"prev"`
	Hash     string            `json:"hash"`
}

// A Head is the end of a chain: the last entry and its hash. The zero Head is
// that of an empty log.
type Head struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

// prev is what the entry after the head has as prev.
func (h Head) prev() string {
	if h.Seq == 0 {
		return noEntry
	}
	return h.Hash
}

const (
	version = 1
	noEntry = "0000000000000000000000000000000000000000000000000000000000000000"
)

// entryOf is what the log keeps of an entry of the gate, within bounds.
func entryOf(e gate.Entry) Entry {
	entry := Entry{
		Time: e.Time, Event: gate.Event(bound(string(e.Event), maxName)),
		Protocol: bound(e.Protocol, maxName), Digest: bound(e.Digest, maxName), Mode: bound(e.Mode, maxName),
		Tool: bound(e.Tool, maxName), Call: bound(e.CallID, maxName),
		Actor: bound(e.Actor, maxText), Session: bound(e.Session, maxName), Args: bound(e.Args, maxName), Plan: bound(e.Plan, maxName),
		Recorded: boundAll(e.Recorded), Decision: bound(e.Decision, maxName), Outcome: bound(e.Outcome, maxName),
		Code: gate.Code(bound(string(e.Code), maxName)),
	}
	if e.Effect == gate.Read || e.Effect == gate.Write {
		entry.Effect = e.Effect.String()
	}
	if a := e.Approval; a != nil {
		entry.Approval = &gate.Approval{
			ID: bound(a.ID, maxName), Provider: bound(a.Provider, maxName), Approver: bound(a.Approver, maxText),
			Decision: bound(a.Decision, maxName), Reason: bound(a.Reason, maxText),
			ExpiresAt: bound(a.ExpiresAt, maxName), Waited: bound(a.Waited, maxName),
		}
	}
	return entry
}
