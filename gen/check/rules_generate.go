package check

import "github.com/gatewright/gatewright/gen/diag"

// generateRules explain what `gatewright generate` reports beyond the protocol:
// about the package of the handlers, and the tree that it writes.
func generateRules() []Rule {
	handler := "Generated code calls the functions that run names, and they take the permits that it defines."
	tree := "Generation replaces and removes files, so it must be sure which are its own."
	beside := "A handler must run under the gate alone, and this is a way round the types that hold that."
	return []Rule{
		{ID: "vet-bypass", Category: Generated, Level: diag.Error, Purpose: "Code near permits uses no reflect, unsafe, cgo, linkname or assembly.", Why: beside, Help: "Move that code to a package that no contract can be reached from."},
		{ID: "vet-expression", Category: Generated, Level: diag.Error, Purpose: "No method expression is taken of an interface that only constrains.", Why: beside, Help: "Take it of the type that is meant."},
		{ID: "vet-instance", Category: Generated, Level: diag.Error, Purpose: "No type parameter is instantiated with what only a constraint can be.", Why: beside, Help: "Instantiate it with a type that has values."},
		{ID: "vet-leak", Category: Generated, Level: diag.Error, Purpose: "No exported API mentions a permit or a sealed tool.", Why: beside + " Type inference carries such a type to whoever calls it.", Help: "Do not export it."},
		{ID: "vet-importer", Category: Generated, Level: diag.Error, Purpose: "What is internal to a generated tree or to the runtime is imported by what belongs to it.", Why: "The go command judges by import paths, so a module that is named like a folder of the tree may import what is internal to it.", Help: "Remove the package from the build."},
		{ID: "handler-signature", Category: Generated, Level: diag.Warning, Purpose: "Every handler has the signature that its tool's input and output ask for.", Why: handler, Help: "Paste the signature that the message shows."},
		{ID: "handler-syntax", Category: Generated, Level: diag.Warning, Purpose: "The Go files beside the handlers can be parsed.", Why: "Otherwise nobody can tell which handlers are there.", Help: "Mend the file; the message is the parser's."},
		{ID: "handler-package", Category: Generated, Level: diag.Warning, Purpose: "The folder of the handlers holds one package, which others can import.", Why: handler, Help: "Give all files of the folder one package name other than main."},
		{ID: "handler-shared", Category: Generated, Level: diag.Error, Purpose: "Every tool has a handler of its own.", Why: "The permits and inputs of two tools are of different types, so one function cannot take both.", Help: "Give each tool a function; both can call a third."},
		{ID: "handler-name", Category: Generated, Level: diag.Error, Purpose: "No handler is called like what opens the things that handlers share.", Why: "One package cannot declare a name twice.", Help: "Choose another name for the function and write it under run."},
		{ID: "tree-foreign", Category: Generated, Level: diag.Error, Purpose: "The generated tree holds no file that generation did not write.", Why: tree + " A foreign package in it could reach what only sealed code may.", Help: "Move the file elsewhere."},
		{ID: "tree-link", Category: Generated, Level: diag.Error, Purpose: "The generated tree holds files and folders alone, no links.", Why: tree, Help: "Remove it."},
		{ID: "tree-case", Category: Generated, Level: diag.Error, Purpose: "No two generated files differ in capitals alone.", Why: "Some file systems keep one of them.", Help: "Rename a tool or a mode."},
		{ID: "tree-owner", Category: Generated, Level: diag.Error, Purpose: "Every generated tree belongs to one protocol.", Why: "The id of a protocol names its tree and its audit log.", Help: "Give one of the two protocols another id."},
	}
}
