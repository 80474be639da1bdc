package compare

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gatewright/gatewright/gen/diag"
)

const (
	bold  = "\x1b[1m"
	red   = "\x1b[1;31m"
	reset = "\x1b[0m"
)

// Text writes changes for people, the weakenings first, and a last line that
// counts them. Nothing in it can act on a terminal but the colours, where they
// are wanted.
func Text(w io.Writer, changes []Change, colour bool) error {
	out := bufio.NewWriter(w)
	paint := func(with, text string) string {
		if !colour {
			return text
		}
		return with + text + reset
	}
	weaker := Weakenings(changes)
	for _, change := range weaker {
		fmt.Fprintf(out, "%s%s\n", paint(red, "weaker"), paint(bold, ": "+diag.Visible(change.Message)))
		fmt.Fprintf(out, "  = %s %s\n", paint(bold, "why:"), diag.Visible(change.Why))
	}
	if len(weaker) > 0 && len(weaker) < len(changes) {
		fmt.Fprintln(out)
	}
	for _, change := range changes {
		if !change.Weaker {
			fmt.Fprintf(out, "change: %s\n", diag.Visible(change.Message))
		}
	}
	fmt.Fprintln(out, paint(bold, Summary(changes)))
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the changes: %w", err)
	}
	return nil
}

// Summary counts changes.
func Summary(changes []Change) string {
	count := func(n int) string {
		if n == 1 {
			return "1 change"
		}
		return fmt.Sprintf("%d changes", n)
	}
	switch weaker := len(Weakenings(changes)); {
	case len(changes) == 0:
		return "nothing changes"
	case weaker == 0:
		return count(len(changes)) + ", none of which weakens what is guarded"
	case weaker == len(changes) && weaker == 1:
		return "1 change, which weakens what is guarded"
	case weaker == 1:
		return count(len(changes)) + ", 1 of which weakens what is guarded"
	default:
		return fmt.Sprintf("%s, %d of which weaken what is guarded", count(len(changes)), weaker)
	}
}

type jsonChange struct {
	Kind    Kind   `json:"kind"`
	Mode    string `json:"mode"`
	Tool    string `json:"tool"`
	Name    string `json:"name"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Message string `json:"message"`
	Weaker  bool   `json:"weaker"`
	Why     string `json:"why"`
}

// JSON writes changes for programs: {"changes": […]}, with every key always
// there.
func JSON(w io.Writer, changes []Change) error {
	all := make([]jsonChange, 0, len(changes))
	for _, change := range changes {
		all = append(all, jsonChange(change))
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(map[string]any{"changes": all}); err != nil {
		return fmt.Errorf("write the changes: %w", err)
	}
	return nil
}
