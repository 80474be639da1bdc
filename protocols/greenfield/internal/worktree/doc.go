// Package worktree reaches the files of a work tree, and nothing else.
//
// A path is walked from the open top folder, component by component. Every
// component has to be a real folder; a link is refused wherever it stands and
// wherever it leads, so that no name stands for another. What is read or
// written is reached from the last folder's handle, so a folder that is swapped
// for a link in the meantime changes nothing.
//
// Writing refuses what decides about agents: see [Protected]. A file is
// replaced by renaming a finished one over it, so a hard link elsewhere keeps
// its content.
//
// Running programs does not belong here.
package worktree
