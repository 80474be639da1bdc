package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gatewright/gatewright/runtime/gate"
)

// maxDepth is how deep arguments and results may nest.
const maxDepth = 100

// read turns JSON text into a tree of map[string]any, []any, string, bool,
// nil, int64 and float64. It refuses duplicate keys, invalid UTF-8, numbers
// that no Go number holds, and anything after the first value.
func read(text []byte) (any, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text))
	value, err := readValue(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.ReadToken(); err == nil {
		return nil, malformed("there is more text after the value; send one value alone")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntactic(err)
	}
	return value, nil
}

func readValue(decoder *jsontext.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, malformed("%s is nested more than %d levels deep", place(decoder.StackPointer()), maxDepth)
	}
	token, err := decoder.ReadToken()
	if err != nil {
		return nil, syntactic(err)
	}
	switch token.Kind() {
	case '{':
		return readObject(decoder, depth)
	case '[':
		return readArray(decoder, depth)
	case '"':
		return token.String(), nil
	case '0':
		number, err := exact(token.String())
		if err != nil {
			return nil, malformed("%s is %s, %w", place(decoder.StackPointer()), cut(token.String(), maxEcho), err)
		}
		return number, nil
	case 't', 'f':
		return token.Bool(), nil
	default:
		return nil, nil
	}
}

func readObject(decoder *jsontext.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, syntactic(err)
		}
		key := name.String() // a token is void once the next one is read
		if object[key], err = readValue(decoder, depth+1); err != nil {
			return nil, err
		}
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, syntactic(err)
	}
	return object, nil
}

func readArray(decoder *jsontext.Decoder, depth int) (any, error) {
	array := []any{}
	for decoder.PeekKind() != ']' {
		item, err := readValue(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, item)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, syntactic(err)
	}
	return array, nil
}

// canonical writes a tree in the form of RFC 8785, except that integers keep
// all their digits.
func canonical(tree any) ([]byte, error) {
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("write the canonical form: %w", err)
	}
	value := jsontext.Value(text)
	if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		return nil, fmt.Errorf("write the canonical form: %w", err)
	}
	return value, nil
}

// syntactic words an error of the JSON grammar.
func syntactic(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return malformed("the JSON text ends too early")
		}
		return malformed("it is not JSON: %s", clip(err.Error()))
	}
	switch {
	case errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		return malformed("the key %s appears twice; send each key once", place(syntax.JSONPointer))
	case errors.Is(syntax.Err, io.ErrUnexpectedEOF):
		return malformed("the JSON text ends too early")
	}
	return malformed("it is not valid JSON at byte %d: %s", syntax.ByteOffset, clip(syntax.Err.Error()))
}

func malformed(format string, args ...any) error {
	return &gate.ArgumentError{Code: gate.ArgumentsMalformed, Message: fmt.Errorf(format, args...).Error()}
}

func invalid(format string, args ...any) error {
	return &gate.ArgumentError{Code: gate.ArgumentsInvalid, Message: fmt.Errorf(format, args...).Error()}
}
