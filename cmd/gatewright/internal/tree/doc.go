// Package tree puts generated files on disk, and keeps its hands off everything
// else. It knows its own files by the manifest and by the marker that each of
// them starts with; a file that is neither is foreign, and a tree that holds
// one is refused as a whole.
//
// Nothing is written until everything has been looked at. Each file is written
// beside its place and renamed into it; a file whose content is right is left
// alone, so it keeps its time. Before anything else, the manifest is made to
// name both what was there and what is to be, so that a run that is killed
// half-way is completed by the next.
package tree
