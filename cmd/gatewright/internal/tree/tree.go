package tree

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/gatewright/gatewright/gen/emit"
)

// A Tree is a generated tree as it is and as it is to be.
type Tree struct {
	Write    []string  // files whose content is not right, or that are missing
	Remove   []string  // files that are no longer generated
	Problems []Problem // reasons to change nothing
	Old      emit.Manifest

	root   *os.Root
	base   string
	wanted map[string][]byte
	scan   *scan
}

// Plan compares a tree with the files that are to be in it. root is the
// module's folder, base the tree's path in it, with slashes. It changes
// nothing.
func Plan(root *os.Root, base string, wanted map[string][]byte) (*Tree, error) {
	s, err := look(root, base, wanted)
	if err != nil {
		return nil, err
	}
	t := &Tree{root: root, base: base, wanted: wanted, scan: s, Old: s.manifest}
	t.Problems = slices.Concat(s.problems, collisions(base, wanted))
	for _, file := range sortedKeys(wanted) {
		if present, ok := s.present[file]; !ok || !bytes.Equal(present, wanted[file]) {
			t.Write = append(t.Write, file)
		}
	}
	for _, file := range sortedKeys(s.present) {
		if _, ok := wanted[file]; !ok {
			t.Remove = append(t.Remove, file)
		}
	}
	return t, nil
}

// Content returns what a file of the tree holds and what it is to hold, nil
// for nothing.
func (t *Tree) Content(file string) (was, will []byte) { return t.scan.present[file], t.wanted[file] }

// Clean reports whether nothing is to be done.
func (t *Tree) Clean() bool {
	return len(t.Write) == 0 && len(t.Remove) == 0 && len(t.scan.stale) == 0 && len(t.Problems) == 0
}

// Apply makes the tree what it is to be. It may be interrupted anywhere: the
// next run completes it.
func (t *Tree) Apply() error {
	if len(t.Problems) > 0 {
		return fmt.Errorf("write %s: %d problems are in the way", t.base, len(t.Problems))
	}
	for _, step := range t.steps() {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// steps is what Apply does, in order. It may be stopped between any two.
func (t *Tree) steps() []func() error {
	var steps []func() error
	for _, file := range t.scan.stale {
		steps = append(steps, func() error { return t.remove(file) })
	}
	steps = append(steps, t.announce)
	for _, file := range t.Write {
		if file != emit.ManifestFile {
			steps = append(steps, func() error { return t.write(file, t.wanted[file]) })
		}
	}
	for _, file := range t.Remove {
		steps = append(steps, func() error { return t.remove(file) })
	}
	return append(steps, t.prune, t.conclude)
}

// conclude writes the manifest of what is there now.
func (t *Tree) conclude() error {
	if manifest, ok := t.wanted[emit.ManifestFile]; ok && (len(t.Write) > 0 || len(t.Remove) > 0) {
		return t.write(emit.ManifestFile, manifest)
	}
	return nil
}

// announce writes a manifest that lists what was there beside what is to be,
// so that whatever an interrupted run leaves is known as ours.
func (t *Tree) announce() error {
	data, ok := t.wanted[emit.ManifestFile]
	if !ok || (len(t.Write) == 0 && len(t.Remove) == 0) {
		return nil
	}
	manifest, err := emit.ReadManifest(data)
	if err != nil {
		return err
	}
	for file, sum := range t.scan.manifest.Files {
		if _, listed := manifest.Files[file]; !listed {
			manifest.Files[file] = sum
		}
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return fmt.Errorf("write the manifest of %s: %w", t.base, err)
	}
	text = append(text, '\n')
	if bytes.Equal(text, t.scan.present[emit.ManifestFile]) {
		return nil
	}
	return t.write(emit.ManifestFile, text)
}

// write puts a file beside its place and renames it into it.
func (t *Tree) write(file string, data []byte) error {
	full := path.Join(t.base, file)
	folder := path.Dir(full)
	if err := t.root.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write %s: %w", full, err)
	}
	temp := path.Join(folder, tempPrefix+rand.Text()+tempSuffix)
	out, err := t.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write %s: %w", full, err)
	}
	_, err = out.Write(data)
	err = errors.Join(err, out.Close())
	if err == nil {
		err = t.root.Rename(temp, full)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", full, errors.Join(err, t.root.Remove(temp)))
	}
	return nil
}

func (t *Tree) remove(file string) error {
	full := path.Join(t.base, file)
	if err := t.root.Remove(full); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", full, err)
	}
	return nil
}

// prune removes folders that have become empty; one that is not empty stays.
func (t *Tree) prune() error {
	kept := map[string]bool{}
	for file := range t.wanted {
		for part := range prefixes(file) {
			kept[part] = true
		}
	}
	folders := map[string]bool{}
	for _, folder := range t.scan.folders {
		folders[folder] = true
	}
	// A folder sorts before what is in it.
	for _, folder := range slices.Backward(slices.Sorted(maps.Keys(folders))) {
		if !kept[folder] {
			_ = t.root.Remove(path.Join(t.base, folder))
		}
	}
	return nil
}
