package team

import (
	"context"

	"github.com/gatewright/gatewright/generated/team"
	"github.com/gatewright/gatewright/runtime/gate"
)

// Merge is the handler of the tool merge.
func Merge[Permit team.MergePermit](_ context.Context, permit Permit, in team.MergeInput) error {
	writer, err := team.Use(permit, workspace)
	if err != nil {
		return err
	}
	text, err := draftOf(&writer.Tree, in.Path, in.Digest)
	if err != nil {
		return err
	}
	base, err := current(&writer.Tree, in.Path)
	if err != nil {
		return err
	}
	approved, err := writer.Approved(in.Path, in.Digest, base)
	if err != nil {
		return err
	}
	if !approved {
		return &gate.Failure{
			Code: "NOT_APPROVED", Message: "this draft was not approved in place of what is there",
			Next: "Only mode review can approve, and only exactly this text in place of exactly that. Hand it over to that mode.",
		}
	}
	if err := writer.Write(in.Path, text); err != nil {
		return err
	}
	return writer.Remove(drafts + "/" + in.Path)
}
