package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/gatewright/gatewright/gen/diag"
)

// compare lists what a run would change.
func (g *generation) compare() error {
	changes := 0
	say := func(verb, file string) {
		changes++
		fmt.Fprintf(g.out, "%s %s\n", verb, file)
	}
	for _, u := range g.units {
		for _, file := range u.tree.Write {
			say("write", path.Join(u.base, file))
			was, will := u.tree.Content(file)
			g.show(path.Join(u.base, file), was, will)
		}
		for _, file := range u.tree.Remove {
			say("remove", path.Join(u.base, file))
			was, _ := u.tree.Content(file)
			g.show(path.Join(u.base, file), was, nil)
		}
		if len(u.tree.Write) == 0 && len(u.tree.Remove) == 0 && !u.tree.Clean() {
			say("tidy", u.base)
		}
		for _, file := range slices.Sorted(maps.Keys(u.plan.Stubs)) {
			say("create", path.Join(u.folder, file))
			g.show(path.Join(u.folder, file), nil, u.plan.Stubs[file])
		}
		changes += g.paste(u)
	}
	if changes > 0 {
		fmt.Fprintln(g.errs, "the generated code is not what the protocols say; run gatewright generate")
		return exitError{code: exitFindings}
	}
	return nil
}

// show prints how a file would change, where that was asked for. What a file
// holds is made visible, since a terminal would obey it.
func (g *generation) show(file string, was, will []byte) {
	if !g.diff {
		return
	}
	for line := range strings.Lines(string(diff.Diff("a/"+file, was, "b/"+file, will))) {
		fmt.Fprintln(g.out, diag.Visible(strings.TrimSuffix(line, "\n")))
	}
}

// write puts everything on disk: the trees first, then the stubs.
func (g *generation) write() error {
	for _, u := range g.units {
		if !u.tree.Clean() {
			if err := u.tree.Apply(); err != nil {
				return err
			}
			fmt.Fprintf(g.out, "%s: %d written, %d removed\n", u.base, len(u.tree.Write), len(u.tree.Remove))
		}
	}
	for _, u := range g.units {
		for _, file := range slices.Sorted(maps.Keys(u.plan.Stubs)) {
			if err := u.module.create(path.Join(u.folder, file), u.plan.Stubs[file]); err != nil {
				return err
			}
			fmt.Fprintf(g.out, "%s: created, to be filled in\n", path.Join(u.folder, file))
		}
		pasted := g.paste(u)
		if g.memory != nil && len(g.found) == 0 && pasted == 0 && len(u.plan.Stubs) == 0 && u.tree.Clean() {
			g.memory.keep(u)
		}
	}
	return nil
}

// paste shows the functions that are missing and cannot be put into a file of
// their own.
func (g *generation) paste(u *unit) int {
	for _, paste := range u.plan.Paste {
		fmt.Fprintf(g.out, "%s: this is missing, to be pasted:\n\n%s\n", paste.File, paste.Source)
	}
	return len(u.plan.Paste)
}
