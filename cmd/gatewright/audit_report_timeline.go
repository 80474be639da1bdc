package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
)

// What the timeline is drawn in. Entries stand on the baseline, refusals above
// them, approvals below it.
const (
	slots    = 120 // of time, side by side
	slotWide = 8
	laneHigh = 64
	baseline = 48
	barHigh  = 28
	marks    = 6 // times that are written below
)

// A lane is the timeline of one mode.
type lane struct {
	Mode        string
	Bars        []bar
	Count       int
	Width, High int
	Base        int
}

// A bar is what happened in one slot of time.
type bar struct {
	X, Wide, Y, High   int
	Refused, Approvals int
	First              uint64 // entry of the slot
	Title              string
}

// A pause is a time without entries that takes no room.
type pause struct {
	X     int
	Title string
}

// timeline counts the entries of each mode in each slot of time.
func (p *logPage) timeline() {
	if len(p.Rows) == 0 {
		return
	}
	places, pauses := placed(p.Rows)
	p.Pauses = pauses
	lanes := map[string]*counts{}
	tallest := 1
	next := 0 // mark
	for i := range p.Rows {
		row := &p.Rows[i]
		if lanes[row.Mode] == nil {
			lanes[row.Mode] = &counts{}
		}
		tallest = max(tallest, lanes[row.Mode].add(row, places[i]))
		for ; next < marks && places[i] >= next*slots/marks; next++ {
			p.Marks = append(p.Marks, row.Short[:len("2006-01-02 15:04:05")])
		}
	}
	p.From, p.To = p.Rows[0].Short, p.Rows[len(p.Rows)-1].Short
	modes := slices.Clone(p.Modes)
	if lanes[""] != nil {
		modes = append(modes, "")
	}
	for _, mode := range modes {
		p.Lanes = append(p.Lanes, lanes[mode].lane(mode, tallest))
	}
}

// placed puts each entry into a slot, in the order of the log. A pause much
// longer than most is cut short, so that nights do not take the room of days; a
// clock that was set back stands still.
func placed(rows []logRow) (places []int, pauses []pause) {
	steps := make([]time.Duration, len(rows))
	for i := 1; i < len(rows); i++ {
		steps[i] = max(0, rows[i].at.Sub(rows[i-1].at))
	}
	longest := longestStep(steps)
	along := make([]float64, len(rows))
	for i := 1; i < len(rows); i++ {
		along[i] = along[i-1] + float64(min(steps[i], longest))
	}
	total := along[len(rows)-1]
	places = make([]int, len(rows))
	for i := range rows {
		if total == 0 {
			places[i] = i * slots / len(rows)
			continue
		}
		places[i] = min(slots-1, int(along[i]/total*slots))
		if steps[i] > longest {
			pauses = append(pauses, pause{X: places[i] * slotWide, Title: approval.Span(steps[i]) + " without an entry"})
		}
	}
	return places, pauses
}

// longestStep is ten times what all but one in twenty steps stay below.
func longestStep(steps []time.Duration) time.Duration {
	sorted := slices.Clone(steps)
	slices.Sort(sorted)
	return max(time.Second, 10*min(sorted[len(sorted)*95/100], time.Hour))
}

// counts are those of one mode.
type counts struct {
	all, refused, approvals [slots]int
	firsts                  [slots]*logRow
	total                   int
}

func (c *counts) add(row *logRow, slot int) int {
	c.total++
	if c.all[slot]++; c.firsts[slot] == nil {
		c.firsts[slot] = row
	}
	switch row.Kind {
	case kindRefused:
		c.refused[slot]++
	case kindApproval:
		c.approvals[slot]++
	}
	return c.all[slot]
}

func (c *counts) lane(mode string, tallest int) lane {
	made := lane{Mode: mode, Width: slots * slotWide, High: laneHigh, Base: baseline, Count: c.total}
	for slot := range c.all {
		n := c.all[slot]
		if n == 0 {
			continue
		}
		high := max(2, n*barHigh/tallest)
		made.Bars = append(made.Bars, bar{
			X: slot * slotWide, Wide: slotWide - 1, Y: baseline - high, High: high,
			Refused: c.refused[slot], Approvals: c.approvals[slot], First: c.firsts[slot].Seq,
			Title: fmt.Sprintf("from %s: %d in all, %d refused or failed, %d about approvals", c.firsts[slot].Short, n, c.refused[slot], c.approvals[slot]),
		})
	}
	return made
}

// ModeName is what a lane is called.
func (l lane) ModeName() string {
	if l.Mode == "" {
		return "no mode"
	}
	return l.Mode
}

// A choice is one filter of the page.
type choice struct {
	Name   string
	Values []string
}

// Choices are the filters of the page.
func (p *logPage) Choices() []choice {
	all := []choice{{"mode", p.Modes}, {"tool", p.Tools}, {"actor", p.Actors}, {"event", p.Events}}
	return slices.DeleteFunc(all, func(c choice) bool { return len(c.Values) == 0 })
}

// Shown is how many entries the page has.
func (p *logPage) Shown() uint64 { return uint64(len(p.Rows)) }
