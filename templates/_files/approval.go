package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

const maxApprovals = 64 << 20 // bytes of them that are read

// An Approval is one line of APPROVALS.jsonl: somebody looked at exactly this
// text, which was to take the place of exactly that.
type Approval struct {
	Path   string `json:"path"`
	Digest string `json:"digest"` // of what was approved
	Base   string `json:"base"`   // of what it replaces; empty where there was nothing
	Note   string `json:"note,omitempty"`
	Actor  string `json:"actor"` // a claim
	Call   string `json:"call"`  // id, as the audit log has it
}

// Record adds an approval, durably.
func (w *Writer) Record(approval Approval) error {
	approval.Path = path.Clean(approval.Path)
	line, err := json.Marshal(approval)
	if err != nil {
		return fmt.Errorf("record the approval: %w", err)
	}
	if info, err := w.root.Lstat(approvals); err == nil && !info.Mode().IsRegular() {
		return refuse("NOT_A_FILE", "Tell the person who runs this server.", "%s is not a file", approvals)
	}
	file, err := w.root.OpenFile(approvals, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("record the approval: %w", err)
	}
	_, err = file.Write(append(line, '\n'))
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("record the approval: %w", err)
	}
	return nil
}

// Approved says whether exactly this text was approved in place of exactly what
// is there now.
func (t *Tree) Approved(name, digest, base string) (bool, error) {
	data, err := content(t.root, approvals, maxApprovals)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the approvals: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		var approval Approval
		if err := json.Unmarshal([]byte(line), &approval); err != nil {
			continue // not a line of ours approves nothing
		}
		if approval.Path == path.Clean(name) && approval.Digest == digest && approval.Base == base {
			return true, nil
		}
	}
	return false, nil
}
