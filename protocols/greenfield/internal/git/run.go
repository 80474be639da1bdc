package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// Bounds of what git may write, in bytes.
const (
	smallOutput = 1 << 20
	largeOutput = 64 << 20
	maxStderr   = 4 << 10
)

// A run is one run of git.
type run struct {
	args   []string
	env    []string // beside the common ones
	stdin  string
	folder string // to run in; the work tree where it is empty
	limit  int    // of the output; smallOutput where it is 0
	keep   int    // a code other than 0 with which the output counts all the same
	cut    bool   // output beyond the limit is cut off and not an error
}

// An exit is git ending with a code other than 0.
type exit struct {
	command string
	code    int
	stderr  string
}

func (e *exit) Error() string {
	if e.stderr == "" {
		return fmt.Sprintf("git %s ended with code %d", e.command, e.code)
	}
	return fmt.Sprintf("git %s: %s", e.command, e.stderr)
}

// exited reports whether git ended with this code.
func exited(err error, code int) bool {
	var e *exit
	return errors.As(err, &e) && e.code == code
}

// errOutput is output beyond the limit.
var errOutput = errors.New("git wrote more than this tool takes")

// execute runs git in the work tree, with an environment made from nothing.
func (r *Repository) execute(ctx context.Context, do run) ([]byte, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	name := do.args[0]
	command := exec.CommandContext(ctx, r.program, append(commonArguments(), do.args...)...)
	command.Dir = r.workTree
	if do.folder != "" {
		command.Dir = do.folder
	}
	command.Env = append(commonEnvironment(), do.env...)
	command.Stdin = strings.NewReader(do.stdin)
	command.WaitDelay = 2 * time.Second
	ownGroup(command)
	if do.limit == 0 {
		do.limit = smallOutput
	}
	stdout := &bounded{left: do.limit, full: func() { stop(errOutput) }}
	stderr := &bounded{left: maxStderr}
	command.Stdout, command.Stderr = stdout, stderr
	err := command.Run()
	switch {
	case err == nil && !stdout.over:
		return stdout.Bytes(), nil
	case stdout.over && do.cut:
		return stdout.Bytes(), nil
	case stdout.over:
		return nil, fmt.Errorf("git %s: %w", name, errOutput)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s was stopped: %w", name, context.Cause(ctx))
	}
	if ended, failed := errors.AsType[*exec.ExitError](err); failed {
		failure := &exit{command: name, code: ended.ExitCode(), stderr: printable(stderr.String())}
		if do.keep != 0 && failure.code == do.keep {
			return stdout.Bytes(), failure
		}
		return nil, failure
	}
	return nil, fmt.Errorf("run git %s: %w", name, err)
}

// commonArguments turn off what git would run or look at by itself.
func commonArguments() []string {
	settings := []string{
		"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "core.untrackedCache=false", "core.pager=cat", "core.editor=:",
		"core.sshCommand=:", "core.askPass=:", "core.attributesFile=" + os.DevNull, "core.excludesFile=" + os.DevNull,
		"core.alternateRefsCommand=:", "credential.helper=", "commit.gpgSign=false", "tag.gpgSign=false", "gpg.program=:",
		"log.showSignature=false", "submodule.recurse=false", "diff.external=", "protocol.allow=never",
		"gc.auto=0", "maintenance.auto=false", "advice.graftFileDeprecated=false",
	}
	args := make([]string, 0, 3+2*len(settings))
	args = append(args, "--no-pager", "--no-replace-objects", "--literal-pathspecs")
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return args
}

// commonEnvironment is all that git learns of its surroundings.
func commonEnvironment() []string {
	return []string{
		"LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=:", "SSH_ASKPASS=:", "GIT_SSH_COMMAND=:", "GIT_EDITOR=:", "GIT_PAGER=cat",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_OPTIONAL_LOCKS=0",
		"GIT_AUTHOR_NAME=gatewright", "GIT_AUTHOR_EMAIL=" + mail, "GIT_COMMITTER_NAME=gatewright", "GIT_COMMITTER_EMAIL=" + mail,
	}
}

// mail is an address that reaches nobody.
const mail = "gatewright@gatewright.invalid"

// A bounded buffer keeps what fits and drops the rest.
type bounded struct {
	bytes.Buffer

	left int
	over bool
	full func() // called at the first byte too many
}

func (b *bounded) Write(data []byte) (int, error) {
	kept := data[:min(len(data), b.left)]
	b.Buffer.Write(kept)
	b.left -= len(kept)
	if len(kept) < len(data) && !b.over {
		b.over = true
		if b.full != nil {
			b.full()
		}
	}
	return len(data), nil
}

// ReadFrom hides that of the buffer, which knows no bound.
func (b *bounded) ReadFrom(from io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{b}, from) //nolint:wrapcheck // as io.ReaderFrom asks
}

// printable makes what git said fit for a message.
func printable(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if !worktree.Printable(text) {
		text = fmt.Sprintf("%q", text)
	}
	return text
}
