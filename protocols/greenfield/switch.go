package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
)

// Switch is the handler of the tool switch.
func Switch[Permit greenfield.SwitchPermit](ctx context.Context, permit Permit, in greenfield.SwitchInput) (greenfield.SwitchOutput, error) {
	writer, err := greenfield.Use(permit, repository)
	if err != nil {
		return greenfield.SwitchOutput{}, err
	}
	done, err := writer.Switch(ctx, value(in.Branch))
	if err != nil {
		return greenfield.SwitchOutput{}, err
	}
	return greenfield.SwitchOutput{
		Commit: done.Commit, Base: done.Base, Branch: present(done.Branch), WorkTree: greenfield.SwitchOutputWorkTree(done.WorkTree),
	}, nil
}
