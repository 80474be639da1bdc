package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
)

// maxReason bounds what a person writes, in bytes: it goes into the log.
const maxReason = 1000

// decide asks about one request at the terminal, and does what is answered.
func (a *approvals) decide(ctx context.Context, desk *desk, id string, status approval.Status) error {
	if err := soundReason(a.reason); err != nil {
		return err
	}
	terminal, err := openTTY()
	if err != nil {
		return exitError{code: exitNoTerminal, err: errors.New("nothing was decided: a person has to be asked, and there is no terminal")}
	}
	defer func() { _ = terminal.Close() }()
	found, err := desk.find(ctx, id)
	if err != nil {
		return err
	}
	if found.request.Status != approval.StatusPending {
		return ended(found.request)
	}
	options := found.cardOptions(ctx, time.Now())
	options.Width = columnsOf(terminal)
	card := "\n" + approval.Card(found.request, options)
	question := "Approve it?"
	if status == approval.StatusDenied {
		question = "Deny it?"
		if a.reason == "" {
			if a.reason, err = askReason(ctx, terminal, card); err != nil {
				return fmt.Errorf("nothing was decided: %w", err)
			}
			card = ""
		}
	}
	decision, err := approval.NewTerminal().Confirm(ctx, card, question)
	switch {
	case err != nil:
		return fmt.Errorf("nothing was decided: %w", err)
	case decision.Verdict == gate.Nobody:
		return exitError{code: exitNoTerminal, err: errors.New("nothing was decided: there is no terminal")}
	case decision.Verdict != gate.Approved:
		return refusedTo("nothing was decided: %s", decision.Reason)
	}
	decided, err := found.drawer.settle(ctx, found.request, status, a.reason)
	if err != nil {
		return err
	}
	_, err = io.WriteString(a.out, outcome(decided))
	return err
}

// askReason shows the card and reads one line. What was typed before counts as
// little as it does before a yes.
func askReason(ctx context.Context, terminal io.ReadWriteCloser, card string) (string, error) {
	if _, err := io.WriteString(terminal, card); err != nil {
		return "", fmt.Errorf("show what is asked about: %w", err)
	}
	flushTTY(terminal)
	if _, err := io.WriteString(terminal, "\nWhy? The agent reads this; a bare return gives no reason: "); err != nil {
		return "", fmt.Errorf("ask for a reason: %w", err)
	}
	reason, err := readLine(ctx, terminal, maxReason)
	if err != nil {
		return "", fmt.Errorf("read the reason: %w", err)
	}
	return printable(reason), nil
}

func soundReason(reason string) error {
	if len(reason) > maxReason || !utf8.ValidString(reason) {
		return fmt.Errorf("a reason is text of %d bytes at the most", maxReason)
	}
	return nil
}

func outcome(r approval.Request) string {
	id := approval.CardQuote(r.ID)
	if r.Status == approval.StatusDenied {
		return fmt.Sprintf("%s is denied; the agent is told so.\n", id)
	}
	return fmt.Sprintf("%s is approved: exactly that call runs, once, if it is made or still waits before %s.\n", id, r.ExpiresAt.UTC().Format(time.RFC3339))
}

// settle decides a request the way a person was shown it. It is first written
// to the log and then decided in the store, so no decision counts that the log
// does not have. Killed between the two, the log says what was decided and the
// store that nothing was: the request stays pending, lets nothing run, and
// expires or is decided again, with a second entry. The same is so when
// somebody else decides in that moment: the store holds who came first, and the
// entry of the call that uses the approval names them.
func (d *drawer) settle(ctx context.Context, shown approval.Request, status approval.Status, reason string) (approval.Request, error) {
	if err := d.unchanged(ctx, shown); err != nil {
		return shown, err
	}
	by := thisDecider()
	ruling := approval.Ruling{Status: status, Provider: approval.QueueProvider, Approver: by.name, Reason: reason}
	details := map[string]string{"decided_on": by.where}
	if err := audit.Enter(ctx, d.folder, decisionEntry(shown, ruling, time.Now()), details); err != nil {
		return shown, fmt.Errorf("nothing was decided, because it could not be written down first: %w", err)
	}
	decided, err := d.store.Decide(ctx, shown.ID, ruling)
	switch {
	case errors.Is(err, approval.ErrNotPending):
		return decided, ended(decided)
	case err != nil:
		return shown, fmt.Errorf("the decision is in the audit log, and could not be put into effect: %w; decide again", err)
	case decided.Status != status:
		return decided, ended(decided)
	}
	return decided, nil
}

// unchanged holds a request as it is now against how it was shown. Questions
// may have been put meanwhile; nothing else of it may have moved.
func (d *drawer) unchanged(ctx context.Context, shown approval.Request) error {
	now, err := d.store.Get(ctx, shown.ID)
	switch {
	case err != nil:
		return fmt.Errorf("nothing was decided: %w", err)
	case now.Status != approval.StatusPending:
		return ended(now)
	case now.Protocol != d.folder.Protocol():
		return refusedTo("nothing was decided: the request says it is of protocol %s, and the folder belongs to %s",
			approval.CardQuote(now.Protocol), approval.CardQuote(d.folder.Protocol()))
	}
	now.Round, shown.Round = 0, 0
	if !now.Equal(shown) {
		return refusedTo("nothing was decided: the request is no longer as it was shown; look at it again")
	}
	return nil
}

// ended says what became of a request that can be decided no more.
func ended(r approval.Request) error {
	text := fmt.Sprintf("nothing was decided: %s is pending no more: %s", approval.CardQuote(r.ID), approval.Fate(r, time.Now()))
	if r.Approver != "" {
		text += ", by " + approval.CardQuote(r.Approver)
	}
	if r.Reason != "" {
		text += ": " + approval.CardQuote(r.Reason)
	}
	return refusedTo("%s", text)
}

func decisionEntry(r approval.Request, ruling approval.Ruling, now time.Time) gate.Entry {
	sum := sha256.Sum256(r.Arguments)
	return gate.Entry{
		Event: gate.ApprovalDecision, Time: now, Protocol: r.Protocol, Digest: r.Digest, Mode: r.Mode, Tool: r.Tool,
		CallID: r.Call, Actor: r.Actor, Session: r.Session, Args: "sha256:" + hex.EncodeToString(sum[:]),
		Approval: &gate.Approval{
			ID: r.ID, Provider: ruling.Provider, Approver: ruling.Approver, Decision: string(ruling.Status), Reason: ruling.Reason,
			ExpiresAt: r.ExpiresAt.UTC().Format(time.RFC3339), Waited: max(0, now.Sub(r.AskedAt)).Round(time.Millisecond).String(),
		},
	}
}
