package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
	"github.com/gatewright/gatewright/runtime/store"
)

// resolve asks at the terminal what was done, and records what is answered.
func (c *commits) resolve(ctx context.Context, desk *desk, id string) error {
	if err := c.sound(); err != nil {
		return err
	}
	terminal, err := openTTY()
	if err != nil {
		return exitError{code: exitNoTerminal, err: errors.New("nothing was recorded: a person has to be asked, and there is no terminal")}
	}
	defer func() { _ = terminal.Close() }()
	commit, err := findCommit(ctx, desk, id)
	if err != nil {
		return err
	}
	if commit.Status != preview.Interrupted {
		return notInterrupted(commit.Commit)
	}
	if _, err := terminal.WriteString("\n" + commitCard(commit, time.Now(), columnsOf(terminal))); err != nil {
		return fmt.Errorf("show what is asked about: %w", err)
	}
	resolution, err := c.ask(ctx, terminal)
	if err != nil {
		return err
	}
	decision, err := approval.NewTerminal().Confirm(ctx, "", "Record that "+found(resolution.Outcome)+"?")
	switch {
	case err != nil:
		return fmt.Errorf("nothing was recorded: %w", err)
	case decision.Verdict == gate.Nobody:
		return exitError{code: exitNoTerminal, err: errors.New("nothing was recorded: there is no terminal")}
	case decision.Verdict != gate.Approved:
		return refusedTo("nothing was recorded: %s", decision.Reason)
	}
	resolved, err := commit.drawer.resolve(ctx, commit.Commit, resolution)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s is resolved: %s. It is not run again; the agent is told so.\n", resolved.ID, found(resolved.Resolution.Outcome))
	return nil
}

// sound refuses flags that nobody can mean.
func (c *commits) sound() error {
	switch preview.Outcome(c.outcome) {
	case "", preview.Done, preview.NotDone, preview.Partly:
	default:
		return fmt.Errorf("an outcome is done, not_done or partly, and not %s", approval.CardQuote(c.outcome))
	}
	return soundReason(c.note)
}

// ask asks for what the flags do not say.
func (c *commits) ask(ctx context.Context, terminal *os.File) (preview.Resolution, error) {
	resolution := preview.Resolution{Outcome: preview.Outcome(c.outcome), Note: c.note, By: thisDecider().name}
	if resolution.Outcome == "" {
		answer, err := c.line(ctx, terminal, "What was done? all of it (done), nothing (not_done), or some of it (partly): ")
		if err != nil {
			return resolution, err
		}
		switch resolution.Outcome = preview.Outcome(strings.ToLower(answer)); resolution.Outcome {
		case preview.Done, preview.NotDone, preview.Partly:
		default:
			return resolution, refusedTo("nothing was recorded: the answer was not done, not_done or partly")
		}
	}
	if resolution.Note == "" {
		note, err := c.line(ctx, terminal, "What did you find? The agent reads this: ")
		if err != nil {
			return resolution, err
		}
		resolution.Note = note
	}
	if resolution.Outcome == preview.Partly && resolution.Note == "" {
		return resolution, refusedTo("nothing was recorded: where some of it was done, a note has to say what")
	}
	return resolution, nil
}

// line asks for one line. What was typed before the question does not count.
func (c *commits) line(ctx context.Context, terminal *os.File, question string) (string, error) {
	flushTTY(terminal)
	if _, err := terminal.WriteString("\n" + question); err != nil {
		return "", fmt.Errorf("nothing was recorded: ask: %w", err)
	}
	answer, err := readLine(ctx, terminal, maxReason)
	if err != nil {
		return "", fmt.Errorf("nothing was recorded: read the answer: %w", err)
	}
	return printable(answer), nil
}

// resolve records what a person found of a commit as it was shown. It is first
// written to the log and then put into the store, so nothing counts that the log
// does not have. Killed between the two, the log says what was found and the
// commit stays interrupted, and can be resolved again, with a second entry.
func (d *drawer) resolve(ctx context.Context, shown preview.Commit, resolution preview.Resolution) (preview.Commit, error) {
	if err := d.stillInterrupted(ctx, shown); err != nil {
		return shown, err
	}
	entry := resolutionEntry(shown, d.folder.Protocol(), resolution, time.Now())
	if err := audit.Enter(ctx, d.folder, entry, map[string]string{"decided_on": thisDecider().where}); err != nil {
		return shown, fmt.Errorf("nothing was recorded, because it could not be written down first: %w", err)
	}
	resolved, err := d.store.Resolve(ctx, shown.ID, resolution)
	switch {
	case errors.Is(err, preview.ErrNotInterrupted):
		return resolved, notInterrupted(resolved)
	case err != nil:
		return shown, fmt.Errorf("what was found is in the audit log, and could not be put into the store: %w; resolve it again", err)
	}
	return resolved, nil
}

// stillInterrupted refuses a commit that somebody else resolved meanwhile, so
// that the log does not say what is not put into effect.
func (d *drawer) stillInterrupted(ctx context.Context, shown preview.Commit) error {
	all, err := d.store.Commits(ctx, store.CommitFilter{Since: shown.BegunAt})
	if err != nil {
		return fmt.Errorf("nothing was recorded: %w", err)
	}
	for _, now := range all {
		if now.ID == shown.ID && now.Status == preview.Interrupted {
			return nil
		}
		if now.ID == shown.ID {
			return notInterrupted(now)
		}
	}
	return refusedTo("nothing was recorded: there is no commit %s any more", shown.ID)
}

func notInterrupted(c preview.Commit) error {
	text := fmt.Sprintf("nothing was recorded: %s is not interrupted: %s", c.ID, commitFate(c, time.Now()))
	if c.Resolution.Note != "" {
		text += ": " + approval.CardQuote(c.Resolution.Note)
	}
	if c.Resolution.By != "" {
		text += ", by " + approval.CardQuote(c.Resolution.By)
	}
	return refusedTo("%s", text)
}

func resolutionEntry(c preview.Commit, protocol string, resolution preview.Resolution, now time.Time) gate.Entry {
	sum := sha256.Sum256(c.Body)
	return gate.Entry{
		Event: audit.CommitResolved, Time: now, Protocol: protocol, Digest: c.Digest, Mode: c.Mode, Tool: c.Tool + "_commit", Effect: gate.Write,
		CallID: c.Call, Actor: c.Actor, Plan: "sha256:" + hex.EncodeToString(sum[:]), Recorded: c.Recorded,
		Approval: &gate.Approval{
			ID: c.ID, Provider: approval.TerminalProvider, Approver: resolution.By, Decision: string(resolution.Outcome), Reason: resolution.Note,
		},
	}
}
