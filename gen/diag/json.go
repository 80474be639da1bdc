package diag

import (
	"encoding/json"
	"fmt"
	"io"
)

type jsonPlace struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

func placeOf(s Span) jsonPlace { return jsonPlace(s) }

type jsonRelated struct {
	Message string `json:"message"`
	jsonPlace
}

type jsonDiagnostic struct {
	Rule    string `json:"rule"`
	Level   Level  `json:"level"`
	Message string `json:"message"`
	jsonPlace
	Related []jsonRelated `json:"related"`
	Help    string        `json:"help"`
}

// JSON writes diagnostics for programs: {"diagnostics": […]}, with every key
// always there. A diagnostic without a place has an empty file and zeros.
func JSON(w io.Writer, found []Diagnostic) error {
	all := make([]jsonDiagnostic, 0, len(found))
	for _, d := range found {
		related := make([]jsonRelated, 0, len(d.Related))
		for _, r := range d.Related {
			related = append(related, jsonRelated{r.Message, placeOf(r.Span)})
		}
		all = append(all, jsonDiagnostic{d.Rule, d.Level, d.Message, placeOf(d.Span), related, d.Help})
	}
	return encode(w, map[string]any{"diagnostics": all})
}

func encode(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write diagnostics: %w", err)
	}
	return nil
}
