package protocol

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
)

// otherWords are what a key is called in other formats, in lower case and
// without separators. A word may stand for several keys, each in its place.
func otherWords() map[string][]string {
	words := map[string][]string{}
	for _, row := range []string{
		"protocol_id: name id protocol", "initial_mode: initial start initialstate startmode defaultmode",
		"modes: states roles stages phases agents", "tools: actions commands allow allowed allowedtools operations",
		"exclusive_tools: exclusive approvers", "description: desc summary doc documentation title about help",
		"input: inputschema inputs parameters params args arguments request", "output: outputschema outputs returns return result response",
		"run: handler func function command go", "plan: planschema planned", "preview: dryrun prepare", "commit: apply execute", "effect: access", "record: log audit",
		"transitions: next on edges events", "waive: ignore allowances",
		"approval: approvals approve approvedby requiresapproval requireapproval needsapproval confirm", "by: providers provider who approvers from via ask",
		"ttl: expires expiry expire expiresafter lifetime validfor timeout", "hold: wait waits", "reason: why because message description",
		"show: preview display", "command: cmd exec program argv run", "env: environment environ variables", "timeout: deadline ttl", "to: target mode state", "package: pkg path import",
	} {
		key, others, _ := strings.Cut(row, ": ")
		for other := range strings.FieldsSeq(others) {
			words[other] = append(words[other], key)
		}
	}
	return words
}

// meantKey is the key that a word most likely stands for, or "".
func (r *reader) meantKey(word string, known []string) string {
	lower := strings.ToLower(word)
	if slices.Contains(known, lower) {
		return lower
	}
	bare := strings.NewReplacer("_", "", "-", "").Replace(lower)
	for _, key := range known {
		if strings.ReplaceAll(key, "_", "") == bare {
			return key
		}
	}
	if r.others == nil {
		r.others = otherWords()
	}
	for _, key := range r.others[bare] {
		if slices.Contains(known, key) {
			return key
		}
	}
	meant, _ := r.suggester.Closest(lower, known)
	return meant
}

// adviseKey is what to do about a key that stands for no other, or "".
func adviseKey(word string, known []string) string {
	bare := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(word))
	switch {
	case strings.HasPrefix(bare, "x") && strings.HasPrefix(word, "x-"), bare == "$comment", bare == "comment":
		return "remove it, or make it a comment, which starts with `#`"
	case (bare == "readonly" || bare == "readonlyhint") && slices.Contains(known, "effect"):
		return "write `effect: read`"
	case (bare == "preview" || bare == "commit") && slices.Contains(known, "run"):
		return "write `run: {preview: …, commit: …}`"
	case bare == "name" || bare == "id":
		return "remove it; the name is the key that this stands under"
	case slices.Contains(providers(), bare) && slices.Contains(known, "by"):
		return "write the providers in a list: `by: [" + spelled(bare) + "]`"
	case bare == "approval" && slices.Contains(known, "transitions"):
		return "remove it; who has to consent is said of a tool, under `tools`"
	case bare == "modes" && slices.Contains(known, "run"):
		return "remove it; each mode lists its tools under `modes`"
	}
	return ""
}

// stray says whether a value under an unknown key looks like a neighbour of
// what it stands in, indented too deep.
func stray(value *node, known []string) bool {
	if value.kind != mapping || len(value.pairs) == 0 {
		return false
	}
	return !slices.ContainsFunc(value.pairs, func(entry pair) bool {
		return entry.key.kind != scalar || !slices.Contains(known, entry.key.text)
	})
}

// wordsOf is what a value seems to list that should have been a list: the words
// of a text, or the keys of a mapping. It is nil where that is not clear.
func wordsOf(value *node) []string {
	var words []string
	switch value.kind {
	case scalar:
		if value.tag == "!!null" || value.tag == "!!bool" {
			return nil
		}
		words = strings.FieldsFunc(value.text, func(char rune) bool { return char == ',' || char == ' ' || char == '\n' })
		for i, word := range words {
			words[i] = strings.TrimPrefix(word, "-")
		}
	case mapping:
		for _, entry := range value.pairs {
			words = append(words, entry.key.text)
		}
	case list, broken:
	}
	plainWord := regexp.MustCompile(`^/?[A-Za-z0-9_][A-Za-z0-9_/-]{0,60}$`)
	if len(words) > 8 || slices.ContainsFunc(words, func(word string) bool { return !plainWord.MatchString(word) }) {
		return nil
	}
	return words
}

// unlisted is how to write a list whose items should have been the entries of
// a mapping.
func unlisted(key string, value *node) string {
	if value.kind != list || len(value.items) == 0 {
		return ""
	}
	item := value.items[0]
	if item.kind != mapping || len(item.pairs) == 0 {
		return ""
	}
	first := item.pairs[0]
	switch {
	case first.key.text == "name" && first.value.kind == scalar && IsName(first.value.text):
		return fmt.Sprintf("write `%s:` in place of `- name: %s`, and so on with the other items of `%s`", first.value.text, first.value.text, diag.Visible(key))
	case IsName(first.key.text):
		return fmt.Sprintf("write `%s:` in place of `- %s:`, and so on with the other items of `%s`", first.key.text, first.key.text, diag.Visible(key))
	}
	return ""
}

// quoted is a text as a value of YAML that no reader takes for anything else.
func quoted(text string) string {
	if strings.Contains(text, "'") && !strings.ContainsAny(text, `"\`) {
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// strangeLetter is the first letter of a name that is not one of a to z but
// may look like it.
func strangeLetter(name string) (rune, bool) {
	for _, char := range name {
		if char > '~' {
			return char, true
		}
	}
	return 0, false
}
