package solo

import (
	"context"

	"github.com/gatewright/gatewright/generated/solo"
	"github.com/gatewright/gatewright/protocols/solo/internal/files"
)

// Write is the handler of the tool write.
func Write[Permit solo.WritePermit](_ context.Context, permit Permit, in solo.WriteInput) (solo.WriteOutput, error) {
	writer, err := solo.Use(permit, workspace)
	if err != nil {
		return solo.WriteOutput{}, err
	}
	return solo.WriteOutput{Digest: files.Digest(in.Text)}, writer.Write(in.Path, in.Text)
}
