package greenfield

import (
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// Edit is the handler of the tool edit.
func Edit[Permit greenfield.EditPermit](ctx context.Context, permit Permit, in greenfield.EditInput) (greenfield.EditOutput, error) {
	writer, err := greenfield.Use(permit, files)
	if err != nil {
		return greenfield.EditOutput{}, err
	}
	substitution := worktree.Substitution{Old: in.OldText, New: in.NewText, All: value(in.ReplaceAll)}
	var done worktree.Substituted
	err = writer.Replace(ctx, in.Path, func(data []byte) ([]byte, error) {
		var err error
		done, err = substitution.Apply(in.Path, data)
		return done.Text, err
	})
	if err != nil {
		return greenfield.EditOutput{}, err
	}
	return greenfield.EditOutput{
		Path: in.Path, Replacements: int64(done.Count), FirstLine: int64(done.Line), Size: int64(len(done.Text)),
	}, nil
}
