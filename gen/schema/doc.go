// Package schema turns a JSON Schema of a protocol into what the rest needs of
// it: the text that a server advertises and validates against, and a model of
// the Go types that hold such values. What the validator at run time
// (github.com/google/jsonschema-go) cannot honour is a diagnostic at its
// position, so that no server finds out when it starts.
//
// # Closed objects
//
// An object takes the keys it declares and no others, unless it says
// additionalProperties or unevaluatedProperties itself. Where several schemas
// look at one object, closing each of them would leave nothing that satisfies
// all, so:
//
//   - an object without composition gets additionalProperties: false;
//   - an object that declares properties beside allOf, anyOf, oneOf, if,
//     dependentSchemas or $ref gets unevaluatedProperties: false, and the
//     schemas it is composed of stay open;
//   - where anyOf or oneOf alone describes the object, each alternative is an
//     object of its own and is closed by itself;
//   - a definition that some schema extends stays open, and is closed at each
//     place that refers to it plainly;
//   - what stands under not and if is a question, not a shape, and stays as it
//     is written.
//
// The package reads no file and knows nothing of Go source text.
package schema
