package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
	"github.com/gatewright/gatewright/runtime/gate"
)

// A checkout brings the work tree from one commit to another. git makes the new
// files in a folder of our own; package worktree puts them in their places, one
// by one, and only where the file stands that was looked at before. So neither
// a link that is swapped in meanwhile nor a file that somebody changes leads it
// astray.
type checkout struct {
	writer   *Writer
	from, to string
	shadow   *shadow
	folder   string // of the new files
	steps    []step
	files    *worktree.Writer
}

// A step changes one path.
type step struct {
	change Change
	was    worktree.Version
}

// checkout prepares to bring the work tree from one commit to another. It
// refuses unless the files and the index are those of the first.
func (w *Writer) checkout(ctx context.Context, from, to string) (c *checkout, err error) {
	if err := w.ready(); err != nil {
		return nil, err
	}
	c = &checkout{writer: w, from: from, to: to}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if c.files, err = worktree.OpenWriter(w.workTree); err != nil {
		return c, err
	}
	if c.shadow, err = w.shadowWithFiles(); err != nil {
		return c, err
	}
	if err := c.plan(ctx); err != nil {
		return c, err
	}
	if err := c.shadow.clean(ctx, from, to); err != nil {
		return c, err
	}
	if c.folder, err = c.shadow.exportFolder(); err != nil {
		return c, err
	}
	err = c.export(ctx)
	return c, err
}

// export has git make the new files.
func (c *checkout) export(ctx context.Context) error {
	var names []string
	var ids strings.Builder
	for _, step := range c.steps {
		if step.change.Mode != modeNone && step.change.Mode != modeGit {
			names = append(names, step.change.Path)
			ids.WriteString(step.change.after + "\n")
		}
	}
	if len(names) == 0 {
		return nil
	}
	sizes, err := c.shadow.run(ctx, run{args: []string{"cat-file", "--batch-check=%(objectsize)"}, stdin: ids.String(), limit: largeOutput})
	if err != nil {
		return fmt.Errorf("look at the new files: %w", err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(sizes)), "\n") {
		if size, err := strconv.ParseInt(line, 10, 64); err != nil || size > worktree.MaxFile {
			return refusal.New(refusal.FileTooLarge, "%q would be written, and is larger than %d bytes", worktree.Shown(names[i]), worktree.MaxFile)
		}
	}
	return c.shadow.export(ctx, c.to, c.folder, names)
}

func (c *checkout) close() error {
	var errs []error
	if c.shadow != nil {
		errs = append(errs, c.shadow.close())
	}
	if c.files != nil {
		errs = append(errs, c.files.Close())
	}
	return errors.Join(errs...)
}

// plan looks at every file that is to change, what goes first: a folder may
// take the place of a file.
func (c *checkout) plan(ctx context.Context) error {
	changes, err := c.writer.changes(ctx, c.from, c.to)
	if err != nil {
		return err
	}
	var kept []step
	for _, change := range changes {
		step := step{change: change}
		if why := worktree.Protected(change.Path); why != "" {
			failure := refusal.New(refusal.PathProtected, "%q would change, which no tool of this protocol may change: %s", worktree.Shown(change.Path), why)
			failure.Next = "A person has to bring this work tree to the other commit."
			return failure
		}
		if change.submodule() {
			if change.Mode == modeGit {
				kept = append(kept, step)
			}
			continue
		}
		step.was, err = c.files.Version(change.Path)
		switch {
		case refusal.Is(err, refusal.NotAFile) && change.before == modeNone:
			step.was.Form = worktree.Absent // a folder, which goes first: git holds that it does
		case err != nil:
			return inTheWay(err)
		}
		if change.Mode == modeNone {
			c.steps = append(c.steps, step)
		} else {
			kept = append(kept, step)
		}
	}
	c.steps = append(c.steps, kept...)
	return nil
}

// inTheWay words what stands where no file of the commit can be.
func inTheWay(err error) error {
	for _, code := range []gate.Code{refusal.PathIsLink, refusal.NotAFile} {
		if refusal.Is(err, code) {
			return refusal.New(refusal.WorktreeDirty, "the files of the work tree stand in the way: %v", err)
		}
	}
	return err
}

// run changes the files and the index, and says what became of them. What is
// wrong with one file does not keep the others from being changed.
func (c *checkout) run(ctx context.Context) string {
	ctx = context.WithoutCancel(ctx)
	state := Updated
	for _, step := range c.steps {
		if err := c.step(ctx, step); err != nil {
			state = Behind
		}
	}
	if _, err := c.writer.index(ctx, c.from, c.to); err != nil {
		state = Behind
	}
	return state
}

func (c *checkout) step(ctx context.Context, step step) error {
	name := step.change.Path
	if step.change.Mode == modeGit {
		if step.was.Form != "" {
			if err := c.files.Exchange(ctx, name, step.was, worktree.Content{Form: worktree.Absent}); err != nil {
				return err
			}
		}
		return c.files.MakeFolder(name)
	}
	content, err := c.content(step.change)
	if err != nil {
		return err
	}
	return c.files.Exchange(ctx, name, step.was, content)
}

// content reads what git made of a file.
func (c *checkout) content(change Change) (worktree.Content, error) {
	if change.Mode == modeNone {
		return worktree.Content{Form: worktree.Absent}, nil
	}
	name := filepath.Join(c.folder, filepath.FromSlash(change.Path))
	info, err := os.Lstat(name)
	if err != nil {
		return worktree.Content{}, fmt.Errorf("look at the new file: %w", err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(name)
		if err != nil {
			return worktree.Content{}, fmt.Errorf("look at the new link: %w", err)
		}
		return worktree.Content{Form: worktree.Symlink, Data: []byte(target)}, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return worktree.Content{}, fmt.Errorf("read the new file: %w", err)
	}
	return worktree.Content{Form: worktree.Regular, Data: data, Executable: info.Mode()&0o100 != 0}, nil
}
