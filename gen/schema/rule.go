package schema

// The rules of this package.
const (
	Form          = "schema-form"
	Keyword       = "schema-keyword"
	Unsupported   = "schema-unsupported"
	Format        = "schema-format"
	Default       = "schema-default"
	Pattern       = "schema-pattern"
	Number        = "schema-number"
	Ref           = "schema-ref"
	Cycle         = "schema-cycle"
	Root          = "schema-root"
	TypeMissing   = "schema-type"
	NoEffect      = "schema-no-effect"
	Contradiction = "schema-contradiction"
	Record        = "schema-record"
	Depth         = "schema-depth"
	Unusable      = "schema-unusable"
)

// A Rule says what one id stands for.
type Rule struct {
	ID      string
	Purpose string
	Help    string
}

// Rules returns a row for each rule of this package.
func Rules() []Rule {
	return []Rule{
		{Form, "A keyword's value has the form that JSON Schema gives it.", "Correct the value; draft-03 and draft-04 forms (required: true, exclusiveMinimum: true) are not taken."},
		{Keyword, "Every keyword is one of JSON Schema 2020-12.", "An unknown keyword would be advertised and never enforced. Correct its spelling or remove it."},
		{Unsupported, "No keyword is used that the validator at run time cannot honour.", "Use the keyword that the message names instead."},
		{Format, "No format or content keyword is used, because nothing would enforce it.", "Write a pattern, or say it in the description and check it in the handler."},
		{Default, "No default is used, because nothing would apply it.", "Let the handler choose where the property is absent, and say so in the description."},
		{Pattern, "Every pattern means the same to the validator (RE2) and to a client (ECMA-262).", "RE2 has no lookahead, lookbehind or backreferences, and clients do not know Go's own syntax."},
		{Number, "No number of a schema loses digits, and none is compared inexactly.", "The validator computes in 64-bit floating point: whole numbers are exact up to 2^53, fractions as divisors never are."},
		{Ref, "Every $ref leads to a schema of the same document.", "Put the schema under $defs and refer to it as \"#/$defs/name\"."},
		{Cycle, "Every $ref cycle consumes input, and some finite value satisfies it.", "Make one property of the cycle optional, or put an array or a map in between."},
		{Root, "A tool's input and output are objects.", "Wrap the value in an object with one property."},
		{TypeMissing, "A schema that constrains values of one type names that type.", "Without type, a value of any other type passes unchecked."},
		{NoEffect, "Every keyword has an effect.", "A keyword for another type, or without the keyword it belongs to, checks nothing. Remove it or add what is missing."},
		{Contradiction, "Every schema can be satisfied as far as that can be told.", "Correct one of the places that contradict each other."},
		{Record, "Every record pointer leads to a place in the tool's input.", "Write it as a JSON pointer: /name, or /outer/inner."},
		{Depth, "Schemas are nested no deeper than 64 levels.", "Move parts of it under $defs."},
		{Unusable, "The validator at run time accepts every schema.", "The message is the validator's own."},
	}
}
