package server

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

// Exit codes of a mode's binary.
const (
	exitOK         = 0
	exitFailed     = 1 // refused, or failed
	exitStart      = 2 // could not start
	exitNoTerminal = 3 // a person has to be asked and there is no terminal
)

// Main is the main function of a mode's binary. It returns the exit code.
func Main(mode Mode) int {
	with, command, rest, err := parse(mode, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(os.Stdout, usage(mode))
		return exitOK
	case err != nil:
		return fail(mode, err)
	}
	switch command {
	case "call":
		if len(rest) < 1 || len(rest) > 2 {
			return fail(mode, errors.New("call takes a tool and its arguments as one JSON object; -h says more"))
		}
		return call(mode, with, rest)
	case "serve", "tools", "version":
		if len(rest) > 0 {
			return fail(mode, fmt.Errorf("%s takes no argument, and %q was given", command, rest[0]))
		}
	default:
		return fail(mode, fmt.Errorf("there is no command %q; -h lists them", command))
	}
	switch command {
	case "tools":
		return tools(mode, with.json, os.Stdout)
	case "version":
		return version(mode, os.Stdout)
	}
	return serve(mode, with)
}

// name is the binary's.
func name(mode Mode) string { return mode.Protocol + "-" + mode.Mode }

// fail says in one line why the binary does not start.
func fail(mode Mode, err error) int {
	fmt.Fprintf(os.Stderr, "%s: %s\n", name(mode), strings.Join(strings.Fields(err.Error()), " "))
	return exitStart
}
