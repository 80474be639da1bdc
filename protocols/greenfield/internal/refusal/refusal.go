// Package refusal holds the codes with which the tools of this protocol refuse,
// and the words that say what to do about each. The gate's own codes do not
// enter it.
package refusal

import (
	"errors"
	"fmt"

	"github.com/gatewright/gatewright/runtime/gate"
)

// Codes of files.
const (
	PathInvalid   gate.Code = "PATH_INVALID"
	PathOutside   gate.Code = "PATH_OUTSIDE"
	PathProtected gate.Code = "PATH_PROTECTED"
	PathIsLink    gate.Code = "PATH_IS_LINK"
	PathMoved     gate.Code = "PATH_MOVED"
	FileNotFound  gate.Code = "FILE_NOT_FOUND"
	FileExists    gate.Code = "FILE_EXISTS"
	FileBinary    gate.Code = "FILE_BINARY"
	FileTooLarge  gate.Code = "FILE_TOO_LARGE"
	NotAFile      gate.Code = "NOT_A_FILE"
	NotAFolder    gate.Code = "NOT_A_FOLDER"
	NoSuchLine    gate.Code = "NO_SUCH_LINE"
	TextNotFound  gate.Code = "TEXT_NOT_FOUND"
	TextAmbiguous gate.Code = "TEXT_AMBIGUOUS"
	TextUnchanged gate.Code = "TEXT_UNCHANGED"

	PatternInvalid gate.Code = "PATTERN_INVALID"
)

// Codes of the repository.
const (
	NotARepository      gate.Code = "NOT_A_REPOSITORY"
	RepositoryUnusable  gate.Code = "REPOSITORY_UNUSABLE"
	RepositoryConfig    gate.Code = "REPOSITORY_CONFIG"
	OperationInProgress gate.Code = "OPERATION_IN_PROGRESS"
	GitMissing          gate.Code = "GIT_MISSING"
	NoTargetBranch      gate.Code = "NO_TARGET_BRANCH"
	NoWorkBranch        gate.Code = "NO_WORK_BRANCH"
	BranchExists        gate.Code = "BRANCH_EXISTS"
	BranchUnmerged      gate.Code = "BRANCH_UNMERGED"
	IndexLocked         gate.Code = "INDEX_LOCKED"
	BranchMoved         gate.Code = "BRANCH_MOVED"
	NothingToCommit     gate.Code = "NOTHING_TO_COMMIT"
	CommitNotFound      gate.Code = "COMMIT_NOT_FOUND"
	CommitIsBase        gate.Code = "COMMIT_IS_BASE"
	NotADescendant      gate.Code = "NOT_A_DESCENDANT"
	BaseMoved           gate.Code = "BASE_MOVED"
	NotApproved         gate.Code = "NOT_APPROVED"
	WorktreeDirty       gate.Code = "WORKTREE_DIRTY"
	TargetInUse         gate.Code = "TARGET_IN_USE"
	BranchInUse         gate.Code = "BRANCH_IN_USE"
	BranchCurrent       gate.Code = "BRANCH_CURRENT"
	NotMerged           gate.Code = "NOT_MERGED"
	MergeConflict       gate.Code = "MERGE_CONFLICT"
	GitTooOld           gate.Code = "GIT_TOO_OLD"
)

// Codes of reviews and of tests.
const (
	AlreadyMerged  gate.Code = "ALREADY_MERGED"
	ReviewInvalid  gate.Code = "REVIEW_INVALID"
	ReviewsFull    gate.Code = "REVIEWS_FULL"
	ReviewMoved    gate.Code = "REVIEW_MOVED"
	NoTestCommand  gate.Code = "NO_TEST_COMMAND"
	CommitTooLarge gate.Code = "COMMIT_TOO_LARGE"
)

// New returns a failure with the words of its code.
func New(code gate.Code, format string, args ...any) *gate.Failure {
	words := table()[code]
	return &gate.Failure{Code: code, Message: fmt.Sprintf(format, args...), Next: words.next, Retryable: words.retryable}
}

// Is reports whether err is a failure with this code.
func Is(err error, code gate.Code) bool {
	var failure *gate.Failure
	return errors.As(err, &failure) && failure.Code == code
}

type words struct {
	next      string
	retryable bool
}

