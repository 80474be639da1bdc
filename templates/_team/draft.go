package team

import (
	"context"
	"path"

	"github.com/gatewright/gatewright/generated/team"
	"github.com/gatewright/gatewright/protocols/team/internal/files"
)

// drafts is the folder that drafts lie in.
const drafts = "drafts"

// Draft is the handler of the tool draft.
func Draft[Permit team.DraftPermit](_ context.Context, permit Permit, in team.DraftInput) (team.DraftOutput, error) {
	writer, err := team.Use(permit, workspace)
	if err != nil {
		return team.DraftOutput{}, err
	}
	out := team.DraftOutput{Draft: path.Join(drafts, in.Path), Digest: files.Digest(in.Text)}
	return out, writer.Write(drafts+"/"+in.Path, in.Text)
}
