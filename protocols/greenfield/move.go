package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
)

// Move is the handler of the tool move.
func Move[Permit greenfield.MovePermit](ctx context.Context, permit Permit, in greenfield.MoveInput) (greenfield.MoveOutput, error) {
	writer, err := greenfield.Use(permit, files)
	if err != nil {
		return greenfield.MoveOutput{}, err
	}
	size, err := writer.Move(ctx, in.From, in.To)
	if err != nil {
		return greenfield.MoveOutput{}, err
	}
	return greenfield.MoveOutput{From: in.From, To: in.To, Size: int64(size)}, nil
}
