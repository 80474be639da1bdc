package team

import (
	"context"
	"errors"

	"github.com/gatewright/gatewright/generated/team"
	"github.com/gatewright/gatewright/protocols/team/internal/files"
	"github.com/gatewright/gatewright/runtime/gate"
)

// Approve is the handler of the tool approve.
func Approve[Permit team.ApprovePermit](_ context.Context, permit Permit, in team.ApproveInput) error {
	call, err := team.Open(permit)
	if err != nil {
		return err
	}
	writer, err := team.Use(permit, workspace)
	if err != nil {
		return err
	}
	if _, err := draftOf(&writer.Tree, in.Path, in.Digest); err != nil {
		return err
	}
	base, err := current(&writer.Tree, in.Path)
	if err != nil {
		return err
	}
	return writer.Record(files.Approval{
		Path: in.Path, Digest: in.Digest, Base: base, Note: value(in.Note), Actor: call.Actor, Call: call.ID,
	})
}

// draftOf reads the draft of a file, which has to be the text of that digest.
func draftOf(tree *files.Tree, name, digest string) (string, error) {
	text, now, err := tree.Read(drafts + "/" + name)
	if err != nil {
		return "", err
	}
	if now != digest {
		return "", &gate.Failure{
			Code: "DRAFT_CHANGED", Message: "the draft is not the text of that digest any more",
			Next: "Read the draft again. What it is now needs an approval of its own.",
		}
	}
	return text, nil
}

// current is the digest of a file as it is, empty where there is none.
func current(tree *files.Tree, name string) (string, error) {
	_, digest, err := tree.Read(name)
	var failure *gate.Failure
	if errors.As(err, &failure) && failure.Code == "FILE_NOT_FOUND" {
		return "", nil
	}
	return digest, err
}
