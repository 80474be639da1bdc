package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
)

// Delete is the handler of the tool delete.
func Delete[Permit greenfield.DeletePermit](ctx context.Context, permit Permit, in greenfield.DeleteInput) (greenfield.DeleteOutput, error) {
	writer, err := greenfield.Use(permit, files)
	if err != nil {
		return greenfield.DeleteOutput{}, err
	}
	if err := writer.Delete(ctx, in.Path); err != nil {
		return greenfield.DeleteOutput{}, err
	}
	return greenfield.DeleteOutput(in), nil
}
