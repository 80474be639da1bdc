package diag

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"
)

// A RuleInfo is what a SARIF log says about a rule.
type RuleInfo struct {
	ID      string
	Purpose string
	Help    string
	Level   Level
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID            string    `json:"id"`
	Short         sarifText `json:"shortDescription"`
	Help          sarifText `json:"help"`
	Configuration struct {
		Level Level `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifPlace struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

type sarifLocation struct {
	ID      *int       `json:"id,omitempty"`
	Place   sarifPlace `json:"physicalLocation"`
	Message *sarifText `json:"message,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    *int               `json:"ruleIndex,omitempty"`
	Level        Level              `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations,omitempty"`
	Related      []sarifLocation    `json:"relatedLocations,omitempty"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

// SARIF writes diagnostics as a SARIF 2.1.0 log of one run by a tool of that
// version.
func SARIF(w io.Writer, found []Diagnostic, version string, rules []RuleInfo) error {
	index := map[string]int{}
	described := make([]sarifRule, 0, len(rules))
	for i, rule := range rules {
		index[rule.ID] = i
		next := sarifRule{ID: rule.ID, Short: sarifText{rule.Purpose}, Help: sarifText{rule.Help}}
		next.Configuration.Level = rule.Level
		described = append(described, next)
	}
	results := make([]sarifResult, 0, len(found))
	for _, d := range found {
		result := sarifOf(d)
		if at, ok := index[d.Rule]; ok {
			result.RuleIndex = &at
		}
		results = append(results, result)
	}
	return encode(w, map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []any{map[string]any{
			"tool": map[string]any{"driver": map[string]any{
				"name": "gatewright", "version": version,
				"informationUri": "https://github.com/gatewright/gatewright", "rules": described,
			}},
			"columnKind": "unicodeCodePoints",
			"results":    results,
		}},
	})
}

func sarifOf(d Diagnostic) sarifResult {
	message := append([]string{d.Message}, d.Notes...)
	if d.Help != "" {
		message = append(message, "help: "+d.Help)
	}
	result := sarifResult{RuleID: d.Rule, Level: d.Level, Message: sarifText{strings.Join(message, "\n")}}
	if !d.Span.IsZero() {
		result.Locations = []sarifLocation{{Place: sarifPlaceOf(d.Span)}}
	}
	for i, related := range d.Related {
		result.Related = append(result.Related, sarifLocation{ID: &i, Place: sarifPlaceOf(related.Span), Message: &sarifText{related.Message}})
	}
	if d.Waived != "" {
		result.Suppressions = []sarifSuppression{{"inSource", d.Waived}}
	}
	return result
}

func sarifPlaceOf(span Span) sarifPlace {
	var place sarifPlace
	uri := url.URL{Path: filepath.ToSlash(span.File)}
	if filepath.IsAbs(span.File) {
		uri.Scheme = "file"
		uri.Path = "/" + strings.TrimPrefix(uri.Path, "/")
	}
	place.Artifact.URI = uri.String()
	if span.Line > 0 {
		place.Region = &sarifRegion{span.Line, span.Column, span.EndLine, span.EndColumn}
	}
	return place
}
