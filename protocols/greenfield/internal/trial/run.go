package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// settle is how long output is waited for after the program has ended, since
// what it started may hold the pipe.
const settle = time.Second

// A Command is a program and its arguments. No shell sees them.
type Command []string

// Parse reads a command from a file: the program in the first line, and one
// argument in each further line. Empty lines at the end do not count.
func Parse(text string) (Command, error) {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	if len(lines) > 100 || strings.TrimSpace(lines[0]) == "" || strings.IndexByte(text, 0) >= 0 {
		return nil, refusal.New(refusal.NoTestCommand, "the test command cannot be understood")
	}
	return lines, nil
}

// Bounds are how long a program may run and how much of what it says is kept,
// in bytes: the beginning and, of the rest, the end.
type Bounds struct {
	Time       time.Duration
	Head, Tail int
}

// A Result says how a program ended.
type Result struct {
	Code     int // -1 where it was ended by a signal
	TimedOut bool
	Output   string // of both streams, as they came
	Left     int64  // bytes of output that are not in Output
	Took     time.Duration
}

// Run runs a command in a folder, with a home folder of its own beside it. avoid
// is a folder that the search for the program does not enter.
func Run(ctx context.Context, command Command, folder, home, avoid string, bounds Bounds) (Result, error) {
	path := searchPath(avoid)
	program, err := find(command[0], folder, path)
	if err != nil {
		return Result{}, err
	}
	ctx, stop := context.WithTimeoutCause(ctx, bounds.Time, errTime)
	defer stop()
	running := exec.CommandContext(ctx, program, command[1:]...)
	running.Args[0] = command[0]
	running.Dir = folder
	running.Env = environment(path, home)
	running.WaitDelay = settle
	out := &ends{head: bounds.Head, tail: bounds.Tail}
	running.Stdout, running.Stderr = out, out
	started := time.Now()
	endGroup := ownGroup(running)
	err = running.Run()
	endGroup()
	result := Result{Took: time.Since(started), TimedOut: errors.Is(context.Cause(ctx), errTime)}
	result.Output, result.Left = out.text()
	switch ended, failed := errors.AsType[*exec.ExitError](err); {
	case ctx.Err() != nil && !result.TimedOut:
		return result, fmt.Errorf("run the tests: %w", context.Cause(ctx))
	case failed:
		result.Code = ended.ExitCode()
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		result.Code = running.ProcessState.ExitCode()
	case result.TimedOut:
		result.Code = -1
	default:
		return result, fmt.Errorf("run the tests: %w", err)
	}
	return result, nil
}

var errTime = errors.New("the time for the tests is over")

// find returns the program: one of the folder where its name has a slash, else
// the one that PATH finds.
func find(name, folder, path string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.Contains(name, "/") {
		return filepath.Join(folder, filepath.FromSlash(name)), nil
	}
	for _, place := range filepath.SplitList(path) {
		found := filepath.Join(place, name)
		if info, err := os.Stat(found); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return found, nil
		}
	}
	return "", refusal.New(refusal.NoTestCommand, "the program %q of the test command was not found: %v", name, fs.ErrNotExist)
}

// searchPath is PATH without what is relative or lies in a folder.
func searchPath(avoid string) string {
	var kept []string
	for _, place := range filepath.SplitList(os.Getenv("PATH")) {
		actual, err := filepath.EvalSymlinks(place)
		if err != nil || !filepath.IsAbs(place) {
			continue
		}
		relative, err := filepath.Rel(avoid, actual)
		if err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
			continue
		}
		kept = append(kept, place)
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// environment is all that the program learns of its surroundings.
func environment(path, home string) []string {
	return []string{
		"PATH=" + path, "HOME=" + home, "TMPDIR=" + filepath.Join(home, "tmp"), "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC", "CI=true", "TERM=dumb",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0",
	}
}
