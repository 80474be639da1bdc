package audit

import (
	"crypto/sha256"
	"fmt"

	"github.com/gatewright/gatewright/runtime/gate"
)

// maxFindings is how many findings a report keeps.
const maxFindings = 100

// A Finding is what a whole log says that it should not say: the chain is
// sound, and what it holds does not fit together.
type Finding struct {
	Seq     uint64
	Problem string
}

// note keeps a finding, unless there is none.
func (v *verifier) note(seq uint64, problem string) {
	if problem == "" {
		return
	}
	if v.report.Found++; len(v.report.Findings) < maxFindings {
		v.report.Findings = append(v.report.Findings, Finding{Seq: seq, Problem: problem})
	}
}

// approvals are those that the log has told of so far, by a part of the digest
// of their id: what is kept of one has the same size, whatever the id.
type approvals map[[16]byte]consent

type consent struct {
	approved bool
	used     uint64 // the entry of the call that used it
}

// add takes an entry about an approval and returns what is wrong with it.
func (a approvals) add(e *Entry) string {
	if e.Approval.ID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(e.Approval.ID))
	key := [16]byte(sum[:])
	known := a[key]
	switch {
	case e.Event == gate.ApprovalDecision && e.Approval.Decision == "approved":
		known.approved = true
		a[key] = known
	case e.Event == gate.ToolCall && e.Decision == gate.Admitted:
		earlier := known.used
		known.used = e.Seq
		a[key] = known
		if earlier > 0 {
			return fmt.Sprintf("approval %q was used by entry %d already", e.Approval.ID, earlier)
		}
		if !known.approved {
			return fmt.Sprintf("a call ran with approval %q, and no entry before it says that it was given", e.Approval.ID)
		}
	}
	return ""
}
