package diag

// A style puts colour around text, or leaves it alone.
type style struct{ on bool }

const (
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	green  = "\x1b[1;32m"
	blue   = "\x1b[1;34m"
	cyan   = "\x1b[1;36m"
	reset  = "\x1b[0m"
)

func (s style) paint(colour, text string) string {
	if !s.on || text == "" {
		return text
	}
	return colour + text + reset
}

func (s style) level(level Level) string {
	switch level {
	case Error:
		return red
	case Warning:
		return yellow
	case Note:
	}
	return green
}
