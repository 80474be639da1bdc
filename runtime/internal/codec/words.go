package codec

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxEcho bounds what a message repeats of a value, and maxWords the whole of
// what another library said.
const (
	maxEcho  = 120
	maxWords = 200
)

// place names a value by its JSON pointer.
func place(pointer jsontext.Pointer) string {
	if pointer == "" {
		return "the root"
	}
	return cut(string(pointer), maxEcho)
}

// quote repeats a value of a tree as JSON, bounded.
func quote(value any) string {
	switch value := value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		if len(value) > maxEcho {
			value = cut(value, maxEcho)
		}
		text, _ := json.Marshal(value)
		return string(text)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%T", value)
	}
	return cut(string(text), maxEcho)
}

// clip bounds what another library said.
func clip(words string) string { return cut(words, maxWords) }

func cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// kind names the JSON type of a value of a tree.
func kind(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case int64:
		return "integer"
	case float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
