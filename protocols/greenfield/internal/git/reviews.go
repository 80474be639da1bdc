package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// What stands about a commit on a base.
const (
	DecisionOpen             = "open"
	DecisionApproved         = "approved"
	DecisionChangesRequested = "changes_requested"
	DecisionRejected         = "rejected"
	DecisionMerged           = "merged"
)

// A keptRef is a ref and what it stands at.
type keptRef struct{ name, id string }

// refsBelow returns the refs in a folder of refs, and no more than limit.
func (r *Repository) refsBelow(ctx context.Context, folder string, limit int) (refs []keptRef, err error) {
	output, err := r.inGitDir(ctx, run{
		args: []string{"for-each-ref", "--count=" + strconv.Itoa(limit), "--format=%(refname) %(objectname)", "--", strings.TrimSuffix(folder, "/")}, limit: largeOutput,
	})
	if err != nil {
		return nil, fmt.Errorf("look for %s: %w", folder, err)
	}
	for line := range strings.Lines(string(output)) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(name, folder) && r.isID(id) {
			refs = append(refs, keptRef{name: name, id: id})
		}
	}
	return refs, nil
}

// Decision says what stands about a commit on a base.
func (r *Repository) Decision(ctx context.Context, base, commit string) (string, error) {
	name := pair(base, commit)
	merged, err := r.tip(ctx, merges+name)
	if err != nil || merged != "" {
		return DecisionMerged, err
	}
	objection, err := r.tip(ctx, objected+name)
	if err != nil {
		return "", err
	}
	if objection != "" {
		if v, err := r.review(ctx, objection, base, commit); err == nil && v.Kind == RequestChanges {
			return DecisionChangesRequested, nil
		}
		return DecisionRejected, nil // whatever it says, it stands against the commit
	}
	c, err := r.Compare(ctx, base, commit)
	if err != nil {
		return "", err
	}
	switch _, err := r.Approved(ctx, c); {
	case err == nil:
		return DecisionApproved, nil
	case refusal.Is(err, refusal.NotApproved):
		return DecisionOpen, nil
	default:
		return "", err
	}
}

// Reviews returns what was said about commits, the oldest first, and of more
// than limit the newest.
func (r *Repository) Reviews(ctx context.Context, commits []string, limit int) (said []Review, more bool, err error) {
	refs, err := r.refsBelow(ctx, reviews, largeOutput/256)
	if err != nil {
		return nil, false, err
	}
	for _, ref := range refs {
		base, commit, found := strings.Cut(strings.Split(strings.TrimPrefix(ref.name, reviews), "/")[0], "-")
		if !found || !slices.Contains(commits, commit) {
			continue
		}
		if v, err := r.review(ctx, ref.id, base, commit); err == nil {
			said = append(said, v)
		} else if ctx.Err() != nil {
			return nil, false, err
		}
	}
	slices.SortStableFunc(said, func(a, b Review) int { return a.At.Compare(b.At) })
	if len(said) > limit {
		return said[len(said)-limit:], true, nil
	}
	return said, false, nil
}

// review reads the record of a review, and refuses one that does not say
// exactly that it is about this commit on this base.
func (r *Repository) review(ctx context.Context, id, base, commit string) (Review, error) {
	v := Review{ID: id, Base: base, Commit: commit}
	tag, err := r.inShadow(ctx, run{args: []string{"cat-file", "tag", id}})
	if err != nil {
		return v, fmt.Errorf("read review %s: %w", id, err)
	}
	head, message, _ := strings.Cut(string(tag), "\n\n")
	if !strings.HasPrefix(head, fmt.Sprintf("object %s\ntype commit\ntag gatewright-review-%s\ntagger ", commit, pair(base, commit))) {
		return v, fmt.Errorf("review %s is not one of commit %s", id, commit)
	}
	first, message, _ := strings.Cut(message, "\n")
	v.Kind = Kind(strings.TrimPrefix(first, "Review: "))
	if !slices.Contains([]Kind{Comment, RequestChanges, Reject}, v.Kind) {
		return v, fmt.Errorf("review %s is of an unknown kind", id)
	}
	message, text, _ := strings.Cut(strings.TrimPrefix(message, "\n"), "\n\n")
	about, text, _ := strings.Cut(text, "\n\n")
	facts := map[string]string{}
	for line := range strings.Lines(message + "\n" + about) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		facts[key] = value
	}
	if facts["base"] != base || facts["commit"] != commit {
		return v, fmt.Errorf("review %s is about something else", id)
	}
	v.Target = strings.TrimPrefix(facts["target"], branches)
	v.Text = strings.TrimSuffix(strings.ToValidUTF8(text, "\uFFFD"), "\n")
	v.Actor, _ = strconv.Unquote(facts["actor"])
	v.Path, _ = strconv.Unquote(facts["file"])
	v.Line, _ = strconv.ParseInt(facts["line"], 10, 64)
	v.At, err = time.Parse(time.RFC3339Nano, facts["at"])
	if err != nil {
		return v, fmt.Errorf("review %s has no time: %w", id, err)
	}
	return v, nil
}

// Commits returns those of a branch that are not in the target branch, the
// newest first, and the tip where that is all there is.
func (r *Repository) Commits(ctx context.Context, tip string) ([]string, error) {
	target, err := r.Target(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := r.commit(ctx, tip); err != nil {
		return nil, err
	}
	output, err := r.inShadow(ctx, run{args: []string{"rev-list", "--max-count=1000", tip, "^" + target.Tip}})
	if err != nil {
		return nil, fmt.Errorf("follow the branch: %w", err)
	}
	commits := strings.Fields(string(output))
	if len(commits) == 0 {
		commits = []string{tip}
	}
	return commits, nil
}
