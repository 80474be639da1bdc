package document

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

func parse(t *testing.T, text string) Found {
	t.Helper()
	found, err := Parse(Document{Name: "docs/plan.md", Text: text})
	require.NoError(t, err)
	return found
}

// The documented format, line by line: what is an item, and what is not.
func TestWhatCountsAsAnItem(t *testing.T) {
	for line, title := range map[string]string{
		"- [ ] Write it":             "Write it",
		"* [ ] Write it":             "Write it",
		"- [ ]   Write it\t ":        "Write it",
		"- [ ] Écrire 名前 🌱":          "Écrire 名前 🌱",
		"- [ ] [link](docs/a.md)":    "[link](docs/a.md)",
		"- [ ] - [ ] twice":          "- [ ] twice",
		"- [ ] (estimate: 3) first":  "(estimate: 3) first",
		"- [ ] Estimate: 3":          "Estimate: 3",
		"- [ ] a \x1b[31mred\x1b[0m": "a \x1b[31mred\x1b[0m",
	} {
		found := parse(t, line+"\n")
		require.Len(t, found.Items, 1, "%q", line)
		require.Equal(t, Item{Key: Key("docs/plan.md", title), Line: 1, Title: title}, found.Items[0], "%q", line)
		require.Empty(t, found.Skipped)
	}
	for _, line := range []string{
		"", "text", "# - [ ] heading", "> - [ ] quoted", "- text", "- [link](a.md)", "- [x](a.md)", "- [x]: a.md", "[ ] text", "-- [ ] text", "| - [ ] cell |", "- \\[ ] text", "— [ ] text",
	} {
		require.Equal(t, Found{}, parse(t, line+"\n"), "%q", line)
	}
}

func TestEstimates(t *testing.T) {
	for line, want := range map[string]int{
		"- [ ] a (estimate: 3)": 3, "- [ ] a(estimate:3)": 3, "- [ ] a  (estimate:  1000 ) ": 1000, "- [ ] a (estimate: 1)": 1,
	} {
		found := parse(t, line)
		require.Equal(t, []Item{{Key: Key("docs/plan.md", "a"), Line: 1, Title: "a", Estimate: want}}, found.Items, "%q", line)
	}
	for _, line := range []string{
		"- [ ] a (estimate: 0)", "- [ ] a (estimate: 1001)", "- [ ] a (estimate: -1)", "- [ ] a (estimate: 03)", "- [ ] a (estimate: 3 days)",
		"- [ ] a (estimate: )", "- [ ] a (estimate: 1e2)", "- [ ] a (estimate: ٣)", "- [ ] a (estimate: 99999999999999999999)", "- [ ] (estimate: 3)",
	} {
		found := parse(t, line)
		require.Empty(t, found.Items, "%q", line)
		require.Equal(t, []Skipped{{1, line, Unclear}}, found.Skipped, "%q", line)
	}
}

// What may have been meant is not passed over in silence.
func TestUnclearLinesAreNamed(t *testing.T) {
	for _, line := range []string{
		"- [] a", "- [ ]a", "-[ ] a", "+ [ ] a", "1. [ ] a", "2) [x] a", "- [  ] a", "- [ x ] a", "- [-] a", "- [✓] a", "- [ ]", "- [ ] ", "-  [ ] a", "  - [ ] a", "\t* [x] a",
	} {
		found := parse(t, "# Plan\n\n"+line+"\n")
		require.Empty(t, found.Items, "%q", line)
		require.Equal(t, []Skipped{{3, line, Unclear}}, found.Skipped, "%q", line)
	}
}

func TestDoneRepeatedAndTooLong(t *testing.T) {
	long := strings.Repeat("é", MaxTitle)
	found := parse(t, "- [x] done\n- [X] done too (estimate: 2)\n- [ ] a\n- [ ]  a \n- [ ] a (estimate: 2)\n- [ ] "+long+"\n- [ ] "+long+"!\n"+
		"- [ ] b\n  "+strings.Repeat("é", MaxDescription)+"\n- [ ] c\n  "+strings.Repeat("é", MaxDescription+1)+"\n- [ ] c\n")
	require.Equal(t, []string{"a", long, "b", "c"}, titles(found))
	require.Equal(t, []Skipped{
		{1, "done", Done},
		{2, "done too", Done},
		{4, "a", Repeated},
		{5, "a", Repeated},
		{7, long[:2*(MaxTitle-1)] + "…", TooLong},
		{10, "c", TooLong},
	}, found.Skipped)
	require.Equal(t, 12, found.Items[3].Line, "the title of one that was skipped is free")
}

func titles(found Found) (all []string) {
	for _, item := range found.Items {
		all = append(all, item.Title)
	}
	return all
}

