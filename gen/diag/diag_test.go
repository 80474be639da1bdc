package diag

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSourceFindsLinesAndColumns(t *testing.T) {
	source := NewSource("f", []byte("\ufeffab\r\nné名\n\nlast"))
	require.Equal(t, 4, source.Lines())
	require.Equal(t, "ab", string(source.Line(1)))
	require.Equal(t, "né名", string(source.Line(2)))
	require.Empty(t, source.Line(3))
	require.Nil(t, source.Line(0))
	require.Nil(t, source.Line(5))
	for _, place := range [][2]int{{1, 1}, {1, 3}, {2, 1}, {2, 3}, {2, 4}, {3, 1}, {4, 5}} {
		line, column := source.Position(source.Offset(place[0], place[1]), 1)
		require.Equal(t, [2]int{line, column}, place)
	}
	require.Equal(t, source.Offset(2, 4), source.Offset(2, 99), "behind the end is the end")
}

func TestSourceOnALongLine(t *testing.T) {
	text := strings.Repeat("é", 5000) + "x"
	source := NewSource("f", []byte(text))
	for _, column := range []int{1, 2, 1023, 1024, 1025, 1026, 4097, 5000, 5001, 5002} {
		require.Equal(t, min(2*(column-1), len(text)-1)+max(0, column-5001), source.Offset(1, column))
		_, back := source.Position(source.Offset(1, column), 1)
		require.Equal(t, column, back)
	}
}

func TestVisibleLeavesNothingThatDeceives(t *testing.T) {
	for text, want := range map[string]string{
		"plain":             "plain",
		"a\tb":              "a    b",
		"\x1b[31m":          "␛[31m",
		"a\nb":              "a␊b",
		"\u202eabc":         "<U+202E>abc",
		"a\u200bb":          "a<U+200B>b",
		"\U000e0041":        "<U+E0041>",
		"\x7f\u0085":        "␡<U+0085>",
		"नमस्\u200dते 名前 😀": "नमस्\u200dते 名前 😀",
		"\xff":              "\ufffd",
	} {
		require.Equal(t, want, Visible(text))
	}
}

func TestQuoteCutsAndKeepsItsQuotes(t *testing.T) {
	require.Equal(t, "`a'b`", Quote("a`b"))
	require.Equal(t, "`"+strings.Repeat("é", 60)+"…`", Quote(strings.Repeat("é", 61)))
}

func TestWidth(t *testing.T) {
	require.Equal(t, 4, width("名前"))
	require.Equal(t, 1, width("e\u0301"))
	require.Equal(t, 2, width("😀"))
	require.Equal(t, 5, width("plain"))
}

func TestClosest(t *testing.T) {
	var s Suggester
	names := []string{"description", "effect", "input", "output", "approve", "to"}
	for word, want := range map[string]string{
		"descripton": "description", "efect": "effect", "inptu": "input", "aprove": "approve", "too": "to",
		"output": "", "zzz": "", "x": "", "": "",
	} {
		got, ok := s.Closest(word, names)
		require.Equal(t, want, got, word)
		require.Equal(t, want != "", ok)
	}
	many := make([]string, suggestBudget)
	_, _ = s.Closest("abc", many)
	_, ok := s.Closest("efect", names)
	require.False(t, ok, "the work is bounded")
}

func TestSortOrdersAndDropsWhatIsSaidTwice(t *testing.T) {
	at := func(line, column int) Span {
		return Span{File: "f", Line: line, Column: column, EndLine: line, EndColumn: column + 1}
	}
	found := Sort([]Diagnostic{
		{Rule: "b", Message: "x", Span: at(2, 1)}, {Rule: "a", Message: "x", Span: at(2, 1)}, {Rule: "z", Message: "no place"},
		{Rule: "b", Message: "x", Span: at(2, 1)}, {Rule: "c", Message: "x", Span: at(1, 9)},
	})
	var rules []string
	for _, d := range found {
		rules = append(rules, d.Rule)
	}
	require.Equal(t, []string{"z", "c", "a", "b"}, rules)
}

// A diagnostic that has no place, a file that is not at hand, a place outside
// the text: shown as far as that goes.
func TestTextShowsWhatItCan(t *testing.T) {
	var out bytes.Buffer
	files := Files{"f": NewSource("f", []byte("one\n"))}
	require.NoError(t, Text(&out, []Diagnostic{
		{Rule: "a", Level: Error, Message: "no place"},
		{Rule: "b", Level: Warning, Message: "no file", Span: Span{"other", 3, 1, 3, 2}, Related: []Related{{Span{"f", 1, 1, 1, 4}, "here"}, {Span{"third", 9, 1, 9, 1}, "there"}}},
		{Rule: "c", Level: Error, Message: "outside", Span: Span{"f", 7, 9, 8, 1}},
	}, files, false))
	require.Equal(t, `error[a]: no place

warning[b]: no file
 --> other:3:1
 ::: f:1:1
  |
1 | one
  | --- here
  |
 ::: third:9:1
  | 9:1: there

error[c]: outside
 --> f:7:9
  |
7 |
  | ^
  |

2 errors, 1 warning; `+"`gatewright explain a` says more\n", out.String())
}

func TestTextOfNothingIsNothing(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Text(&out, nil, nil, true))
	require.Empty(t, out.String())
}

// The keys and their order are what other programs rely on.
func TestJSONHasExactlyTheseKeys(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, JSON(&out, []Diagnostic{{
		Rule: "r", Level: Error, Message: "<m>", Span: Span{"f", 1, 2, 3, 4}, Help: "h", Label: "l", Notes: []string{"n"},
		Related: []Related{{Span{"g", 5, 6, 7, 8}, "there"}},
	}, {Rule: "s", Level: Warning, Message: "m"}}))
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, out.Bytes()))
	require.JSONEq(t, `{"diagnostics":[{"rule":"r","level":"error","message":"<m>","file":"f","line":1,"column":2,"endLine":3,"endColumn":4,`+
		`"related":[{"message":"there","file":"g","line":5,"column":6,"endLine":7,"endColumn":8}],"help":"h"},`+
		`{"rule":"s","level":"warning","message":"m","file":"","line":0,"column":0,"endLine":0,"endColumn":0,"related":[],"help":""}]}`, compact.String())
}

func TestGitHubEscapes(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, GitHub(&out, []Diagnostic{
		{Rule: "r", Level: Error, Message: "50%\n::error::x", Span: Span{"a,b:c", 1, 2, 3, 4}},
		{Rule: "s", Level: Note, Message: "m", Waived: "why"},
	}))
	require.Equal(t, "::error file=a%2Cb%3Ac,line=1,col=2,endLine=3,endColumn=4,title=r::50%25%0A::error::x\n::notice title=s::m%0Awaived: why\n", out.String())
}
