package greenfield

import (
	"bytes"
	"context"

	"github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// maxText is how many bytes of text read returns.
const maxText = 256 << 10

// Read is the handler of the tool read.
func Read[Permit greenfield.ReadPermit](ctx context.Context, permit Permit, in greenfield.ReadInput) (greenfield.ReadOutput, error) {
	data, err := content(ctx, permit, in)
	if err != nil {
		return greenfield.ReadOutput{}, err
	}
	if err := worktree.Text(in.Path, data); err != nil {
		return greenfield.ReadOutput{}, err
	}
	first := int64(1)
	if in.FromLine != nil {
		first = *in.FromLine
	}
	return excerpt(in.Path, data, first, value(in.Lines))
}

func content[Permit greenfield.CanRead](ctx context.Context, permit Permit, in greenfield.ReadInput) (data []byte, err error) {
	if in.Commit == nil {
		err = readFiles(permit, func(tree *worktree.Tree) (err error) {
			data, err = tree.Read(in.Path)
			return err
		})
		return data, err
	}
	repository, err := readRepository(ctx, permit)
	if err != nil {
		return nil, err
	}
	return repository.Read(ctx, *in.Commit, in.Path)
}

// excerpt takes whole lines, from the first one on, as many as are wanted and
// fit. No number of lines is all of them.
func excerpt(name string, data []byte, first, wanted int64) (greenfield.ReadOutput, error) {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	total := int64(len(lines))
	out := greenfield.ReadOutput{FromLine: first, TotalLines: total, Size: int64(len(data))}
	if first > max(total, 1) {
		return out, refusal.New(refusal.NoSuchLine, "%q has %d lines, and line %d was asked for", name, total, first)
	}
	var text bytes.Buffer
	for _, line := range lines[min(first-1, total):] {
		if text.Len()+len(line) > maxText || (wanted > 0 && out.Lines == wanted) {
			break
		}
		text.Write(line)
		out.Lines++
	}
	if out.Lines == 0 && total > 0 {
		return out, refusal.New(refusal.FileTooLarge, "line %d of %q is longer than %d bytes", first, name, maxText)
	}
	out.Text = text.String()
	return out, nil
}
