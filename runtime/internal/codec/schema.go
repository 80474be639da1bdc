package codec

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A schema is one JSON Schema, ready to hold trees against.
type schema struct {
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved
	plain    *plain // nil where it has no plain form
}

func resolve(text string) (*schema, error) {
	root := new(jsonschema.Schema)
	if err := json.Unmarshal([]byte(text), root); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	resolved, err := root.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("resolve the schema: %w", err)
	}
	s := &schema{root: root, resolved: resolved}
	s.plain = s.simplify()
	return s, nil
}

// object refuses a schema whose root does not say that it is an object, which
// MCP asks of every input.
func (s *schema) object() error {
	if s.root.Type != "object" {
		return errors.New(`the schema's root must say "type": "object"`)
	}
	return nil
}

// follow returns the schemas that describe the same value as at does: itself,
// what it refers to, and what it combines. References that are not local are
// left out; nothing that decides depends on them.
func (s *schema) follow(at []*jsonschema.Schema) []*jsonschema.Schema {
	all := make([]*jsonschema.Schema, 0, len(at))
	for queue := slices.Clone(at); len(queue) > 0; queue = queue[1:] {
		next := queue[0]
		if next == nil || slices.Contains(all, next) {
			continue
		}
		all = append(all, next)
		queue = append(queue, s.lookup(next.Ref), next.Then, next.Else)
		queue = append(queue, next.AllOf...)
		queue = append(queue, next.AnyOf...)
		queue = append(queue, next.OneOf...)
		for _, dependent := range next.DependentSchemas {
			queue = append(queue, dependent)
		}
	}
	return all
}

// lookup finds what a local reference names.
func (s *schema) lookup(ref string) *jsonschema.Schema {
	switch group, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/"), "/"); {
	case ref == "#":
		return s.root
	case !strings.HasPrefix(ref, "#/"):
		return nil
	case group == "$defs":
		return s.root.Defs[name]
	case group == "definitions":
		return s.root.Definitions[name]
	}
	return nil
}

// member returns what describes the value under a key.
func (s *schema) member(at []*jsonschema.Schema, key string) []*jsonschema.Schema {
	var found []*jsonschema.Schema
	for _, each := range at {
		if property, declared := each.Properties[key]; declared {
			found = append(found, property)
		} else if each.AdditionalProperties != nil {
			found = append(found, each.AdditionalProperties)
		}
	}
	return s.follow(found)
}

// item returns what describes the value at an index.
func (s *schema) item(at []*jsonschema.Schema, index int) []*jsonschema.Schema {
	var found []*jsonschema.Schema
	for _, each := range at {
		switch {
		case index < len(each.PrefixItems):
			found = append(found, each.PrefixItems[index])
		case index < len(each.ItemsArray):
			found = append(found, each.ItemsArray[index])
		case each.Items != nil:
			found = append(found, each.Items)
		case each.AdditionalItems != nil:
			found = append(found, each.AdditionalItems)
		}
	}
	return s.follow(found)
}
