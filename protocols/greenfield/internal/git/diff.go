package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// A Change is what a commit does to one path.
type Change struct {
	Path           string
	Status         string // added, changed, deleted or retyped
	Mode           string // after the change
	before         string // the mode before it
	after          string // the id after it
	Added, Removed int64  // lines, unless Binary
	Binary         bool
}

// changes compares two commits, path by path and without guessing at renames.
func (r *Repository) changes(ctx context.Context, base, commit string) ([]Change, error) {
	raw, err := r.diffTree(ctx, run{limit: largeOutput}, "--raw", "-z", base, commit)
	if err != nil {
		return nil, err
	}
	numbers, err := r.diffTree(ctx, run{limit: largeOutput}, "--numstat", "-z", base, commit)
	if err != nil {
		return nil, err
	}
	counts := map[string][2]string{}
	for record := range strings.SplitSeq(strings.TrimSuffix(string(numbers), "\x00"), "\x00") {
		if fields := strings.SplitN(record, "\t", 3); len(fields) == 3 {
			counts[fields[2]] = [2]string{fields[0], fields[1]}
		}
	}
	var changes []Change
	fields := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		change, err := parseChange(fields[i], fields[i+1])
		if err != nil {
			return nil, err
		}
		count := counts[change.Path]
		change.Binary = count[0] == "-"
		change.Added, _ = strconv.ParseInt(count[0], 10, 64)
		change.Removed, _ = strconv.ParseInt(count[1], 10, 64)
		changes = append(changes, change)
	}
	return changes, nil
}

// parseChange reads ":100644 100644 <id> <id> M".
func parseChange(about, name string) (Change, error) {
	fields := strings.Fields(about)
	if len(fields) != 5 || name == "" {
		return Change{}, refusal.New(refusal.RepositoryUnusable, "a comparison of trees cannot be understood")
	}
	change := Change{Path: name, Mode: fields[1], before: strings.TrimPrefix(fields[0], ":"), after: fields[3], Status: "changed"}
	switch fields[4] {
	case "A":
		change.Status = "added"
	case "D":
		change.Status = "deleted"
	case "T":
		change.Status = "retyped"
	}
	return change, nil
}

// submodule reports whether the change is one of another repository, before and
// after.
func (c Change) submodule() bool {
	return (c.Mode == modeGit || c.Mode == modeNone) && (c.before == modeGit || c.before == modeNone)
}

// Patch words the change from base to commit, of one path where one is given.
// It is cut off at limit bytes.
func (r *Repository) Patch(ctx context.Context, base, commit, name string, limit int) (patch string, truncated bool, err error) {
	args := []string{"--patch", "--full-index", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", base, commit}
	if name != "" {
		clean, err := worktree.Parse(name)
		if err != nil {
			return "", false, err
		}
		if clean != "." {
			args = append(args, "--", clean)
		}
	}
	output, err := r.diffTree(ctx, run{limit: limit, cut: true}, args...)
	if err != nil {
		return "", false, err
	}
	truncated = len(output) == limit
	return strings.ToValidUTF8(string(output), "\uFFFD"), truncated, nil
}

func (r *Repository) diffTree(ctx context.Context, do run, args ...string) ([]byte, error) {
	do.args = append([]string{"diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-commit-id", "--no-abbrev", "--ignore-submodules=none"}, args...)
	output, err := r.inShadow(ctx, do)
	if err != nil {
		return nil, fmt.Errorf("compare the commits: %w", err)
	}
	return output, nil
}

// A Comparison is a commit beside its base.
type Comparison struct {
	Target  Branch
	Base    string
	Commit  string
	Tree    string
	Changes []Change
}

// Compare compares a commit with a base. Where base is empty it is the tip of
// the target branch.
func (r *Repository) Compare(ctx context.Context, base, commit string) (Comparison, error) {
	target, err := r.Target(ctx)
	if err != nil {
		return Comparison{}, err
	}
	if base == "" {
		base = target.Tip
	}
	c := Comparison{Target: target, Base: base, Commit: commit}
	if _, err := r.commit(ctx, base); err != nil {
		return c, err
	}
	if c.Tree, err = r.commit(ctx, commit); err != nil {
		return c, err
	}
	c.Changes, err = r.changes(ctx, base, commit)
	return c, err
}

// Obstacle returns the failure with which approving or merging what was
// compared would be refused, and nil where nothing stands against it.
func (r *Repository) Obstacle(ctx context.Context, c Comparison) error {
	if c.Base != c.Target.Tip {
		return refusal.New(refusal.BaseMoved, "%s is at %s, not at %s", c.Target.Name, c.Target.Tip, c.Base)
	}
	if c.Commit == c.Base {
		return refusal.New(refusal.CommitIsBase, "the commit is the base itself: there is no change")
	}
	descends, err := r.descends(ctx, c.Commit, c.Base)
	if err != nil {
		return err
	}
	if !descends {
		return refusal.New(refusal.NotADescendant, "commit %s is not built on %s", c.Commit, c.Base)
	}
	for _, change := range c.Changes {
		if why := worktree.Protected(change.Path); why != "" {
			failure := refusal.New(refusal.PathProtected, "the commit changes %q, which no tool of this protocol may: %s", change.Path, why)
			failure.Next = "Only a person can bring this change in, outside this protocol."
			return failure
		}
	}
	return nil
}