func TestDescriptions(t *testing.T) {
	for text, want := range map[string]string{
		"- [ ] a\n  one\n  two\n":                      "one\ntwo",
		"- [ ] a\n\n\n  one\n\n    two  \n\n\nprose\n": "one\n\n  two  ",
		"- [ ] a\n\tone\n\t- [ ] part\n":               "one\n- [ ] part",
		"- [ ] a\n  - [ ] part\n    more\n":            "- [ ] part\n  more",
		"- [ ] a\n  ```\n  - [ ] code\n  ```\n":        "```\n- [ ] code\n```",
		"- [ ] a\n\tone\n  two\n":                      "\tone\n  two",
		"- [ ] a\r\n  one\r\n\r\n  two\r\n":            "one\n\ntwo",
		"- [ ] a\n  <!-- - [ ] b -->\n":                "<!-- - [ ] b -->",
		"- [ ] a\nprose\n  more\n":                     "",
		"- [ ] a":                                      "",
		"- [ ] a\n \n":                                 "",
		"\ufeff- [ ] a\n  one":                         "one",
		"- [ ] a\n  " + "one\u2028two\n":               "one\u2028two",
		"- [x] b\n  not this\n- [ ] a\n  this\n":       "this",
		"- [] b\n  nor this\n- [ ] a\n  this\n":        "this",
		"- [ ] b (estimate: x)\n  n\n- [ ] a\n  this":  "this",
	} {
		found := parse(t, text)
		require.Equal(t, []string{"a"}, titles(found), "%q", text)
		require.Equal(t, want, found.Items[0].Description, "%q", text)
	}
}

func TestFencesAndCommentsArePassedOver(t *testing.T) {
	for _, text := range []string{
		"```\n- [ ] b\n```\n- [ ] a", "~~~~ md\n- [ ] b\n~~~\n- [ ] c\n~~~~~\n- [ ] a", "````\n```\n- [ ] b\n````\n- [ ] a", "   ```go\n- [ ] b\n  ```  \n- [ ] a",
		"```\n~~~\n- [ ] b\n```\n- [ ] a", "<!-- - [ ] b -->\n- [ ] a", "<!--\n- [ ] b\n\n- [ ] c\n--> - [ ] d\n- [ ] a", "``` ` ```\n- [ ] a",
	} {
		found := parse(t, text)
		require.Equal(t, []string{"a"}, titles(found), "%q", text)
		require.Empty(t, found.Skipped, "%q", text)
	}
	for _, opening := range []string{"```", "~~~x", "<!-- a"} {
		found := parse(t, "- [ ] a\n"+opening+"\n- [ ] b\n")
		require.Equal(t, []string{"a"}, titles(found))
		require.Equal(t, []Skipped{{2, opening, Unclear}}, found.Skipped, "what never ends may hide items")
	}
}

func TestTooManyItems(t *testing.T) {
	for _, line := range []string{"- [x] a\n", "- [] a\n"} {
		require.Len(t, parse(t, strings.Repeat(line, MaxItems)).Skipped, MaxItems)
		_, err := Parse(Document{Text: strings.Repeat(line, MaxItems+1)})
		require.ErrorContains(t, err, "more than 500 items")
	}
}

// A key stays the same as long as document and title do, and tells them apart.
func TestKeys(t *testing.T) {
	require.Equal(t, Key("docs/a.md", "one two"), Key("docs/a.md", " one \t two "))
	require.NotEqual(t, Key("docs/a.md", "one"), Key("docs/b.md", "one"))
	require.NotEqual(t, Key("docs/a.md", "one"), Key("docs/a.md", "One"))
	require.Len(t, Key("", ""), 32)
	before := parse(t, "- [ ] a\n- [ ] b\n")
	after := parse(t, "# New\n\n- [x] c\n- [ ] b (estimate: 4)\n  words\n")
	require.Equal(t, before.Items[1].Key, after.Items[0].Key)
}

// Each case holds a document, then what is found in it.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, name := range cases {
		archive, err := txtar.ParseFile(name)
		require.NoError(t, err)
		require.Len(t, archive.Files, 2, name)
		got := render(parse(t, string(archive.Files[0].Data)))
		if os.Getenv("UPDATE") != "" {
			archive.Files[1].Data = []byte(got)
			require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o644))
		}
		require.Equal(t, string(archive.Files[1].Data), got, name)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "- [ ] a (estimate: 3)\n  one\n\n  two\n- [x] b\n", "```\n- [ ] a\n", "<!--\n-->", "- [ ] \n", "\ufeff- [] a", "~~~\r\n~~~\r\n- [ ] a\r\n\tb\r\n", "- [ ] a\n\t\n  \n \tx\n",
		"- [ ] " + strings.Repeat("(estimate: ", 50) + "3)", "`````", "- [ ] a\x00b\n \x00", "- [ ] \xff\n  \xfe",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := Parse(Document{Name: "docs/plan.md", Text: text})
		if err != nil {
			return
		}
		again, err := Parse(Document{Name: "docs/plan.md", Text: text})
		require.NoError(t, err)
		require.Equal(t, found, again)
		lines, keys, last := strings.Count(text, "\n")+1, map[string]bool{}, 0
		for _, item := range found.Items {
			require.False(t, keys[item.Key], "two items with one key")
			keys[item.Key] = true
			require.True(t, item.Line > last && item.Line <= lines, "an item stands below the one before")
			last = item.Line
			require.True(t, item.Title != "" && utf8.RuneCountInString(item.Title) <= MaxTitle)
			require.LessOrEqual(t, utf8.RuneCountInString(item.Description), MaxDescription)
			require.True(t, item.Estimate >= 0 && item.Estimate <= MaxEstimate)
			require.Contains(t, text, item.Title, "what is imported stands in the document")
			for part := range strings.Lines(item.Description) {
				require.Contains(t, text, strings.TrimSuffix(part, "\n"))
			}
		}
		for _, skipped := range found.Skipped {
			require.False(t, skipped.Line < 1 || skipped.Line > lines)
			require.LessOrEqual(t, utf8.RuneCountInString(skipped.Text), MaxTitle)
		}
	})
}
