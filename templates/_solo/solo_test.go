package solo_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gatewright/gatewright/generated/solo"
	"github.com/gatewright/gatewright/generated/solo/solotest"
	"github.com/gatewright/gatewright/runtime/gate"
)

// Calls go through the real gate, audit log and state, in temporary folders.
func TestOnlyWhatWasReadIsApproved(t *testing.T) {
	ctx, kit := context.Background(), solotest.New(t, t.TempDir())
	written, err := kit.Implement(t).Write(ctx, solo.WriteInput{Path: "notes/a.txt", Text: "first\n"})
	if err != nil {
		t.Fatal(err)
	}
	review := kit.Review(t)
	if err := review.Approve(ctx, solo.ApproveInput{Path: "notes/a.txt", Digest: written.Digest}); err != nil {
		t.Fatal(err)
	}
	if _, err := kit.Implement(t).Write(ctx, solo.WriteInput{Path: "notes/a.txt", Text: "second\n"}); err != nil {
		t.Fatal(err)
	}
	err = review.Approve(ctx, solo.ApproveInput{Path: "notes/a.txt", Digest: written.Digest})
	refused(t, err, "FILE_CHANGED")
}

func TestWhatDecidesAboutAgentsIsNotWritten(t *testing.T) {
	ctx, kit := context.Background(), solotest.New(t, t.TempDir())
	for path, code := range map[string]gate.Code{
		"protocols/solo/protocol.yaml": "PATH_PROTECTED", ".GIT/config": "PATH_PROTECTED", "PLAN.md": "PATH_PROTECTED", "approvals.jsonl": "PATH_PROTECTED",
		".mcp.json ": "PATH_PROTECTED", "../outside": "PATH_INVALID", "/etc/passwd": "PATH_INVALID", "a/../b": "PATH_INVALID", "a\x00": "PATH_INVALID",
	} {
		_, err := kit.Implement(t).Write(ctx, solo.WriteInput{Path: path, Text: "x"})
		refused(t, err, code)
	}
}

func refused(t *testing.T, err error, code gate.Code) {
	t.Helper()
	var refusal *gate.Refusal
	if !errors.As(err, &refusal) || refusal.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
}
