package diag

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Files are the sources that diagnostics point into, by the File of their
// spans. A place in a file that is not there is shown without its text.
type Files map[string]*Source

// Text writes diagnostics for people: each with the lines it is about, and a
// last line that counts them and says where to read more. It writes nothing
// where there is nothing.
func Text(w io.Writer, found []Diagnostic, files Files, colour bool) error {
	out := bufio.NewWriter(w)
	p := &printer{out: out, files: files, style: style{on: colour}}
	for _, d := range found {
		p.diagnostic(d)
	}
	if len(found) > 0 {
		fmt.Fprintf(out, "%s; `gatewright explain %s` says more\n", p.style.paint(bold, summary(found)), Visible(example(found)))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write diagnostics: %w", err)
	}
	return nil
}

// example is the rule of the first finding that is most in the way.
func example(found []Diagnostic) string {
	for _, level := range []Level{Error, Warning} {
		for _, d := range found {
			if d.Level == level {
				return d.Rule
			}
		}
	}
	return found[0].Rule
}

func summary(found []Diagnostic) string {
	count := map[Level]int{}
	for _, d := range found {
		count[d.Level]++
	}
	var parts []string
	for _, each := range []struct {
		level Level
		name  string
	}{{Error, "error"}, {Warning, "warning"}, {Note, "waived finding"}} {
		switch n := count[each.level]; n {
		case 0:
		case 1:
			parts = append(parts, "1 "+each.name)
		default:
			parts = append(parts, strconv.Itoa(n)+" "+each.name+"s")
		}
	}
	return strings.Join(parts, ", ")
}

type printer struct {
	out   *bufio.Writer
	files Files
	style style
}

func (p *printer) diagnostic(d Diagnostic) {
	fmt.Fprintf(p.out, "%s%s\n",
		p.style.paint(p.style.level(d.Level), fmt.Sprintf("%s[%s]", d.Level, Visible(d.Rule))),
		p.style.paint(bold, ": "+Visible(d.Message)))
	gutter := p.gutter(d)
	if !d.Span.IsZero() {
		p.places(d, gutter)
	}
	for _, note := range d.Notes {
		p.remark(gutter, "note", note)
	}
	if d.Waived != "" {
		p.remark(gutter, "waived", d.Waived)
	}
	if d.Help != "" {
		p.remark(gutter, "help", d.Help)
	}
	fmt.Fprintln(p.out)
}

// gutter is as wide as the longest number of a line that is shown.
func (p *printer) gutter(d Diagnostic) string {
	last := d.Span.Line
	for _, related := range d.Related {
		last = max(last, related.Span.Line)
	}
	return strings.Repeat(" ", len(strconv.Itoa(last)))
}

func (p *printer) remark(gutter, kind, text string) {
	lines := strings.Split(text, "\n")
	fmt.Fprintf(p.out, "%s = %s %s\n", gutter, p.style.paint(bold, kind+":"), Visible(lines[0]))
	for _, line := range lines[1:] {
		fmt.Fprintf(p.out, "%s   %s %s\n", gutter, strings.Repeat(" ", len(kind)+1), Visible(line))
	}
}

// places shows the primary place with the related ones of the same file, and
// then those of other files.
func (p *printer) places(d Diagnostic, gutter string) {
	marks := []mark{{span: d.Span, label: d.Label, primary: true}}
	var files []string
	elsewhere := map[string][]mark{}
	for _, related := range d.Related {
		next := mark{span: related.Span, label: related.Message}
		switch file := related.Span.File; file {
		case d.Span.File:
			marks = append(marks, next)
		default:
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
			elsewhere[file] = append(elsewhere[file], next)
		}
	}
	p.head(gutter, "-->", d.Span)
	p.snippet(gutter, marks, p.style.level(d.Level))
	for _, file := range files {
		p.head(gutter, ":::", elsewhere[file][0].span)
		p.snippet(gutter, elsewhere[file], p.style.level(d.Level))
	}
}

func (p *printer) head(gutter, arrow string, span Span) {
	place := Visible(span.File)
	if span.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", place, span.Line, span.Column)
	}
	fmt.Fprintf(p.out, "%s%s %s\n", gutter, p.style.paint(blue, arrow), place)
}
