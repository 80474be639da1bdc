package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

func newConnect() *cobra.Command {
	c := &connection{}
	var names, lines []string
	var completions []cobra.Completion
	for _, client := range clients() {
		names = append(names, client.name)
		completions = append(completions, cobra.CompletionWithDesc(client.name, client.what))
		lines = append(lines, fmt.Sprintf("    %-10s %s", client.name, client.what))
	}
	cmd := &cobra.Command{
		Use:   "connect " + strings.Join(names, "|") + " --mode MODE",
		Short: "Print the configuration that connects a client to one mode",
		Long: `connect prints what a client has to be told to start the server of one mode, with
absolute paths and with every setting as an argument: clients strip the
environment. It writes nothing. The configuration goes to standard output, and
what to do with it to standard error. The clients:

` + strings.Join(lines, "\n") + `

One agent, one mode: an agent that is given the servers of every mode has every
mode.`,
		Example: "  gatewright connect claude --mode plan > .mcp.json\n  gatewright connect codex --protocol protocols/greenfield --mode review --workspace ../repository --actor reviewer",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, client := range clients() {
				if client.name == args[0] {
					return c.run(client, cmd.OutOrStdout(), cmd.ErrOrStderr())
				}
			}
			return fmt.Errorf("no client %s: choose one of %s", diag.Quote(args[0]), strings.Join(names, ", "))
		},
		ValidArgsFunction: cobra.FixedCompletions(completions, cobra.ShellCompDirectiveNoFileComp),
	}
	flags := cmd.Flags()
	flags.StringVar(&c.mode, "mode", "", "mode to connect to")
	flags.StringVar(&c.protocol, "protocol", "", "protocol file, or its folder; the only one below the current folder by default")
	flags.StringVar(&c.bin, "bin", "", "folder of the servers; bin in the Go module by default")
	flags.StringVar(&c.workspace, "workspace", ".", "folder to work on")
	flags.StringVar(&c.stateDir, "state-dir", "", "folder for the audit log and the state, in place of the one in the home folder")
	flags.StringVar(&c.actor, "actor", "", "label of whoever works there, for the audit log; a claim, not a proof")
	for _, err := range []error{
		cmd.MarkFlagRequired("mode"), cmd.MarkFlagDirname("bin"), cmd.MarkFlagDirname("workspace"), cmd.MarkFlagDirname("state-dir"),
		cmd.RegisterFlagCompletionFunc("actor", cobra.NoFileCompletions),
		cmd.RegisterFlagCompletionFunc("mode", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return c.modes(), cobra.ShellCompDirectiveNoFileComp
		}),
	} {
		_ = err // fails only for a flag that is not there
	}
	return cmd
}

// A connection is one run of connect.
type connection struct {
	mode, protocol, bin, workspace, stateDir, actor string
}

// A server is how a client starts the server of one mode.
type server struct {
	name    string
	command string
	args    []string
}

func (c *connection) run(client client, out, errs io.Writer) error {
	p, file, err := c.load()
	if err != nil {
		return err
	}
	if p.Mode(c.mode) == nil {
		return c.noMode(p)
	}
	to, err := c.server(p, file)
	if err != nil {
		return err
	}
	if err := client.takes(to); err != nil {
		return err
	}
	text, err := client.config(to)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	fmt.Fprintln(errs, client.where(to))
	c.missing(errs, p, file, to)
	fmt.Fprintf(errs, "One agent, one mode: give this agent the server of no other mode of %s.\n", p.ID.Value)
	return nil
}

// load reads the protocol, which has to be one that servers can be made of.
func (c *connection) load() (p *protocol.Protocol, file string, err error) {
	pattern := c.protocol
	if pattern == "" {
		pattern = "./..."
	}
	files, err := find([]string{pattern})
	if err != nil {
		return nil, "", err
	}
	if len(files) > 1 {
		return nil, "", fmt.Errorf("there are several protocols: choose one with --protocol\n  %s", diag.Visible(strings.Join(files, "\n  ")))
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return nil, "", fmt.Errorf("read the protocol: %w", err)
	}
	p, found := check.File(files[0], text, check.Options{})
	if p == nil || diag.HasErrors(found) {
		return nil, "", fmt.Errorf("%s has errors; gatewright check shows them", diag.Visible(files[0]))
	}
	return p, files[0], nil
}

// modes are the names of the modes, for completion: where the protocol cannot
// be read there are none.
func (c *connection) modes() []cobra.Completion {
	p, _, err := c.load()
	if err != nil {
		return nil
	}
	var modes []cobra.Completion
	for _, mode := range p.Modes {
		modes = append(modes, cobra.CompletionWithDesc(mode.Name.Value, diag.Visible(mode.Description.Value)))
	}
	return modes
}

func (c *connection) noMode(p *protocol.Protocol) error {
	var names []string
	for _, mode := range p.Modes {
		names = append(names, mode.Name.Value)
	}
	var suggester diag.Suggester
	meant := ""
	if nearest, ok := suggester.Closest(c.mode, names); ok {
		meant = fmt.Sprintf("did you mean %s? ", nearest)
	}
	return fmt.Errorf("%s has no mode %s; %sthe modes are %s", p.ID.Value, diag.Quote(c.mode), meant, strings.Join(names, ", "))
}

// server makes every path absolute. Its name is the protocol's whatever the
// mode: connecting to another mode replaces the first.
func (c *connection) server(p *protocol.Protocol, file string) (server, error) {
	bin := c.bin
	if bin == "" {
		bin = filepath.Join(moduleOf(file), "bin")
	}
	name := p.ID.Value + "-" + c.mode
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	to := server{name: p.ID.Value}
	var err error
	if to.command, err = absolute(filepath.Join(bin, name)); err != nil {
		return to, err
	}
	workspace, err := absolute(c.workspace)
	if err != nil {
		return to, err
	}
	to.args = []string{"--workspace", workspace}
	if c.stateDir != "" {
		state, err := absolute(c.stateDir)
		if err != nil {
			return to, err
		}
		to.args = append(to.args, "--state-dir", state)
	}
	if c.actor != "" {
		if err := label(c.actor); err != nil {
			return to, err
		}
		to.args = append(to.args, "--actor", c.actor)
	}
	return to, nil
}

func absolute(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", diag.Visible(path), err)
	}
	if !utf8.ValidString(full) {
		return "", fmt.Errorf("%q is not UTF-8, so no configuration can name it", full)
	}
	return full, nil
}

// label refuses an actor that servers refuse.
func label(actor string) error {
	plain := len(actor) <= 100 && utf8.ValidString(actor) && strings.TrimSpace(actor) == actor
	for _, r := range actor {
		plain = plain && unicode.IsPrint(r)
	}
	if !plain {
		return fmt.Errorf("--actor has to be 1 to 100 bytes of printable text, not %s", diag.Quote(actor))
	}
	return nil
}

// moduleOf is the folder of the Go module that a file is in, or the file's own
// where it is in none.
func moduleOf(file string) string {
	own, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return "."
	}
	for dir := own; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return own
		}
	}
}

// missing warns where the server is not built yet.
func (c *connection) missing(errs io.Writer, p *protocol.Protocol, file string, to server) {
	if info, err := os.Stat(to.command); err == nil && !info.IsDir() {
		return
	}
	fmt.Fprintf(errs, "\nwarning: %s is not there yet. To build it:\n\n  cd %s\n  go build -o %s ./generated/%s/cmd/%s-%s\n\n",
		diag.Visible(to.command), shellWord(moduleOf(file)), shellWord(to.command), p.ID.Value, p.ID.Value, c.mode)
}
