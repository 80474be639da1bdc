package git

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// Where refs live.
const (
	branches  = "refs/heads/"
	work      = "work/" // what the names of work branches start with
	approvals = "refs/gatewright/approvals/"
	merges    = "refs/gatewright/merges/"
	objected  = "refs/gatewright/objections/" // the decision that stands against a commit
	withdrawn = "refs/gatewright/withdrawn/"  // approvals that were taken back
	reviews   = "refs/gatewright/reviews/"
)

// tip returns the id a ref has, and "" for a ref that is not there. A ref that
// stands for another is refused: moving it would move the other.
func (r *Repository) tip(ctx context.Context, ref string) (string, error) {
	output, err := r.inGitDir(ctx, run{args: []string{"for-each-ref", "--format=%(refname) %(objectname) %(symref)", "--", ref}})
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", ref, err)
	}
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2 || fields[0] != ref: // one below a folder of this name
		case len(fields) > 2:
			return "", refusal.New(refusal.RepositoryUnusable, "%s stands for another ref, %s", ref, fields[2])
		case !r.isID(fields[1]):
			return "", refusal.New(refusal.RepositoryUnusable, "%s has no full id", ref)
		default:
			return fields[1], nil
		}
	}
	return "", nil
}

// Head returns the full name of the branch that is checked out, and "" where
// none is.
func (r *Repository) Head(ctx context.Context) (string, error) {
	output, err := r.inGitDir(ctx, run{args: []string{"symbolic-ref", "--quiet", "HEAD"}})
	if exited(err, 1) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look what is checked out: %w", err)
	}
	return strings.TrimSuffix(string(output), "\n"), nil
}

// A Branch is a branch and its tip.
type Branch struct {
	Name string // without refs/heads/
	Tip  string
}

func (b Branch) ref() string { return branches + b.Name }

// Target returns the branch that changes are merged into.
func (r *Repository) Target(ctx context.Context) (Branch, error) {
	for _, name := range []string{"main", "master"} {
		tip, err := r.tip(ctx, branches+name)
		if err != nil {
			return Branch{}, err
		}
		if tip != "" {
			return Branch{Name: name, Tip: tip}, nil
		}
	}
	return Branch{}, refusal.New(refusal.NoTargetBranch, "the repository has neither a branch main nor a branch master")
}

// Work returns a work branch by its name without work/, or the one that is
// checked out where name is empty.
func (r *Repository) Work(ctx context.Context, name string) (Branch, error) {
	full := work + name
	if name == "" {
		head, err := r.Head(ctx)
		if err != nil {
			return Branch{}, err
		}
		full = strings.TrimPrefix(head, branches)
		if !strings.HasPrefix(full, work) {
			return Branch{}, refusal.New(refusal.NoWorkBranch, "no work branch is checked out")
		}
	} else if !workName(name) {
		return Branch{}, refusal.New(refusal.NoWorkBranch, "%q cannot be the name of a work branch", name)
	}
	tip, err := r.tip(ctx, branches+full)
	if err != nil {
		return Branch{}, err
	}
	if tip == "" {
		return Branch{}, refusal.New(refusal.NoWorkBranch, "there is no branch %s", full)
	}
	return Branch{Name: full, Tip: tip}, nil
}

func workName(name string) bool {
	return regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$`).MatchString(name)
}

// isID reports whether text is a full id of this repository.
func (r *Repository) isID(text string) bool {
	return len(text) == r.settings.length() && strings.Trim(text, "0123456789abcdef") == ""
}

// none is the id that stands for no object.
func (r *Repository) none() string { return strings.Repeat("0", r.settings.length()) }
