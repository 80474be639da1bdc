package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// Create is the handler of the tool create.
func Create[Permit greenfield.CreatePermit](ctx context.Context, permit Permit, in greenfield.CreateInput) (greenfield.CreateOutput, error) {
	writer, err := greenfield.Use(permit, files)
	if err != nil {
		return greenfield.CreateOutput{}, err
	}
	data := []byte(in.Text)
	if err := worktree.Text(in.Path, data); err != nil {
		return greenfield.CreateOutput{}, err
	}
	if err := writer.Create(ctx, in.Path, data); err != nil {
		return greenfield.CreateOutput{}, err
	}
	return greenfield.CreateOutput{Path: in.Path, Size: int64(len(data))}, nil
}
