package codec

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// spelling refuses a key that differs from a declared one only in case, also
// where the schema leaves room for further keys: who reads one for the other
// must find neither.
func (s *schema) spelling(tree any, at []*jsonschema.Schema, where jsontext.Pointer) error {
	if len(at) == 0 {
		return nil
	}
	switch value := tree.(type) {
	case map[string]any:
		declared := names(at)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			pointer := where.AppendToken(key)
			for _, name := range declared {
				if key != name && strings.EqualFold(key, name) && !slices.Contains(declared, key) {
					return malformed("the key %s is not spelled as declared; spell it %q", place(pointer), name)
				}
			}
			if err := s.spelling(value[key], s.member(at, key), pointer); err != nil {
				return err
			}
		}
	case []any:
		for index, item := range value {
			if err := s.spelling(item, s.item(at, index), where.AppendToken(strconv.Itoa(index))); err != nil {
				return err
			}
		}
	}
	return nil
}

// names lists the keys that any of the schemas declares, sorted.
func names(at []*jsonschema.Schema) []string {
	var all []string
	for _, each := range at {
		all = slices.AppendSeq(all, maps.Keys(each.Properties))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// resembling returns the declared name that a key was probably meant to be.
func resembling(declared []string, key string) string {
	plain := strings.NewReplacer("-", "", "_", "", " ", "")
	for _, name := range declared {
		if strings.EqualFold(plain.Replace(name), plain.Replace(key)) {
			return name
		}
	}
	return ""
}
