package document

import (
	"fmt"
	"strings"
)

// render writes down what was found, to be read by people.
func render(found Found) string {
	var text strings.Builder
	for _, item := range found.Items {
		fmt.Fprintf(&text, "%d: %q", item.Line, item.Title)
		if item.Estimate > 0 {
			fmt.Fprintf(&text, ", estimate %d", item.Estimate)
		}
		text.WriteString("\n")
		for line := range strings.Lines(item.Description) {
			fmt.Fprintf(&text, "    %q\n", strings.TrimSuffix(line, "\n"))
		}
	}
	for _, skipped := range found.Skipped {
		fmt.Fprintf(&text, "%d: skipped as %s: %q\n", skipped.Line, skipped.Reason, skipped.Text)
	}
	return text.String()
}
