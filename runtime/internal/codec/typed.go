package codec

import (
	"errors"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Strict is how Go values are decoded. It is made once a codec, since the
// library keeps in it what it finds out about types.
type Strict struct{ options json.Options }

// NewStrict returns the one way there is.
func NewStrict() Strict {
	return Strict{json.JoinOptions(json.RejectUnknownMembers(true), json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(func(decoder *jsontext.Decoder, f *float64) (err error) {
			*f, err = readFloat(decoder)
			return err
		}),
		json.UnmarshalFromFunc(func(decoder *jsontext.Decoder, v *any) error {
			f, err := readFloat(decoder)
			if err == nil {
				*v = f
			}
			return err
		}),
	)))}
}

// Typed decodes canonical arguments into a T: a key that T does not have,
// another type and a number that T cannot hold exactly are refused.
func Typed[T any](text []byte, strict Strict) (any, error) {
	if strict.options == nil {
		return nil, malformed("there is no strict decoder to read them with")
	}
	var value T
	if err := json.Unmarshal(text, &value, strict.options); err != nil {
		return nil, semantic(err)
	}
	return value, nil
}

// readFloat reads a number that a float64 holds exactly as far as it is an
// integer, and leaves whatever is not a number to the library.
func readFloat(decoder *jsontext.Decoder) (float64, error) {
	if decoder.PeekKind() != '0' {
		return 0, errors.ErrUnsupported
	}
	literal, err := decoder.ReadValue()
	if err != nil {
		return 0, err
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	if err == nil && !keeps(string(literal), f) {
		err = errDigits
	}
	return f, err
}

// semantic words what the library has against a value. The schema has passed
// the arguments by then, so little gets here.
func semantic(err error) error {
	var found *json.SemanticError
	if !errors.As(err, &found) {
		return syntactic(err)
	}
	where := place(found.JSONPointer)
	switch {
	case errors.Is(found.Err, json.ErrUnknownName):
		return malformed("the key %s is not known", where)
	case errors.Is(found.Err, errDigits):
		return malformed("%s is a number, %w", where, errDigits)
	case errors.Is(found.Err, strconv.ErrRange), errors.Is(found.Err, strconv.ErrSyntax) && found.JSONKind == '0':
		return malformed("%s is %s, %w", where, cut(string(found.JSONValue), maxEcho), errRange)
	}
	return invalid("%s has to be %s", where, goKind(found.GoType))
}

// goKind names a Go type in the words of JSON.
func goKind(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return "of another type"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "an integer"
	default:
		return "of another type"
	}
}
