package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/gatewright/gatewright/runtime/approval"
)

// Bounds of what is recorded of whoever decides.
const (
	maxWhere     = 512 // bytes
	maxAncestors = 16
)

// An ancestor is a process that led to this one.
type ancestor struct {
	name string // empty where the system does not tell
	pid  int
}

// A decider is who decides, as far as the system tells. It proves no person:
// whoever can start programs as this user can have a terminal. The names of
// processes are what these say of themselves.
type decider struct {
	name  string // told to the agent as well
	where string // host, terminal and processes above, for the log alone
}

func thisDecider() decider {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return decider{name: nameOf(person()), where: whereabouts(host, terminalName(), ancestors())}
}

func nameOf(person string) string {
	name, uid, _ := strings.Cut(person, " (uid ")
	who := approval.CardQuote(name)
	if uid != "" {
		who += " (uid " + uid
	}
	return bounded(who)
}

func whereabouts(host, terminal string, ancestry []ancestor) string {
	text := bounded(approval.CardQuote(host)) + " at " + bounded(approval.CardQuote(terminal))
	for i, each := range ancestry {
		link := " < "
		if i == 0 {
			link = ", by "
		}
		link += fmt.Sprintf("%s(%d)", processName(each.name), each.pid)
		if len(text)+len(link)+len(" < …") > maxWhere {
			return text + " < …"
		}
		text += link
	}
	return text
}

// processName quotes whatever could be taken for more than a name.
func processName(name string) string {
	if name == "" {
		return "process"
	}
	return approval.CardQuote(name)
}

// bounded keeps one part of the line from taking the place of the others.
func bounded(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
