package team_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gatewright/gatewright/generated/team"
	"github.com/gatewright/gatewright/generated/team/teamtest"
	"github.com/gatewright/gatewright/runtime/gate"
)

// Calls go through the real gate, audit log and state, in temporary folders.
func TestOnlyWhatWasApprovedIsMerged(t *testing.T) {
	ctx, workspace, name := context.Background(), t.TempDir(), "notes/a.txt"
	kit := teamtest.New(t, workspace)
	implement, review, integrate := kit.Implement(t), kit.Review(t), kit.Integrate(t)
	first := draft(t, implement, name, "first\n")
	refused(t, integrate.Merge(ctx, team.MergeInput{Path: name, Digest: first}), "NOT_APPROVED")
	done(t, review.Approve(ctx, team.ApproveInput{Path: name, Digest: first}))

	second := draft(t, implement, name, "second\n")
	refused(t, integrate.Merge(ctx, team.MergeInput{Path: name, Digest: first}), "DRAFT_CHANGED")
	refused(t, integrate.Merge(ctx, team.MergeInput{Path: name, Digest: second}), "NOT_APPROVED")
	done(t, review.Approve(ctx, team.ApproveInput{Path: name, Digest: second}))

	file := filepath.Join(workspace, filepath.FromSlash(name))
	done(t, os.MkdirAll(filepath.Dir(file), 0o700))
	done(t, os.WriteFile(file, []byte("a person was here\n"), 0o600))
	refused(t, integrate.Merge(ctx, team.MergeInput{Path: name, Digest: second}), "NOT_APPROVED")
	done(t, os.Remove(file))
	done(t, integrate.Merge(ctx, team.MergeInput{Path: name, Digest: second}))
	text, err := os.ReadFile(file)
	done(t, err)
	if string(text) != "second\n" {
		t.Fatalf("got %q", text)
	}
}

// A draft never lands outside the folder of drafts.
func TestDraftsStayDrafts(t *testing.T) {
	ctx, kit := context.Background(), teamtest.New(t, t.TempDir())
	for path, code := range map[string]gate.Code{
		"../a.txt": "PATH_INVALID", "b/../../a.txt": "PATH_INVALID", "PLAN.md": "PATH_PROTECTED", "protocols/team/protocol.yaml": "PATH_PROTECTED",
	} {
		_, err := kit.Implement(t).Draft(ctx, team.DraftInput{Path: path, Text: "x"})
		refused(t, err, code)
	}
}

func draft(t *testing.T, implement *teamtest.ImplementClient, name, text string) string {
	t.Helper()
	out, err := implement.Draft(context.Background(), team.DraftInput{Path: name, Text: text})
	done(t, err)
	return out.Digest
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, err error, code gate.Code) {
	t.Helper()
	var refusal *gate.Refusal
	if !errors.As(err, &refusal) || refusal.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
}
