package handlers

import "github.com/gatewright/gatewright/gen/schema"

// The rules of this package. What is wrong in the folder alone is a warning:
// generating must go on, since what handlers are to be written against is only
// there afterwards.
const (
	RuleSignature = "handler-signature"
	RuleSyntax    = "handler-syntax"
	RulePackage   = "handler-package"
	RuleShared    = "handler-shared"
	RuleName      = "handler-name"
)

// Rules returns a row for each rule of this package.
func Rules() []schema.Rule {
	return []schema.Rule{
		{ID: RuleSignature, Purpose: "A handler has the signature of its tool.", Help: "Paste the signature that the message gives; it follows the tool's input, output and the protocol's deps."},
		{ID: RuleSyntax, Purpose: "The files beside the handlers parse.", Help: "Mend the file. Until then nothing is created in its folder, since a handler in it may have gone unseen."},
		{ID: RulePackage, Purpose: "Handlers are in a package that can be imported.", Help: "Move them out of package main and name their folder: go: {package: ./handlers}."},
		{ID: RuleShared, Purpose: "No two tools name one handler.", Help: "The permits and inputs of two tools are of different types. Give each tool a function of its own; both can call a third."},
		{ID: RuleName, Purpose: "No handler has the name of what the handlers share.", Help: "Name another function under run, or another type under go: {deps: …}."},
	}
}
