package worktree

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// Plan is the file that holds the plan of the change.
const Plan = "PLAN.md"

// temporary is how the names of unfinished files start and end.
const (
	temporaryStart = ".gatewright-"
	temporaryEnd   = ".tmp"
)

// TemporaryPattern matches unfinished files, in the syntax of .gitignore.
const TemporaryPattern = temporaryStart + "*" + temporaryEnd

// protectedFolders are the folders that nothing is written to, at any depth.
func protectedFolders() []string {
	return []string{".git", "generated", ".claude", ".codex", ".gemini", ".opencode", ".cursor"}
}

// protectedFiles are the files that are not written, at any depth.
func protectedFiles() []string {
	return []string{
		"protocol.yaml", "protocol.yml", "protocol.lock.json",
		".mcp.json", ".claude.json", "opencode.json", "opencode.jsonc",
	}
}

// Protected says why a clean path is not to be written, and is empty for one
// that may be. It judges names alone; how the file system resolves a name is
// judged where it is resolved.
func Protected(clean string) string {
	components := strings.Split(clean, "/")
	for i, component := range components {
		for _, name := range slices.Concat(protectedFolders(), protectedFiles()) {
			if alike(component, name) {
				return reason(name)
			}
		}
		if i > 0 && alike(components[i-1], ".vscode") && alike(component, "mcp.json") {
			return reason(".vscode/mcp.json")
		}
	}
	return ""
}

func reason(name string) string {
	switch name {
	case ".git":
		return "it belongs to git"
	case "generated":
		return "generated code is made by its generator"
	case "protocol.yaml", "protocol.yml", "protocol.lock.json":
		return "it says what each mode may do"
	}
	return name + " is the configuration of a client"
}

// Hidden reports whether a clean path leads into a git folder, which is not
// even read.
func Hidden(clean string) bool {
	return slices.ContainsFunc(strings.Split(clean, "/"), func(component string) bool { return alike(component, ".git") })
}

// IsPlan reports whether a clean path is that of the plan.
func IsPlan(clean string) bool { return alike(clean, Plan) }

func isTemporary(clean string) bool {
	name := path.Base(clean)
	return strings.HasPrefix(name, temporaryStart) && strings.HasSuffix(name, temporaryEnd)
}

// alike reports whether some file system takes a component for name: one that
// folds case, ignores invisible characters, drops dots and spaces at the end,
// has streams behind a colon, or short names with a tilde.
func alike(component, name string) bool {
	folded := fold(component)
	if folded == fold(name) {
		return true
	}
	stem, number, tilde := strings.Cut(folded, "~")
	if !tilde || number == "" || number[0] < '0' || number[0] > '9' {
		return false
	}
	return stem == fold(short(name))
}

// short is what a file system with short names puts before the tilde.
func short(name string) string {
	name = strings.TrimLeft(name, ".")
	name, _, _ = strings.Cut(name, ".")
	return name[:min(len(name), 6)]
}

// fold maps a component to what all its spellings share.
func fold(component string) string {
	component = strings.Map(func(r rune) rune {
		if ignored(r) {
			return -1
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, component)
	component, _, _ = strings.Cut(component, ":")
	return strings.TrimRight(component, " .")
}

// ignored reports whether HFS+ leaves a character out when it compares names.
func ignored(r rune) bool {
	return (r >= 0x200c && r <= 0x200f) || (r >= 0x202a && r <= 0x202e) || (r >= 0x206a && r <= 0x206f) || r == 0xfeff
}
