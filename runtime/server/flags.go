package server

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	unlabelled = "unlabelled"
	maxActor   = 100 // bytes
)

// flags are all the settings there are.
type flags struct {
	workspace string
	stateDir  string
	actor     string
	json      bool
}

// parse reads the command line: flags may stand before and after the command.
func parse(mode Mode, args []string) (with flags, command string, rest []string, err error) {
	set := with.set(mode)
	if err := set.Parse(args); err != nil {
		return with, "", nil, err
	}
	command, rest = "serve", nil
	if set.NArg() > 0 {
		command = set.Arg(0)
		rest = set.Args()[1:]
		if err := set.Parse(rest); err != nil {
			return with, "", nil, err
		}
		rest = set.Args()
	}
	if with.json && command != "tools" {
		return with, "", nil, errors.New("--json belongs to the command tools")
	}
	return with, command, rest, label(with.actor)
}

func (f *flags) set(mode Mode) *flag.FlagSet {
	set := flag.NewFlagSet(name(mode), flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	set.StringVar(&f.workspace, "workspace", ".", "`FOLDER` to work on")
	set.StringVar(&f.stateDir, "state-dir", "", "`FOLDER` for the audit log and the state, in place of the one in the home folder")
	set.StringVar(&f.actor, "actor", unlabelled, "`LABEL` of whoever works here, for the audit log; a claim, not a proof")
	set.BoolVar(&f.json, "json", false, "with the command tools: list as JSON")
	return set
}

// label refuses an actor that would not read plainly in a log.
func label(actor string) error {
	plain := actor != "" && len(actor) <= maxActor && utf8.ValidString(actor) && strings.TrimSpace(actor) == actor
	for _, r := range actor {
		plain = plain && unicode.IsPrint(r)
	}
	if !plain {
		return fmt.Errorf("--actor has to be 1 to %d bytes of printable text", maxActor)
	}
	return nil
}

// usage is what -h prints.
func usage(mode Mode) string {
	var text strings.Builder
	fmt.Fprintf(&text, `usage: %s [flags] [command]

The mode %s of the protocol %s, as an MCP server over standard input and output.

commands:
  serve              serve (the default)
  call TOOL [JSON]   call one tool; a write is asked for in the terminal first
  tools              list the tools
  version            say what this binary was made of

flags:
`, name(mode), mode.Mode, mode.Protocol)
	new(flags).set(mode).VisitAll(func(f *flag.Flag) {
		value, explained := flag.UnquoteUsage(f)
		fmt.Fprintf(&text, "  %-20s %s", strings.TrimSpace("--"+f.Name+" "+value), explained)
		if f.DefValue != "" && f.DefValue != "false" {
			fmt.Fprintf(&text, " (default %s)", f.DefValue)
		}
		text.WriteString("\n")
	})
	text.WriteString(`
exit codes: 0 done, 1 refused or failed, 2 cannot start, 3 a terminal is needed and there is none
`)
	return text.String()
}
