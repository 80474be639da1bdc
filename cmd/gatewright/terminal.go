package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// wantsColour says whether what is written there is read on a terminal that
// shows colours, by somebody who wants them (no-color.org).
func wantsColour(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	return term.IsTerminal(int(file.Fd()))
}
