package sample

import (
	"context"
	"os"

	"github.com/gatewright/gatewright/generated/sample"
	"github.com/gatewright/gatewright/runtime/gate"
)

var repository = sample.Guard(func(call *gate.Call) (*os.Root, error) { return os.OpenRoot(call.Workspace) })

// Edit ...
func Edit[Permit sample.EditPermit](ctx context.Context, permit Permit, in sample.EditInput) (sample.EditOutput, error) {
	root, err := sample.Use(permit, repository)
	if err != nil {
		return sample.EditOutput{}, err
	}
	defer root.Close()
	return sample.EditOutput{Changed: true}, root.WriteFile(in.Path, []byte(in.Text), 0o644)
}
