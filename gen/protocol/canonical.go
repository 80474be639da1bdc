package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Digest names the protocol's meaning: "sha256:" and the hash of its canonical
// form. Formatting, comments, the order of keys and of lists that are sets,
// and defaults that are written out do not count; everything else does. Call
// it on a protocol without errors.
func (p *Protocol) Digest() string {
	return DigestOf(p.Canonical())
}

// DigestOf is the digest of the protocol with that canonical form.
func DigestOf(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Canonical is what the digest is taken over: RFC 8785 JSON, but with integers
// kept as they are, since two that differ must stay apart however large.
func (p *Protocol) Canonical() []byte {
	text := jsontext.Value(p.normal().JSON())
	if err := text.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		// Only a protocol with errors gets here; its own text still names it.
		return text
	}
	return text
}

// normal is the protocol as a JSON value with every default filled in.
func (p *Protocol) normal() *Value {
	tools, modes := &Value{Kind: Object}, &Value{Kind: Object}
	for _, tool := range p.Tools {
		tools.add(tool.Name.Value, tool.normal())
	}
	for _, mode := range p.Modes {
		modes.add(mode.Name.Value, mode.normal())
	}
	golang := (&Value{Kind: Object}).
		add("package", text(path.Clean(p.Go.Package.Value))).
		add("deps", text(p.Go.Deps.Value))
	return (&Value{Kind: Object}).
		add("protocol_id", text(p.ID.Value)).
		add("version", text(p.Version.Value)).
		add("description", text(p.Description.Value)).
		add("initial_mode", text(p.InitialMode.Value)).
		add("exclusive_tools", texts(p.Exclusive())).
		add("strict", boolean(p.Strict)).
		add("go", golang).
		add("tools", tools).
		add("modes", modes)
}

func (t *Tool) normal() *Value {
	input := t.Input
	if input == nil {
		input = (&Value{Kind: Object}).add("type", text("object"))
	}
	to := (&Value{Kind: Object}).
		add("description", text(t.Description.Value)).
		add("effect", text(string(t.Effect))).
		add("input", withoutDefaults(input)).
		add("record", texts(values(t.Record))).
		add("run", t.normalRun()).
		add("waive", waivers(t.Waive))
	if t.Plan != nil {
		to.add("plan", withoutDefaults(t.Plan))
	}
	if t.Output != nil {
		to.add("output", withoutDefaults(t.Output))
	}
	if t.Approval != nil {
		to.add("approval", t.Approval.normal())
	}
	return to
}

func (m *Mode) normal() *Value {
	transitions := &Value{Kind: Object}
	for _, transition := range m.Transitions {
		transitions.add(transition.Event.Value, text(transition.To.Value))
	}
	return (&Value{Kind: Object}).
		add("description", text(m.Description.Value)).
		add("tools", texts(set(m.Tools))).
		add("transitions", transitions).
		add("waive", waivers(m.Waive))
}

func waivers(from []Waiver) *Value {
	to := &Value{Kind: Object}
	for _, waiver := range from {
		to.add(waiver.Rule.Value, text(waiver.Why.Value))
	}
	return to
}

func (v *Value) add(key string, value *Value) *Value {
	v.Members = append(v.Members, Member{Key: Text{Value: key}, Value: value})
	return v
}

func text(literal string) *Value { return &Value{Kind: String, Literal: literal} }

func boolean(is bool) *Value {
	if is {
		return &Value{Kind: Bool, Literal: "true"}
	}
	return &Value{Kind: Bool, Literal: "false"}
}

func texts(from []string) *Value {
	to := &Value{Kind: Array}
	for _, each := range from {
		to.Items = append(to.Items, text(each))
	}
	return to
}

func values(from []Text) []string {
	to := make([]string, 0, len(from))
	for _, each := range from {
		to = append(to, each.Value)
	}
	return to
}

func set(from []Text) []string {
	to := values(from)
	slices.Sort(to)
	return slices.Compact(to)
}
