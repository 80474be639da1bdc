package main

import (
	"bytes"
	"slices"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
)

// Sizes of the screen, in columns and rows.
const (
	minWidth, minHeight = 40, 14
	wideWidth           = 100 // from here on the queue stands beside the request
	barRows             = 3   // one above, two below
	questionRows        = 6
)

func (w *watching) tooSmall() bool { return w.width < minWidth || w.height < minHeight }

func (w *watching) wide() bool { return w.width >= wideWidth }

func (w *watching) queueWidth() int {
	if !w.wide() {
		return w.width
	}
	return max(34, min(w.width/3, 52))
}

func (w *watching) cardWidth() int {
	if !w.wide() {
		return w.width
	}
	return w.width - w.queueWidth() - len(" | ")
}

func (w *watching) bodyRows() int { return w.height - barRows }

// queueHeight is how many rows there are for the queue and the history, with
// the title.
func (w *watching) queueHeight() int {
	if w.wide() {
		return w.bodyRows()
	}
	return max(2, min(1+max(1, len(w.waiting))+w.historyRows(), w.bodyRows()/3))
}

func (w *watching) historyRows() int {
	switch {
	case len(w.history) == 0 || w.bodyRows() < 16:
		return 0
	case w.wide():
		return 1 + len(w.history)
	}
	return min(len(w.history), 1)
}

// queueRows is how many requests of the queue show at a time.
func (w *watching) queueRows() int {
	rows := w.queueHeight() - 1 - w.historyRows()
	if w.wide() {
		rows /= 2
	}
	return max(1, rows)
}

// cardHeight is how many rows of the card show, below its title.
func (w *watching) cardHeight() int {
	rows := w.bodyRows() - 1
	if !w.wide() {
		rows -= w.queueHeight()
	}
	if w.confirming != nil {
		rows -= questionRows
	}
	return max(1, rows)
}

// A cardCache is the card that was last laid out. Ages in it are told anew each
// second, of a large one less often.
type cardCache struct {
	of      key
	width   int
	at      time.Time
	request approval.Request
	options approval.CardOptions
	lines   []approval.CardLine
}

const largeCard = 128 << 10 // bytes of a request

func (w *watching) cardLines() []approval.CardLine {
	selected, ok := w.current()
	if !ok {
		return nil
	}
	options, now := w.options[w.selected], w.now()
	every := time.Second
	if len(selected.request.Arguments)+len(selected.request.Shown) > largeCard {
		every = 30 * time.Second
	}
	c := &w.card
	if age := now.Sub(c.at); c.of == w.selected && c.width == w.cardWidth() && age >= 0 && age < every && c.knows(selected.request, options) {
		return c.lines
	}
	*c = cardCache{of: w.selected, width: w.cardWidth(), at: now, request: selected.request, options: options}
	options.Now, options.Width, options.Folder = now, w.cardWidth(), selected.drawer.folder.Path()
	c.lines = approval.CardLines(selected.request, options)
	return c.lines
}

// knows reports whether there is nothing new to tell but ages.
func (c *cardCache) knows(request approval.Request, options approval.CardOptions) bool {
	return request.Status == c.request.Status && request.Shown == c.request.Shown && request.Round == c.request.Round &&
		bytes.Equal(request.Arguments, c.request.Arguments) && options.InForce == c.options.InForce &&
		slices.EqualFunc(options.Identical, c.options.Identical, approval.Request.Equal)
}