func table() map[gate.Code]words {
	return map[gate.Code]words{
		PathInvalid:   {next: "Write the path with forward slashes, relative to the top of the repository, as list shows it."},
		PathOutside:   {next: "Only files of this repository can be reached. Write the path from its top, without .. in it."},
		PathProtected: {next: "This file decides what agents may do, so no tool of this protocol changes it. Ask a person if it has to change."},
		PathIsLink:    {next: "Links are not followed. Name the file itself."},
		PathMoved:     {next: "Something else changed the folder at the same time. Look at it, then call again.", retryable: true},
		FileNotFound:  {next: "List the folder to see what there is. To make a new file, use create in mode implement."},
		FileExists:    {next: "Use edit to change a file that exists."},
		FileBinary:    {next: "Only text can be read and edited. Leave this file as it is."},
		FileTooLarge:  {next: "The file is beyond the bounds of this tool. Leave it as it is."},
		NotAFile:      {next: "Name a file."},
		NotAFolder:    {next: "Name a folder, or leave path out for the top of the repository."},
		NoSuchLine:    {next: "Ask for a line that the file has; total_lines says how many there are."},
		TextNotFound:  {next: "Read the file and copy the text to replace exactly, white space and line ends included."},
		TextAmbiguous: {next: "Add lines around the text until it is unique, or set replace_all."},
		TextUnchanged: {next: "old_text and new_text are the same. There is nothing to do, or one of them is wrong."},

		PatternInvalid: {next: "Mend the regular expression, which is in the syntax of RE2, or leave regex out to search for the text itself."},

		NotARepository:      {next: "Tell the person who runs this server to start it with the top folder of a git repository as its workspace."},
		RepositoryUnusable:  {next: "Tell the person who runs this server. Nothing in this protocol can mend it."},
		RepositoryConfig:    {next: "The repository's own configuration would run a program. A person has to remove that setting."},
		OperationInProgress: {next: "A person has to finish or abort what is under way in this work tree."},
		GitMissing:          {next: "Tell the person who runs this server to install git where PATH finds it."},
		NoTargetBranch:      {next: "A person has to make the first commit on a branch named main."},
		NoWorkBranch:        {next: "Name a work branch: commit in mode implement starts one when it is given a branch."},
		BranchExists:        {next: "Choose another name for the work branch, or go to it with switch."},
		BranchUnmerged:      {next: "Leave branch out to go on with the work that is checked out, or use switch without a branch to start at the tip of the target branch."},
		BranchMoved:         {next: "Something else moved the branch at the same time. Look at it, then call again.", retryable: true},
		IndexLocked:         {next: "Call again in a moment. If that does not help, a person has to see whether a git that has died left index.lock behind.", retryable: true},
		NothingToCommit:     {next: "Change something first. What skipped or the message names cannot be committed."},
		CommitNotFound:      {next: "Take the full ids from the result of commit or diff."},
		CommitIsBase:        {next: "Take the commit from the result of commit or diff; it has to be a change of its base."},
		NotADescendant:      {next: "The commit is not built on this base. In mode implement, update brings the work branch up to date; it needs a new review then."},
		BaseMoved:           {next: "The target branch is no longer at this base. In mode implement, update brings the work branch up to date; it needs a new review then."},
		NotApproved:         {next: "Only mode review can approve, and only exactly this commit on exactly this base counts. Hand it over to that mode."},
		WorktreeDirty:       {next: "The work tree has changes that are not committed. Commit them to a work branch; on the target branch, a person has to commit or remove them."},
		TargetInUse:         {next: "Another work tree has the target branch checked out. A person has to switch it to another branch."},
		BranchInUse:         {next: "Another work tree has the branch checked out. Work on it there, or on another branch here."},
		BranchCurrent:       {next: "There is nothing to do: the work branch holds everything that the target branch has."},
		NotMerged:           {next: "Only what is in the target branch can be taken back. Take the commit from branches, or from the result of merge."},
		MergeConflict:       {next: "Both sides changed the same lines. update with keep_conflicts writes both sides into the files between markers, to be mended; a revert has to be made by hand, on a new work branch."},
		GitTooOld:           {next: "Tell the person who runs this server to install git 2.38 or newer."},

		AlreadyMerged:  {next: "The commit is merged, so no review can stop it. In mode implement, revert prepares a change that takes it back."},
		ReviewInvalid:  {next: "Say in words what is meant. A line needs the path of its file."},
		ReviewsFull:    {next: "Nothing more can be said about this commit. Have it replaced by a new one, and review that."},
		ReviewMoved:    {next: "Somebody else decided about this commit at the same time. Look at reviews, then call again.", retryable: true},
		NoTestCommand:  {next: "Create .gatewright/tests with the program in the first line and one argument in each further line, and have it reviewed and merged: it counts from then on."},
		CommitTooLarge: {next: "The files of the commit are beyond the bounds of this tool. A person has to run the tests."},
	}
}
