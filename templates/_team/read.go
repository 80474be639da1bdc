package team

import (
	"context"

	"github.com/gatewright/gatewright/generated/team"
	"github.com/gatewright/gatewright/protocols/team/internal/files"
)

// Read is the handler of the tool read.
func Read[Permit team.ReadPermit](_ context.Context, permit Permit, in team.ReadInput) (out team.ReadOutput, err error) {
	err = reading(permit, func(tree *files.Tree) (err error) {
		out.Text, out.Digest, err = tree.Read(in.Path)
		return err
	})
	return out, err
}
