package schema

import "strings"

// A Kind says how a [Type] is written in Go.
type Kind uint8

// The kinds.
const (
	Raw   Kind = iota // json.RawMessage: what has no Go type, still validated
	Bool              // bool
	Text              // string
	Int               // int64
	Float             // float64
	List              // a slice of Elem
	Map               // a map from string to Elem
	Named             // Decl
)

// A Type is the Go type of one place.
type Type struct {
	Kind    Kind
	Elem    *Type
	Decl    *Decl
	Pointer bool // nil stands for null, or for an absent property
	Maybe   bool // Nullable[T]: absent, null and a value are three different things
}

// A DeclKind says what a [Decl] declares.
type DeclKind uint8

// The kinds of declarations.
const (
	Struct  DeclKind = iota
	Enum             // a string type with constants
	Defined          // a type over a slice or a map
)

// A Decl is one Go type declaration.
type Decl struct {
	Kind   DeclKind
	Name   string
	Doc    string // the description, as written
	Fields []Field
	Values []Constant
	Of     *Type // of a Defined
}

// A Field is one field of a struct.
type Field struct {
	Name     string
	JSON     string
	Doc      string
	Type     *Type
	Optional bool // omitted where it is zero
}

// A Constant is one value of an enumeration.
type Constant struct{ Name, Value string }

// A Namer hands out each Go identifier once: Take returns want, or the nearest
// name to it that is still free.
type Namer interface{ Take(want string) string }

// Exported turns text into an exported Go identifier: its ASCII letters and
// digits, each run of them with a capital first. It is empty where nothing
// usable is left, and may start with a digit.
func Exported(text string) string {
	var out strings.Builder
	start := true
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			if start {
				r -= 'a' - 'A'
			}
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		default:
			start = true
			continue
		}
		out.WriteRune(r)
		start = false
	}
	return out.String()
}
