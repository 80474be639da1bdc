package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// GitHub writes diagnostics as workflow commands, which GitHub Actions shows
// beside the lines of a change.
func GitHub(w io.Writer, found []Diagnostic) error {
	out := bufio.NewWriter(w)
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, d := range found {
		command := map[Level]string{Error: "error", Warning: "warning", Note: "notice"}[d.Level]
		place := ""
		if !d.Span.IsZero() {
			place = fmt.Sprintf("file=%s,line=%d,col=%d,endLine=%d,endColumn=%d,",
				property.Replace(d.Span.File), d.Span.Line, d.Span.Column, d.Span.EndLine, d.Span.EndColumn)
		}
		fmt.Fprintf(out, "::%s %stitle=%s::%s\n", command, place, property.Replace(d.Rule), data.Replace(d.paragraphs()))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write diagnostics: %w", err)
	}
	return nil
}

// paragraphs is everything a diagnostic says, a line each.
func (d *Diagnostic) paragraphs() string {
	lines := []string{d.Message}
	for _, related := range d.Related {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", related.Span.File, related.Span.Line, related.Span.Column, related.Message))
	}
	for _, note := range d.Notes {
		lines = append(lines, "note: "+note)
	}
	if d.Waived != "" {
		lines = append(lines, "waived: "+d.Waived)
	}
	if d.Help != "" {
		lines = append(lines, "help: "+d.Help)
	}
	return strings.Join(lines, "\n")
}
