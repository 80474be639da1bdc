package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/compare"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
	"github.com/gatewright/gatewright/runtime/store"
)

// exitNoTerminal is the exit code where a person has to be asked and there is
// no terminal, as of the binaries of modes.
const exitNoTerminal = 3

func newAdopt() *cobra.Command {
	a := adoption{}
	cmd := &cobra.Command{
		Use:   "adopt [--workspace DIR] [--state-dir DIR] [--from OLD] PATH",
		Short: "Put a changed protocol in force for a workspace",
		Long: `adopt shows what a protocol changes in duties against the one in force for a
workspace, asks in the terminal, and puts it in force: from then on the servers
of the old protocol write nothing, and those built from the new one do.

The servers keep the text of the protocol in force in the state folder. Where it
is missing there, --from gives it; a text counts only with the right digest.

Exit codes: 0 adopted, 1 refused, 2 it could not do its work, 3 there is no terminal to ask at.`,
		Example: "  gatewright adopt protocols/greenfield/protocol.yaml\n  gatewright adopt --workspace ../app --from old.yaml protocol.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.out, a.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return a.run(cmd.Context(), args[0])
		},
	}
	cmd.Flags().StringVar(&a.workspace, "workspace", ".", "folder that the servers work on")
	cmd.Flags().StringVar(&a.stateDir, "state-dir", "", "folder of the audit log and the state, as the servers have it")
	cmd.Flags().StringVar(&a.from, "from", "", "file of the protocol in force, where the state folder does not hold its text")
	return cmd
}

// An adoption is one run of the command.
type adoption struct {
	workspace, stateDir, from string
	out, errs                 io.Writer
}

