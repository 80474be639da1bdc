package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// A Writer also changes a repository: its branches, its index, the approvals it
// holds and, where the target branch is checked out, the files of the work
// tree.
type Writer struct{ *Repository }

// OpenWriter opens a repository for writing. The protocol's guarded client
// alone calls it.
func OpenWriter(ctx context.Context, folder string) (*Writer, error) {
	repository, err := Open(ctx, folder)
	if err != nil {
		return nil, err
	}
	return &Writer{Repository: repository}, nil
}

// A Caller is on whose behalf something is written.
type Caller struct {
	Actor string // a claim
	Call  string // id of the call, as in the audit log
}

// name is the actor in the form that git objects take.
func (c Caller) name() string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune("<>", r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(c.Actor, ""))
	name = strings.Trim(name, " .,:;\"'\\")
	if name == "" {
		return "unlabelled"
	}
	return name
}

// ready refuses a work tree that somebody else is in the middle of something
// with, and one that does not hold all files.
func (w *Writer) ready() error {
	if w.settings.sparse {
		return refusal.New(refusal.RepositoryUnusable, "the work tree is sparse: files that are not there would count as deleted")
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG"} {
		if _, err := os.Lstat(filepath.Join(w.gitDir, name)); err == nil {
			return refusal.New(refusal.OperationInProgress, "%s says that something is under way in this work tree", name)
		}
	}
	return nil
}

// transact moves refs, all or none. Each line is a command of update-ref.
func (w *Writer) transact(ctx context.Context, why string, lines ...string) error {
	var stdin strings.Builder
	stdin.WriteString("start\n")
	for _, line := range lines {
		if err := w.plain(strings.Fields(line)[1]); err != nil {
			return err
		}
		stdin.WriteString("option no-deref\n" + line + "\n")
	}
	stdin.WriteString("prepare\ncommit\n")
	_, err := w.inGitDir(ctx, run{args: []string{"update-ref", "-m", "gatewright: " + why, "--stdin"}, stdin: stdin.String()})
	if err != nil {
		return fmt.Errorf("move refs: %w", err)
	}
	return nil
}

// conflicting reports whether a transaction failed over a record of this
// protocol, which something else has changed.
func conflicting(err error) bool {
	failed, ended := errors.AsType[*exit](err)
	return ended && strings.Contains(failed.stderr, "refs/gatewright/")
}

// unset is the line of a transaction that removes a ref, or holds that it is
// not there.
func (w *Writer) unset(ref, was string) string {
	if was == "" {
		return fmt.Sprintf("verify %s %s", ref, w.none())
	}
	return fmt.Sprintf("delete %s %s", ref, was)
}

// plain refuses a ref whose file or whose log is a link, or lies behind one:
// git would follow it and write elsewhere.
func (w *Writer) plain(ref string) error {
	for _, name := range []string{ref, "logs/" + ref, "logs/HEAD", "packed-refs"} {
		for end := range len(name) + 1 {
			if end < len(name) && name[end] != '/' {
				continue
			}
			for _, folder := range []string{w.commonDir, w.gitDir} {
				info, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(name[:end])))
				if err == nil && info.Mode()&fs.ModeSymlink != 0 {
					return refusal.New(refusal.RepositoryUnusable, "%q in the git folder is a link", name[:end])
				}
			}
		}
	}
	return nil
}
