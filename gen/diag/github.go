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
		message := d.Message
		var messageSb24 strings.Builder
		for _, related := range d.Related {
			messageSb24.WriteString(fmt.Sprintf("\n%s:%d:%d: %s", related.Span.File, related.Span.Line, related.Span.Column, related.Message))
		}
		message += messageSb24.String()
		var messageSb27 strings.Builder
		for _, note := range d.Notes {
			messageSb27.WriteString("\nnote: " + note)
		}
		message += messageSb27.String()
		if d.Waived != "" {
			message += "\nwaived: " + d.Waived
		}
		if d.Help != "" {
			message += "\nhelp: " + d.Help
		}
		fmt.Fprintf(out, "::%s %stitle=%s::%s\n", command, place, property.Replace(d.Rule), data.Replace(message))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write diagnostics: %w", err)
	}
	return nil
}
