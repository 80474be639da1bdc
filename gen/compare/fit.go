package compare

import (
	"slices"

	"github.com/gatewright/gatewright/gen/protocol"
)

// Misfits says where one input schema may refuse what another has taken, when
// it is handed those properties alone that it declares: the properties, in the
// order in which it declares them, and whether something about the whole may
// do so. What is required is not looked at. Where it cannot be told, it may.
func Misfits(taken, handed *protocol.Value) (fields []string, whole bool) {
	from, to := keywordsOf(schemaOf(taken)), keywordsOf(schemaOf(handed))
	have := membersOf(from, "properties")
	want := membersOf(to, "properties")
	if properties := handed.Member("properties"); properties != nil {
		for _, property := range properties.Members {
			name := property.Key.Value
			before, common := have[name]
			if common && refuses(alone(from, name, before), alone(to, name, want[name])) {
				fields = append(fields, name)
			}
		}
	}
	rest := map[string]any{}
	for key, value := range to {
		if !slices.Contains([]string{"properties", "required", "additionalProperties", "$defs", "definitions"}, key) {
			rest[key] = value
		}
	}
	return fields, refuses(map[string]any{"type": "object"}, rest)
}

// alone is a schema with one property, and what the property may refer to.
func alone(of map[string]any, name string, property any) map[string]any {
	to := map[string]any{"type": "object", "properties": map[string]any{name: property}}
	for _, key := range []string{"$defs", "definitions"} {
		if definitions, ok := of[key]; ok {
			to[key] = definitions
		}
	}
	return to
}

func refuses(before, after any) bool {
	return relate(before, after)&(tighter|unclear) != 0
}
