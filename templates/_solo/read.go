package solo

import (
	"context"

	"github.com/gatewright/gatewright/generated/solo"
	"github.com/gatewright/gatewright/protocols/solo/internal/files"
)

// Read is the handler of the tool read.
func Read[Permit solo.ReadPermit](_ context.Context, permit Permit, in solo.ReadInput) (out solo.ReadOutput, err error) {
	err = reading(permit, func(tree *files.Tree) (err error) {
		out.Text, out.Digest, err = tree.Read(in.Path)
		return err
	})
	return out, err
}
