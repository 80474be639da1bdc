package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// An Approval is the record that one commit may be merged on one base. It is an
// annotated tag under refs/gatewright/approvals.
type Approval struct {
	ID      string // of the tag object
	Target  string // branch
	Base    string
	Commit  string
	Tree    string
	Already bool // it was there before
}

// pair names what an approval is for, as the last part of a ref.
func pair(base, commit string) string { return base + "-" + commit }

// statement is what an approval says, before who gave it.
func (a Approval) statement() string {
	return fmt.Sprintf("Approved: this commit, on this base, into this branch.\n\nbase %s\ncommit %s\ntree %s\ntarget %s%s\n", a.Base, a.Commit, a.Tree, branches, a.Target)
}

// header is how the tag object starts.
func (a Approval) header() string {
	return fmt.Sprintf("object %s\ntype commit\ntag gatewright-%s\ntagger ", a.Commit, pair(a.Base, a.Commit))
}

// Approve records the approval of a commit on a base. Nobody but the protocol's
// mode for it calls this.
func (w *Writer) Approve(ctx context.Context, caller Caller, base, commit string) (Approval, error) {
	c, err := w.Compare(ctx, base, commit)
	if err != nil {
		return Approval{}, err
	}
	if err := w.Obstacle(ctx, c); err != nil {
		return Approval{}, err
	}
	if given, err := w.Approved(ctx, c); err == nil {
		given.Already = true
		return given, nil
	} else if !refusal.Is(err, refusal.NotApproved) {
		return Approval{}, err
	}
	a := Approval{Target: c.Target.Name, Base: base, Commit: commit, Tree: c.Tree}
	text := fmt.Sprintf("%s%s <%s> %d +0000\n\n%s\nactor %s\ncall %s\n",
		a.header(), caller.name(), mail, time.Now().Unix(), a.statement(), strconv.Quote(caller.Actor), strconv.Quote(caller.Call))
	output, err := w.inShadow(ctx, run{args: []string{"mktag"}, stdin: text})
	if err != nil {
		return a, fmt.Errorf("make the approval: %w", err)
	}
	a.ID = strings.TrimSpace(string(output))
	objection, err := w.tip(ctx, objected+pair(base, commit))
	if err != nil {
		return a, err
	}
	// The base is verified once more, in the same breath, and what stood against
	// the commit stands no longer.
	err = w.transact(ctx, "approve",
		fmt.Sprintf("verify %s %s", c.Target.ref(), base),
		fmt.Sprintf("create %s %s", approvals+pair(base, commit), a.ID),
		w.unset(objected+pair(base, commit), objection))
	if err != nil {
		return a, w.explain(ctx, c, err)
	}
	return a, nil
}

// Approved returns the approval of exactly what was compared, and refuses with
// NOT_APPROVED where there is none.
func (r *Repository) Approved(ctx context.Context, c Comparison) (Approval, error) {
	a := Approval{Target: c.Target.Name, Base: c.Base, Commit: c.Commit, Tree: c.Tree}
	id, err := r.tip(ctx, approvals+pair(c.Base, c.Commit))
	if err != nil {
		return a, err
	}
	objection, err := r.tip(ctx, objected+pair(c.Base, c.Commit))
	if err != nil {
		return a, err
	}
	switch {
	case objection != "":
		return a, refusal.New(refusal.NotApproved, "a review stands against commit %s on base %s; reviews says what it is", c.Commit, c.Base)
	case id == "":
		return a, refusal.New(refusal.NotApproved, "commit %s is not approved on base %s", c.Commit, c.Base)
	}
	tag, err := r.inShadow(ctx, run{args: []string{"cat-file", "tag", id}})
	if err != nil {
		return a, refusal.New(refusal.NotApproved, "the approval of commit %s cannot be read: %v", c.Commit, err)
	}
	head, message, _ := strings.Cut(string(tag), "\n\n")
	tagger, headed := strings.CutPrefix(head, a.header())
	if !headed || strings.Contains(tagger, "\n") || !strings.HasPrefix(message, a.statement()+"\nactor ") {
		return a, refusal.New(refusal.NotApproved, "the approval %s does not say that commit %s is approved on base %s into %s", id, c.Commit, c.Base, c.Target.Name)
	}
	a.ID = id
	return a, nil
}

// explain words the failure of a transaction on the target branch.
func (w *Writer) explain(ctx context.Context, c Comparison, err error) error {
	if now, _ := w.tip(ctx, c.Target.ref()); now != c.Base {
		return refusal.New(refusal.BaseMoved, "%s was moved meanwhile", c.Target.Name)
	}
	if conflicting(err) {
		return refusal.New(refusal.ReviewMoved, "the decision about commit %s was changed meanwhile", c.Commit)
	}
	return err
}
