package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// A Kind is what a review does.
type Kind string

// The kinds. An objection withdraws the approval of the commit and stands
// against a merge until the commit is approved anew.
const (
	Comment        Kind = "comment"
	RequestChanges Kind = "request_changes"
	Reject         Kind = "reject"
)

func (k Kind) objects() bool { return k != Comment }

// maxReviews is how many reviews of one commit are kept.
const maxReviews = 500

// A Remark is what a reviewer says.
type Remark struct {
	Kind Kind
	Text string
	Path string // the file that is meant, or ""
	Line int64  // of it, or 0
}

// A Review is the record of a remark about one commit on one base. It is an
// annotated tag under refs/gatewright/reviews.
type Review struct {
	Remark

	ID        string // of the tag object
	Target    string
	Base      string
	Commit    string
	Actor     string // a claim
	At        time.Time
	Withdrawn string // the approval that was taken back, or ""
}

// statement is what a review says about the commit, before who said it.
func (v Review) statement(tree string) string {
	return fmt.Sprintf("Review: %s\n\nbase %s\ncommit %s\ntree %s\ntarget %s%s\n", v.Kind, v.Base, v.Commit, tree, branches, v.Target)
}

// Review records a remark. Nobody but the protocol's mode for it calls this.
func (w *Writer) Review(ctx context.Context, caller Caller, base, commit string, remark Remark) (Review, error) {
	v := Review{Remark: remark, Base: base, Commit: commit, Actor: caller.Actor, At: time.Now().UTC()}
	c, err := w.Compare(ctx, base, commit)
	if err != nil {
		return v, err
	}
	v.Target = c.Target.Name
	if err := w.sensible(ctx, c, &v.Remark); err != nil {
		return v, err
	}
	name := pair(base, commit)
	kept, err := w.refsBelow(ctx, reviews+name+"/", maxReviews)
	if err != nil {
		return v, err
	}
	if len(kept) >= maxReviews {
		return v, refusal.New(refusal.ReviewsFull, "commit %s has %d reviews", commit, len(kept))
	}
	if v.ID, err = w.recordReview(ctx, caller, c, v); err != nil {
		return v, err
	}
	lines := []string{fmt.Sprintf("create %s %s", reviews+name+"/"+v.ID, v.ID)}
	if v.Kind.objects() {
		more, err := w.objection(ctx, c, &v)
		if err != nil {
			return v, err
		}
		lines = append(lines, more...)
	}
	if err := w.transact(ctx, string(v.Kind), lines...); err != nil {
		return v, fmt.Errorf("record the review: %w", w.explainReview(c, err))
	}
	return v, nil
}

// sensible holds a remark against the commit it is about.
func (w *Writer) sensible(ctx context.Context, c Comparison, remark *Remark) error {
	if c.Commit == c.Base {
		return refusal.New(refusal.CommitIsBase, "the commit is the base itself: there is no change")
	}
	remark.Text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(remark.Text, "\uFFFD")))
	switch {
	case remark.Text == "":
		return refusal.New(refusal.ReviewInvalid, "the review says nothing")
	case remark.Line > 0 && remark.Path == "":
		return refusal.New(refusal.ReviewInvalid, "line %d of no file is meant", remark.Line)
	case remark.Path == "":
		return nil
	}
	clean, err := worktree.Parse(remark.Path)
	if err != nil {
		return err
	}
	remark.Path = clean
	if _, err := w.entry(ctx, c.Commit, clean); err != nil {
		if _, there := w.entry(ctx, c.Base, clean); there != nil { // what is deleted can be meant
			return err
		}
	}
	return nil
}

// objection is what a decision against a commit moves beside its record.
func (w *Writer) objection(ctx context.Context, c Comparison, v *Review) ([]string, error) {
	name := pair(c.Base, c.Commit)
	refs := map[string]string{approvals + name: "", objected + name: "", merges + name: ""}
	for ref := range refs {
		id, err := w.tip(ctx, ref)
		if err != nil {
			return nil, err
		}
		refs[ref] = id
	}
	if refs[merges+name] != "" {
		return nil, refusal.New(refusal.AlreadyMerged, "commit %s was merged on base %s", c.Commit, c.Base)
	}
	was := refs[objected+name]
	if was == "" {
		was = w.none()
	}
	lines := []string{
		w.unset(merges+name, ""),
		w.unset(approvals+name, refs[approvals+name]),
		fmt.Sprintf("update %s %s %s", objected+name, v.ID, was),
	}
	if v.Withdrawn = refs[approvals+name]; v.Withdrawn != "" {
		lines = append(lines, fmt.Sprintf("update %s %s", withdrawn+name+"/"+v.Withdrawn, v.Withdrawn))
	}
	return lines, nil
}

func (w *Writer) recordReview(ctx context.Context, caller Caller, c Comparison, v Review) (string, error) {
	text := fmt.Sprintf("object %s\ntype commit\ntag gatewright-review-%s\ntagger %s <%s> %d +0000\n\n%s\nactor %s\ncall %s\nat %s\nfile %s\nline %d\n\n%s\n",
		c.Commit, pair(c.Base, c.Commit), caller.name(), mail, v.At.Unix(), v.statement(c.Tree),
		strconv.Quote(v.Actor), strconv.Quote(caller.Call), v.At.Format(time.RFC3339Nano), strconv.Quote(v.Path), v.Line, v.Text)
	output, err := w.inShadow(ctx, run{args: []string{"mktag"}, stdin: text})
	if err != nil {
		return "", fmt.Errorf("make the review: %w", err)
	}
	return strings.TrimSpace(string(output)), nil
}

func (w *Writer) explainReview(c Comparison, err error) error {
	if conflicting(err) {
		return refusal.New(refusal.ReviewMoved, "the decision about commit %s was changed meanwhile", c.Commit)
	}
	return err
}
