package tracker

import (
	"context"
	"strings"

	"github.com/gatewright/gatewright/generated/tracker"
	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// maxText is how many bytes of text read_document returns.
const maxText = 64 << 10

// ReadDocument is the handler of the tool read_document.
func ReadDocument[Permit tracker.ReadDocumentPermit](_ context.Context, permit Permit, in tracker.ReadDocumentInput) (tracker.ReadDocumentOutput, error) {
	read, err := readSource(permit, in.Document)
	if err != nil {
		return tracker.ReadDocumentOutput{}, err
	}
	out := tracker.ReadDocumentOutput{Document: read.Name, Sha256: read.SHA256, FromLine: max(1, value(in.FromLine)), Size: int64(len(read.Text))}
	var text strings.Builder
	full := false
	for line := range strings.Lines(read.Text) {
		out.TotalLines++
		if out.TotalLines < out.FromLine || full || in.Lines != nil && out.Lines == *in.Lines {
			continue
		}
		if full = text.Len()+len(line) > maxText; !full {
			text.WriteString(line)
			out.Lines++
		}
	}
	switch {
	case out.FromLine > max(1, out.TotalLines):
		return tracker.ReadDocumentOutput{}, refusal.New(refusal.NoSuchLine, "%q has %d lines", read.Name, out.TotalLines)
	case full && out.Lines == 0:
		return tracker.ReadDocumentOutput{}, refusal.New(refusal.LineTooLong, "line %d of %q is longer than %d bytes", out.FromLine, read.Name, maxText)
	}
	out.Text = text.String()
	return out, nil
}
