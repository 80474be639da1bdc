package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// WritePlan is the handler of the tool write_plan.
func WritePlan[Permit greenfield.WritePlanPermit](ctx context.Context, permit Permit, in greenfield.WritePlanInput) (greenfield.WritePlanOutput, error) {
	writer, err := greenfield.Use(permit, files)
	if err != nil {
		return greenfield.WritePlanOutput{}, err
	}
	data := []byte(in.Text)
	if err := worktree.Text(worktree.Plan, data); err != nil {
		return greenfield.WritePlanOutput{}, err
	}
	if err := writer.WritePlan(ctx, data); err != nil {
		return greenfield.WritePlanOutput{}, err
	}
	return greenfield.WritePlanOutput{Path: worktree.Plan, Size: int64(len(data))}, nil
}
