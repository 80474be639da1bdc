package main

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/gatewright/gatewright/runtime/approval"
)

const (
	// settling is for how long no key decides after something has moved that the
	// person did not move: a key that was on its way was meant for what was there
	// before.
	settling   = 300 * time.Millisecond
	maxHistory = 5
	fadesAfter = time.Minute
)

// A pane is a part of the screen that keys can go to.
type pane uint8

const (
	queuePane pane = iota
	requestPane
)

// watching is the screen. It changes in Update alone, and reads no clock and no
// store but through what it was given.
type watching struct {
	keeper keeper
	now    func() time.Time
	bell   bool

	width, height int
	looked        bool // at least once
	waiting       []item
	selected      key
	options       map[key]approval.CardOptions // what is known beside the requests
	learning      key                          // of whom that was asked last
	problems      []problem
	focus         pane
	top           int         // first request of the queue that shows
	scroll        int         // first line of the card that shows
	seen          map[key]int // lines of the card, from its first, that have been on the screen
	quiet         time.Time   // until then no key decides
	confirming    *confirming
	history       []past
	notice        string
	card          cardCache
}

// A past is a request that waits no longer.
type past struct {
	item item
	at   time.Time
}

type (
	sightMsg sight
	lookMsg  struct{}
	knownMsg struct {
		of      key
		options approval.CardOptions
	}
	settledMsg struct {
		shown   item
		request approval.Request
		err     error
	}
)

func newWatching(keeper keeper, now func() time.Time) *watching {
	return &watching{keeper: keeper, now: now, options: map[key]approval.CardOptions{}, seen: map[key]int{}}
}

// Init implements tea.Model.
func (w *watching) Init() tea.Cmd { return w.look() }

func (w *watching) look() tea.Cmd {
	before, selected := slices.Clone(w.waiting), w.selected
	return func() tea.Msg { return sightMsg(w.keeper.look(before, selected)) }
}

// Update implements tea.Model.
func (w *watching) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var then tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		w.width, w.height = msg.Width, msg.Height
		clear(w.seen) // lines are others now
		w.calm()
	case lookMsg:
		then = w.look()
	case sightMsg:
		then = w.take(sight(msg))
	case knownMsg:
		w.options[msg.of], w.learning = msg.options, key{}
	case settledMsg:
		w.settled(msg)
	case tea.KeyPressMsg:
		then = w.key(msg)
	case tea.PasteMsg:
		w.paste(msg.Content)
	}
	w.keepInView()
	if learn := w.learn(); learn != nil {
		return w, tea.Batch(then, learn)
	}
	return w, then
}

// calm begins the time in which no key decides.
func (w *watching) calm() { w.quiet = w.now().Add(settling) }

func (w *watching) settlingStill() bool { return w.now().Before(w.quiet) }

// take puts what a look saw on the screen. What was there stays where it was;
// what is new comes after it.
func (w *watching) take(s sight) tea.Cmd {
	var kept []item
	for _, old := range w.waiting {
		if i := findItem(s.waiting, old.key()); i >= 0 {
			kept = append(kept, s.waiting[i])
		}
	}
	came := false
	for _, each := range s.waiting {
		if findItem(kept, each.key()) < 0 {
			kept, came = append(kept, each), true
		}
	}
	if came {
		w.calm()
	}
	for _, each := range s.gone {
		w.remember(each)
	}
	at := findItem(w.waiting, w.selected)
	before := w.waiting
	w.waiting, w.problems, w.looked = kept, s.problems, true
	if s.options != nil {
		w.options[s.of] = *s.options
	}
	w.reselect(before, at)
	w.recheck()
	next := tea.Tick(watchEvery, func(time.Time) tea.Msg { return lookMsg{} })
	if came && w.bell {
		return tea.Batch(next, tea.Raw("\a"))
	}
	return next
}

// learn asks what there is to know of the selected request, once.
func (w *watching) learn() tea.Cmd {
	selected, ok := w.current()
	if _, known := w.options[w.selected]; !ok || known || w.learning == w.selected {
		return nil
	}
	w.learning = w.selected
	return func() tea.Msg { return knownMsg{selected.key(), w.keeper.know(selected)} }
}

// reselect keeps the selection on its request. Where that is gone, the one that
// stood after it is selected, or else the one before.
func (w *watching) reselect(before []item, at int) {
	switch {
	case len(w.waiting) == 0:
		w.selected = key{}
		return
	case findItem(w.waiting, w.selected) >= 0:
		return
	}
	next := w.waiting[len(w.waiting)-1].key()
	if at < 0 {
		next = w.waiting[0].key()
	}
	for i := max(at, 0); i < len(before); i++ {
		if findItem(w.waiting, before[i].key()) >= 0 {
			next = before[i].key()
			break
		}
	}
	w.choose(next)
	w.calm()
}

// recheck takes back a question about a request that is no longer what is shown.
func (w *watching) recheck() {
	c := w.confirming
	if c == nil || c.busy {
		return
	}
	i := findItem(w.waiting, c.item.key())
	switch {
	case i < 0:
		w.notice = short(c.item) + " waits no longer; nothing was decided here"
	case !same(w.waiting[i].request, c.item.request):
		w.notice = short(c.item) + " has changed; look at it again"
		delete(w.seen, c.item.key())
	default:
		return
	}
	w.confirming = nil
	w.calm()
}

// same reports whether two looks at a request saw the same to decide about.
func same(a, b approval.Request) bool {
	a.Round, b.Round = 0, 0
	return a.Equal(b)
}

func (w *watching) settled(msg settledMsg) {
	if c := w.confirming; c != nil && c.item.key() == msg.shown.key() {
		w.confirming = nil
		w.calm()
	}
	if msg.err != nil {
		w.notice = approval.CardQuote(msg.err.Error())
		return
	}
	w.notice = short(msg.shown) + " is " + string(msg.request.Status)
	w.remember(item{msg.request, msg.shown.drawer})
	before := w.waiting
	at := findItem(before, w.selected)
	w.waiting = slices.DeleteFunc(slices.Clone(before), func(each item) bool { return each.key() == msg.shown.key() })
	w.reselect(before, at)
}

// remember puts a request into the history, once.
func (w *watching) remember(gone item) {
	if i := slices.IndexFunc(w.history, func(p past) bool { return p.item.key() == gone.key() }); i >= 0 {
		w.history[i].item = gone
		return
	}
	w.history = append([]past{{gone, w.now()}}, w.history...)
	w.history = w.history[:min(len(w.history), maxHistory)]
	delete(w.options, gone.key())
	delete(w.seen, gone.key())
}

func (w *watching) choose(next key) {
	if w.selected != next {
		w.selected, w.scroll = next, 0
	}
}

// current is the request that is selected.
func (w *watching) current() (item, bool) {
	i := findItem(w.waiting, w.selected)
	if i < 0 {
		return item{}, false
	}
	return w.waiting[i], true
}

func findItem(items []item, wanted key) int {
	return slices.IndexFunc(items, func(each item) bool { return each.key() == wanted })
}

// short is enough of an id to know a request by.
func short(i item) string {
	id := i.request.ID
	return approval.CardQuote(id[:min(8, len(id))])
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
