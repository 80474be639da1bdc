package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// Write is the handler of the tool write.
func Write[Permit greenfield.WritePermit](ctx context.Context, permit Permit, in greenfield.WriteInput) (greenfield.WriteOutput, error) {
	writer, err := greenfield.Use(permit, files)
	if err != nil {
		return greenfield.WriteOutput{}, err
	}
	data := []byte(in.Text)
	if err := worktree.Text(in.Path, data); err != nil {
		return greenfield.WriteOutput{}, err
	}
	created, err := writer.Write(ctx, in.Path, data)
	if err != nil {
		return greenfield.WriteOutput{}, err
	}
	return greenfield.WriteOutput{Path: in.Path, Created: created, Size: int64(len(data))}, nil
}
