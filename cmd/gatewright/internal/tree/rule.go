package tree

import "github.com/gatewright/gatewright/gen/schema"

// The rules of this package.
const (
	RuleForeign = "tree-foreign" // a file that generation did not write
	RuleLink    = "tree-link"    // something that is neither a file nor a folder
	RuleCase    = "tree-case"    // two names that some file systems cannot tell apart
	RuleOwner   = "tree-owner"   // two protocols that claim one tree
)

// Rules returns a row for each rule of this package.
func Rules() []schema.Rule {
	return []schema.Rule{
		{ID: RuleForeign, Purpose: "A generated tree holds generated files alone.", Help: "Move the file away. Go lets whatever stands under generated/<id> import what is internal there, and that is where permits are made."},
		{ID: RuleLink, Purpose: "A generated tree is made of files and folders, and so is the way to it.", Help: "Move the link away; through it, files elsewhere would be written, or code from elsewhere built."},
		{ID: RuleCase, Purpose: "No two generated paths differ in case alone.", Help: "Rename a tool or a mode."},
		{ID: RuleOwner, Purpose: "A generated tree belongs to one protocol.", Help: "The id of a protocol names its tree, its state and its audit log. Give each protocol an id of its own."},
	}
}
