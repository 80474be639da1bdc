// Command demo carries one change through the four modes of protocol
// greenfield on a scratch repository and prints what happened. Everything it
// shows really ran: gatewright, the compiler, the four servers, a real MCP
// client and git.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run needs to be started in the root of this repository.
func run(ctx context.Context, out io.Writer) error {
	scratch, err := os.MkdirTemp("", "gatewright-demo")
	if err != nil {
		return fmt.Errorf("make a scratch folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	d := &demo{ctx: ctx, out: out, scratch: scratch, workspace: filepath.Join(scratch, "repository"), state: filepath.Join(scratch, "state")}
	for _, act := range []func() error{d.refuseProtocol, d.refuseCall, d.build, d.carryChange, d.readLog} {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}

type demo struct {
	ctx       context.Context
	out       io.Writer
	scratch   string
	workspace string
	state     string
}

func (d *demo) title(text string) {
	fmt.Fprintf(d.out, "\n%s\n%s\n\n", text, strings.Repeat("-", len(text)))
}

func (d *demo) sayf(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

// show runs a command, prints it and what it says, and returns its error.
func (d *demo) show(shown string, name string, args ...string) error {
	d.sayf("$ %s", shown)
	output, err := exec.CommandContext(d.ctx, name, args...).CombinedOutput()
	text := strings.ReplaceAll(string(output), d.scratch+string(filepath.Separator), "")
	d.sayf("%s", strings.TrimRight(text, "\n"))
	return err
}

// quiet runs a command that is to succeed.
func (d *demo) quiet(folder, name string, args ...string) (string, error) {
	command := exec.CommandContext(d.ctx, name, args...)
	command.Dir = folder
	output, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output)), nil
}

// refuseProtocol shows the diagnostic of a protocol in which the mode that
// writes could also merge.
func (d *demo) refuseProtocol() error {
	d.title("1. A protocol in which two modes hold merge is refused")
	source, err := os.ReadFile("protocols/greenfield/protocol.yaml")
	if err != nil {
		return fmt.Errorf("read the protocol: %w", err)
	}
	const before, after = "run_tests, commit]", "run_tests, commit, merge]"
	broken := strings.Replace(string(source), before, after, 1)
	if broken == string(source) {
		return fmt.Errorf("the protocol no longer holds %q", before)
	}
	path := filepath.Join(d.scratch, "protocol.yaml")
	if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
		return fmt.Errorf("write the broken protocol: %w", err)
	}
	if d.show("gatewright check protocol.yaml", "go", "run", "./cmd/gatewright", "check", path) == nil {
		return errors.New("a protocol that breaks WF1 passed")
	}
	return nil
}

const ungated = `package main

import (
	"context"

	contract "github.com/gatewright/gatewright/generated/greenfield"
	"github.com/gatewright/gatewright/protocols/greenfield"
)

type permit struct{}

func main() {
	_, _ = greenfield.Merge(context.Background(), permit{}, contract.MergeInput{})
}
`

// refuseCall shows what the compiler says to a program that calls a handler
// without the gate.
func (d *demo) refuseCall() error {
	d.title("2. A program that calls a handler without the gate does not compile")
	overlay := filepath.Join(d.scratch, "overlay.json")
	source := filepath.Join(d.scratch, "main.go")
	here, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the repository: %w", err)
	}
	place := filepath.Join(here, "cmd", "ungated", "main.go")
	if err := os.WriteFile(source, []byte(ungated), 0o600); err != nil {
		return fmt.Errorf("write the program: %w", err)
	}
	if err := os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, place, source), 0o600); err != nil {
		return fmt.Errorf("write the overlay: %w", err)
	}
	for line := range strings.Lines(ungated) {
		if strings.Contains(line, "Merge") || strings.Contains(line, "type permit") {
			d.sayf("    %s", strings.TrimSpace(line))
		}
	}
	if d.show("go build ./cmd/ungated", "go", "build", "-overlay", overlay, "-o", os.DevNull, "./cmd/ungated") == nil {
		return errors.New("a program that calls a handler without the gate was compiled")
	}
	return nil
}

// build makes the four servers and a repository for them.
func (d *demo) build() error {
	d.title("3. A change goes through four modes, each a server of its own")
	if _, err := d.quiet(".", "go", "build", "-o", d.scratch+string(filepath.Separator), "./generated/greenfield/cmd/...", "./cmd/gatewright"); err != nil {
		return err
	}
	if err := os.Mkdir(d.workspace, 0o750); err != nil {
		return fmt.Errorf("make a repository: %w", err)
	}
	if err := os.WriteFile(filepath.Join(d.workspace, "greeting.txt"), []byte("Hello, wrold.\n"), 0o600); err != nil {
		return fmt.Errorf("make a repository: %w", err)
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", "Ada"}, {"config", "user.email", "ada@example.com"},
		{"add", "."}, {"commit", "--quiet", "--message=Say hello"},
	} {
		if _, err := d.quiet(d.workspace, "git", args...); err != nil {
			return err
		}
	}
	return nil
}
