package vet

// The rules.
const (
	RuleReflect  = "vet-reflect"
	RuleUnsafe   = "vet-unsafe"
	RuleLinkname = "vet-linkname"
	RuleAssembly = "vet-assembly"
	RuleSet      = "vet-empty-set"
	RuleLeak     = "vet-leak"
	RuleShape    = "vet-shape"
	RuleCall     = "vet-forged-call"
	RuleOpen     = "vet-named-open"
)

// A Rule is a row of [Rules].
type Rule struct {
	ID      string
	Purpose string
	Help    string
}

// Rules returns a row for each rule of this package.
func Rules() []Rule {
	return []Rule{
		{RuleReflect, "No package that can reach a protocol uses reflect.", "Do it with types, or in a package that does not import the protocol's contracts or handlers."},
		{RuleUnsafe, "No package that can reach a protocol uses unsafe.", "Move it into a package that does not import the protocol's contracts or handlers."},
		{RuleLinkname, "No linkname points into a protocol.", "Remove it. Tools are called through a server, or in tests through the test kit."},
		{RuleAssembly, "No package that can reach a protocol has assembly, C or plugins.", "Move it into a package that does not import the protocol's contracts or handlers."},
		{RuleSet, "No type argument and no method expression is of an interface that is for constraints alone, and no constraint is empty.", "Such types satisfy every constraint, that of a permit included. Use an interface that has methods only."},
		{RuleLeak, "No exported API mentions the type of a permit.", "Type inference would find it there. Keep it in a package under internal."},
		{RuleShape, "The constraints of a protocol have a ~ term with unexported fields, and unexported methods.", "Run gatewright generate: this is not what it emits."},
		{RuleCall, "Only the gate makes a gate.Call.", "Whatever takes a *gate.Call trusts it. Open it from a permit."},
		{RuleOpen, "What opens a guarded client has no name.", "Pass Guard a function literal: a named function can be called without the guard."},
	}
}
