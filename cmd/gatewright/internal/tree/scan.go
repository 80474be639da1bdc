package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/emit"
)

// A Problem is one reason to refuse a tree.
type Problem struct {
	Rule    string
	Path    string // slashes, relative to the module
	Message string
	Help    string
}

// tempPrefix and tempSuffix frame the names of files on their way into place.
const (
	tempPrefix = ".gatewright-"
	tempSuffix = ".tmp"
)

// A scan is what stands in a tree.
type scan struct {
	present  map[string][]byte // our files
	stale    []string          // what a killed run left on its way into place
	folders  []string
	manifest emit.Manifest
	problems []Problem
}

// look reads what is in the tree under base. wanted are the files to be.
func look(root *os.Root, base string, wanted map[string][]byte) (*scan, error) {
	s := &scan{present: map[string][]byte{}}
	if ok, err := s.enter(root, base); err != nil || !ok {
		return s, err
	}
	s.readManifest(root, base)
	err := fs.WalkDir(root.FS(), base, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if at == base {
			return nil
		}
		return s.entry(root, base, strings.TrimPrefix(at, base+"/"), entry, wanted)
	})
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", base, err)
	}
	return s, nil
}

// enter reports whether the tree exists. Each folder on the way to it has to
// be a real one.
func (s *scan) enter(root *os.Root, base string) (bool, error) {
	for at := range prefixes(base) {
		info, err := root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("look at %s: %w", at, err)
		case !info.IsDir():
			s.refuse(RuleLink, at, "generated files go into real folders; move it away", "this is no folder")
			return false, nil
		}
	}
	return true, nil
}

// prefixes yields each folder on the way to a path, and the path.
func prefixes(to string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i, r := range to {
			if r == '/' && !yield(to[:i]) {
				return
			}
		}
		yield(to)
	}
}

func (s *scan) readManifest(root *os.Root, base string) {
	info, err := root.Lstat(path.Join(base, emit.ManifestFile))
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	if data, err := root.ReadFile(path.Join(base, emit.ManifestFile)); err == nil {
		// One that cannot be read lists nothing; its place shows whose it is.
		s.manifest, _ = emit.ReadManifest(data)
	}
}

func (s *scan) entry(root *os.Root, base, at string, entry fs.DirEntry, wanted map[string][]byte) error {
	full := path.Join(base, at)
	switch {
	case entry.IsDir():
		s.folders = append(s.folders, at)
		if _, isFile := wanted[at]; isFile {
			s.refuse(RuleForeign, full, "move it away", "a folder stands where a generated file goes")
		}
		return nil
	case !entry.Type().IsRegular():
		s.refuse(RuleLink, full, "move it away; generated trees hold no links", "this is neither a file nor a folder")
		return nil
	case temporary(path.Base(at)):
		s.stale = append(s.stale, at)
		return nil
	}
	data, err := root.ReadFile(full)
	if err != nil {
		return err
	}
	_, isWanted := wanted[at]
	_, listed := s.manifest.Files[at]
	marked := bytes.HasPrefix(data, []byte(emit.Marker+"\n"))
	switch {
	case at == emit.ManifestFile, isWanted && (listed || marked), listed && marked:
		s.present[at] = data
	case isWanted:
		s.refuse(RuleForeign, full, "move it away; it would have been overwritten", "this file stands where a generated file goes, and gatewright did not write it")
	case listed:
		s.refuse(RuleForeign, full, "move it away, or remove it", "this file is no longer generated, and was edited: it has lost its first line")
	case marked:
		s.refuse(RuleForeign, full, "remove it", "this file looks like a generated one, but no manifest lists it")
	default:
		s.refuse(RuleForeign, full, "move it away; code under here could reach what only the gate may", "gatewright did not write this file")
	}
	return nil
}

func (s *scan) refuse(rule, at, help, message string) {
	s.problems = append(s.problems, Problem{Rule: rule, Path: at, Message: message, Help: help})
}

func temporary(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// collisions finds names that differ in case only, folders included.
func collisions(base string, wanted map[string][]byte) []Problem {
	spelled, problems := map[string]string{}, []Problem(nil)
	for _, file := range sortedKeys(wanted) {
		for part := range prefixes(file) {
			folded := strings.ToLower(part)
			if other, taken := spelled[folded]; taken && other != part {
				problems = append(problems, Problem{
					Rule: RuleCase, Path: path.Join(base, part), Help: "rename a tool or a mode",
					Message: "some file systems cannot tell it from " + path.Join(base, other),
				})
			}
			spelled[folded] = part
		}
	}
	return problems
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
