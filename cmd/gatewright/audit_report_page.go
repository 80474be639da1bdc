package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

//go:embed audit_report.html
var reportHTML string

//go:embed audit_report.css
var reportCSS string

//go:embed audit_report.js
var reportJS string

// A logPage is what the page is made of. Its texts are what the log holds, with
// what does not show as itself written out; the template escapes them.
type logPage struct {
	Protocol, Folder, Made string
	Head                   audit.Head
	Total, Fitting         uint64 // entries of the log, and those that fit the filters
	Damage                 string
	Rows                   []logRow
	Lanes                  []lane
	Pauses                 []pause
	Marks                  []string // times along the timeline, from its start
	From, To               string
	Refused, Approvals     int

	Modes, Tools, Actors, Events []string // to choose from

	Policy template.HTMLAttr
	Style  template.CSS
	Script template.JS

	most int
	next int // where the ring of rows goes on, once it is full
}

// A logRow is one entry.
type logRow struct {
	Seq                                  uint64
	Time, Short                          string
	Mode, Actor, Event, Tool, Call, What string
	Kind                                 string // one of the kinds below
	Fields                               []logField

	at time.Time
}

type logField struct{ Name, Text string }

func newLogPage(folder *state.Folder, most int, now time.Time) *logPage {
	return &logPage{
		Protocol: approval.Visible(folder.Protocol()), Folder: approval.Visible(folder.Path()), Made: now.UTC().Format(time.RFC3339), most: most,
		Policy: template.HTMLAttr(`content="default-src 'none'; script-src '` + hashOf(reportJS) + `'; style-src '` + hashOf(reportCSS) + //nolint:gosec // made of constants
			`'; base-uri 'none'; form-action 'none'"`),
		Style: template.CSS(reportCSS), Script: template.JS(reportJS), //nolint:gosec // constants
	}
}

// hashOf names an inline style or script in a content security policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// add counts an entry, and keeps it where it is wanted.
func (p *logPage) add(e *audit.Entry, wanted bool) {
	p.Total++
	p.Head = audit.Head{Seq: e.Seq, Hash: e.Hash}
	if !wanted {
		return
	}
	p.Fitting++
	if len(p.Rows) < p.most {
		p.Rows = append(p.Rows, rowOf(e))
		return
	}
	p.Rows[p.next] = rowOf(e)
	p.next = (p.next + 1) % p.most
}

func rowOf(e *audit.Entry) logRow {
	visible := approval.Visible
	row := logRow{
		Seq: e.Seq, Time: e.Time.UTC().Format(time.RFC3339Nano), Short: e.Time.UTC().Format("2006-01-02 15:04:05.000"),
		Mode: visible(e.Mode), Actor: visible(e.Actor), Event: visible(string(e.Event)), Tool: visible(e.Tool), Call: visible(e.Call),
		What: what(e), Kind: kindOf(e), at: e.Time,
	}
	add := func(name, text string) {
		if text != "" {
			row.Fields = append(row.Fields, logField{name, visible(text)})
		}
	}
	add("protocol", e.Protocol)
	add("digest", e.Digest)
	add("effect", e.Effect)
	add("call", e.Call)
	add("session", e.Session)
	add("arguments", e.Args)
	add("plan", e.Plan)
	for _, name := range sortedNames(e.Recorded) {
		add("recorded "+visible(name), e.Recorded[name])
	}
	add("decision", e.Decision)
	add("outcome", e.Outcome)
	add("code", string(e.Code))
	if a := e.Approval; a != nil {
		add("approval", a.ID)
		add("approval says", a.Decision)
		add("provider", a.Provider)
		add("approver", a.Approver)
		add("reason", a.Reason)
		add("waited", a.Waited)
		add("expires", a.ExpiresAt)
	}
	for _, name := range sortedNames(e.Details) {
		add(visible(name), e.Details[name])
	}
	add("hash", e.Hash)
	return row
}

// Kinds of a row, which are classes of the page.
const (
	kindPlain    = "plain"
	kindRefused  = "refused"
	kindApproval = "approval"
	kindLog      = "log"
)

// kindOf says how an entry stands out.
func kindOf(e *audit.Entry) string {
	switch tone(e) {
	case toneRefused:
		return kindRefused
	case toneApproval:
		return kindApproval
	case toneLog:
		return kindLog
	}
	if e.Event == gate.ToolCall && e.Approval != nil {
		return kindApproval
	}
	return kindPlain
}

// write makes the page.
func (p *logPage) write(out io.Writer) error {
	p.Rows = append(slices.Clone(p.Rows[p.next:]), p.Rows[:p.next]...)
	p.choices()
	p.timeline()
	for i := range p.Rows {
		switch p.Rows[i].Kind {
		case kindRefused:
			p.Refused++
		case kindApproval:
			p.Approvals++
		}
	}
	page, err := template.New("report").Funcs(template.FuncMap{"comma": grouped}).Parse(reportHTML)
	if err != nil {
		return err
	}
	return page.Execute(out, p)
}

// choices gathers what the filters offer.
func (p *logPage) choices() {
	collect := func(of func(*logRow) string) []string {
		seen := map[string]bool{}
		for i := range p.Rows {
			seen[of(&p.Rows[i])] = true
		}
		var all []string
		for text := range seen {
			if text != "" {
				all = append(all, text)
			}
		}
		slices.Sort(all)
		return all
	}
	p.Modes = collect(func(r *logRow) string { return r.Mode })
	p.Tools = collect(func(r *logRow) string { return r.Tool })
	p.Actors = collect(func(r *logRow) string { return r.Actor })
	p.Events = collect(func(r *logRow) string { return r.Event })
}

// grouped writes a number with a gap between each three digits.
func grouped(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}