func (a *adoption) run(ctx context.Context, path string) error {
	after, err := a.checked(path)
	if err != nil {
		return err
	}
	folder, err := state.Open(state.Options{Dir: a.stateDir, Protocol: after.ID.Value, Workspace: a.workspace, Existing: true})
	if err != nil {
		return notPinned(err, after)
	}
	defer func() { _ = folder.Close() }()
	pinned, err := audit.Pinned(ctx, folder, after.ID.Value)
	if err != nil {
		return notPinned(err, after)
	}
	if pinned == after.Digest() {
		if err := a.void(ctx, folder, pinned); err != nil { // which a crash may have kept from it
			return err
		}
		return refusedTo("%s is in force already (%s)", diag.Visible(after.File), pinned)
	}
	before, err := a.inForce(folder, pinned)
	if err != nil {
		return err
	}
	changes := compare.Compare(before, after)
	if err := a.ask(ctx, folder, pinned, after, changes); err != nil {
		return err
	}
	if err := a.void(ctx, folder, ""); err != nil {
		return fmt.Errorf("nothing was adopted: %w", err)
	}
	weaker := strconv.Itoa(len(compare.Weakenings(changes)))
	err = audit.Adopt(ctx, folder, audit.Adoption{
		Protocol: after.ID.Value, From: pinned, To: after.Digest(), Text: string(after.Canonical()), Actor: person(), Session: state.Session(),
		Details: map[string]string{"changes": strconv.Itoa(len(changes)), "weaker": weaker, "workspace": folder.Workspace(), "version": after.Version.Value},
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s is in force now; servers of %s write nothing any more.\nGenerate, build, and start the servers again.\n", after.Digest(), pinned)
	if err := a.void(ctx, folder, after.Digest()); err != nil { // what was made since
		return fmt.Errorf("the protocol is in force: %w; run this again", err)
	}
	return nil
}

// void takes back what is waiting, approved or previewed under another protocol
// than the one with this digest. Before an adoption it is everything, with an
// empty digest: what an earlier adoption of another protocol left, because it was
// killed or the store was busy, must not be good again under that protocol.
func (a *adoption) void(ctx context.Context, folder *state.Folder, digest string) (err error) {
	book, err := store.Open(ctx, folder, store.Options{Existing: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("take back what the old protocol left: %w", err)
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	voided, err := book.Void(ctx, digest)
	if err != nil {
		return fmt.Errorf("take back what the old protocol left: %w", err)
	}
	if voided.Requests > 0 {
		fmt.Fprintf(a.out, "Requests for approval that were taken back, as they were made under the old protocol: %d.\n", voided.Requests)
	}
	if voided.Plans > 0 {
		fmt.Fprintf(a.out, "Stored plans that can be carried out no more, as they were previewed under the old protocol: %d.\n", voided.Plans)
	}
	return nil
}

// checked reads a protocol that has no errors: no other is ever put in force.
func (a *adoption) checked(path string) (*protocol.Protocol, error) {
	path, text, err := readProtocol(path)
	if err != nil {
		return nil, err
	}
	p, found := check.File(path, text, check.Options{})
	if p != nil && !diag.HasErrors(found) {
		return p, nil
	}
	if err := diag.Text(a.errs, found, diag.Files{path: diag.NewSource(path, text)}, wantsColour(a.errs)); err != nil {
		return nil, err
	}
	return nil, refusedTo("%s has errors, so it is not adopted", diag.Visible(path))
}

// inForce finds the protocol with the digest in force: in the state folder, or
// where --from says.
func (a *adoption) inForce(folder *state.Folder, digest string) (*protocol.Protocol, error) {
	if a.from != "" {
		p, err := readForm(a.errs, a.from)
		if err == nil && p.Digest() != digest {
			err = refusedTo("%s is not the protocol in force: its digest is %s, and %s is pinned", diag.Visible(p.File), p.Digest(), digest)
		}
		return p, err
	}
	text, err := folder.Text(digest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the state folder does not hold the text of the protocol in force (%s), so what changes cannot be shown; give its file with --from", digest)
	case err != nil:
		return nil, fmt.Errorf("read the protocol in force: %w; or give its file with --from", err)
	}
	p, err := protocol.Recall("the protocol in force", text)
	if err != nil {
		return nil, fmt.Errorf("read the protocol in force: %w; give its file with --from", err)
	}
	if p.Digest() != digest {
		return nil, fmt.Errorf("the text of the protocol in force has another digest than %s; give its file with --from", digest)
	}
	return p, nil
}

// ask shows the changes at the terminal and asks there. Without one they are
// printed, and nothing is adopted.
func (a *adoption) ask(ctx context.Context, folder *state.Folder, pinned string, after *protocol.Protocol, changes []compare.Change) error {
	colour := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	card, err := adoptionCard(folder, pinned, after, changes, colour)
	if err != nil {
		return err
	}
	decision, err := approval.NewTerminal().Confirm(ctx, card, "Put it in force?")
	switch {
	case err != nil:
		return err
	case decision.Verdict == gate.Approved:
		return nil
	case decision.Verdict != gate.Nobody:
		return refusedTo("nothing was adopted: %s", decision.Reason)
	}
	if card, err = adoptionCard(folder, pinned, after, changes, wantsColour(a.out)); err != nil {
		return err
	}
	if _, err := io.WriteString(a.out, card); err != nil {
		return fmt.Errorf("show the changes: %w", err)
	}
	return exitError{code: exitNoTerminal, err: errors.New("nothing was adopted: a person has to be asked, and there is no terminal")}
}

func adoptionCard(folder *state.Folder, pinned string, after *protocol.Protocol, changes []compare.Change, colour bool) (string, error) {
	var text bytes.Buffer
	text.WriteString("\nAnother protocol is to be put in force:\n\n")
	for _, row := range [][2]string{
		{"protocol", after.ID.Value + " " + after.Version.Value}, {"file", after.File}, {"workspace", folder.Workspace()},
		{"state", folder.Path()}, {"in force", pinned}, {"new", after.Digest()},
	} {
		fmt.Fprintf(&text, "  %-10s %s\n", row[0], diag.Visible(row[1]))
	}
	text.WriteString("\n")
	if err := compare.Text(&text, changes, colour); err != nil {
		return "", err
	}
	return text.String(), nil
}

// notPinned says where there is nothing to replace, and what else was wrong.
func notPinned(err error, after *protocol.Protocol) error {
	refused := new(state.Error)
	asked := errors.As(err, &refused)
	switch {
	case asked && refused.Reason == state.Missing, errors.Is(err, audit.ErrNotPinned):
		return refusedTo("no protocol %s is in force for this workspace, so there is nothing to replace; the first server that starts puts its own in force", after.ID.Value)
	case asked && refused.Reason == state.AnotherProtocol:
		return exitError{code: exitFindings, err: err}
	}
	return err
}

// refusedTo ends the command where it could do its work and did not want to.
func refusedTo(format string, args ...any) error {
	return exitError{code: exitFindings, err: fmt.Errorf(format, args...)}
}

// person is whoever runs this program, as far as the system tells.
func person() string {
	uid := "uid " + strconv.Itoa(os.Getuid())
	if account, err := user.Current(); err == nil {
		return strings.TrimSpace(account.Username + " (" + uid + ")")
	}
	return uid
}
