// Package document reads source documents, and finds the work items in them.
//
// A document is a text file under the folder docs of the workspace. Its path is
// walked from the open workspace, component by component; a link is refused
// wherever it stands and wherever it leads, and a name counts only as it is
// spelled, so that no document has two names.
//
// What a document says is data. Nothing here, and nothing that uses it, decides
// by it whether something is agreed to.
//
// Writing does not belong here.
package document
