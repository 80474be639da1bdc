// Package jsonschema has the JSON Schemas (draft 2020-12) of what gatewright
// reads and writes: the protocol file, an entry of the audit log, the
// diagnostics of check, and the structured content of an error result. They are
// documents for editors and other programs; gatewright itself decides by its own
// code, and the tests of this package hold the two together.
//
// The schema of a protocol says as much about the form of a file as a schema
// can. Rules on what the parts of a protocol mean together do not belong in it:
// they are package check's.
package jsonschema

import "embed"

//go:embed *.schema.json
var files embed.FS

// A Schema is one of the documents.
type Schema struct {
	Name string
	What string // it describes, in a few words
}

// Schemas lists the documents.
func Schemas() []Schema {
	return []Schema{
		{"protocol", "a protocol file"},
		{"audit", "an entry of the audit log"},
		{"diagnostics", "what check --format json prints"},
		{"result", "the structured content of an error result"},
	}
}

// Text returns the document of that name, and false where there is none.
func Text(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ".schema.json")
	return text, err == nil
}
