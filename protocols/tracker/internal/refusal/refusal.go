// Package refusal holds the codes with which the tools of this protocol refuse,
// and the words that say what to do about each. The gate's own codes do not
// enter it.
package refusal

import (
	"errors"
	"fmt"

	"github.com/gatewright/gatewright/runtime/gate"
)

// Codes of documents.
const (
	PathInvalid      gate.Code = "PATH_INVALID"
	PathIsLink       gate.Code = "PATH_IS_LINK"
	PathMoved        gate.Code = "PATH_MOVED"
	DocumentNotFound gate.Code = "DOCUMENT_NOT_FOUND"
	DocumentBinary   gate.Code = "DOCUMENT_BINARY"
	DocumentTooLarge gate.Code = "DOCUMENT_TOO_LARGE"
	NotADocument     gate.Code = "NOT_A_DOCUMENT"
	NoSuchLine       gate.Code = "NO_SUCH_LINE"
	LineTooLong      gate.Code = "LINE_TOO_LONG"
	NothingToImport  gate.Code = "NOTHING_TO_IMPORT"
)

// Codes of items and of the tracker that keeps them.
const (
	ItemNotFound      gate.Code = "ITEM_NOT_FOUND"
	ItemChanged       gate.Code = "ITEM_CHANGED"
	ItemsExist        gate.Code = "ITEMS_EXIST"
	NothingToReport   gate.Code = "NOTHING_TO_REPORT"
	NoteMissing       gate.Code = "NOTE_MISSING"
	TrackerFull       gate.Code = "TRACKER_FULL"
	TrackerBusy       gate.Code = "TRACKER_BUSY"
	TrackerUnusable   gate.Code = "TRACKER_UNUSABLE"
	TrackerDamaged    gate.Code = "TRACKER_DAMAGED"
	TrackerNewer      gate.Code = "TRACKER_NEWER"
	TrackerUnwritable gate.Code = "TRACKER_UNWRITABLE"
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
		PathInvalid:      {next: "Write the path as docs/NAME, with forward slashes and without .. in it. The document is a .md or .txt file."},
		PathIsLink:       {next: "Links are not followed. Name the file itself, which has to lie under docs."},
		PathMoved:        {next: "Something else changed the folder at the same time. Call again.", retryable: true},
		DocumentNotFound: {next: "Take one of the documents that the message names, spelled exactly so, or ask the person for the right one."},
		DocumentBinary:   {next: "Only UTF-8 text can be read. Leave this document as it is."},
		DocumentTooLarge: {next: "The document is beyond the bounds of this tool. Ask a person to split it."},
		NotADocument:     {next: "Name a file."},
		NoSuchLine:       {next: "Ask for a line that the document has; total_lines says how many there are."},
		LineTooLong:      {next: "This line cannot be returned. Ask for the lines behind it with from_line."},
		NothingToImport:  {next: "There is nothing to do: everything in the document is skipped, or it holds no items. read_document shows it, list_items what the tracker has."},

		ItemNotFound:      {next: "Take the id from list_items."},
		ItemChanged:       {next: "Somebody has reported on this item since the preview, so nothing was changed. Look at show_item, then preview again if it still holds."},
		ItemsExist:        {next: "Somebody has imported all of this since the preview, so nothing was changed. Look at list_items; do not import it again."},
		NothingToReport:   {next: "The item is in this state already. Give another state, or a note to add."},
		NoteMissing:       {next: "Say in note what the item waits for."},
		TrackerFull:       {next: "The tracker takes no more. Tell the person who runs this server."},
		TrackerBusy:       {next: "Others used the tracker for too long, so nothing was done. Call again later.", retryable: true},
		TrackerUnusable:   {next: "Nothing was changed. Tell the person who runs this server to look at the folder .tracker; no tool can mend it."},
		TrackerDamaged:    {next: "Nothing was changed. Tell the person who runs this server to bring back .tracker from a copy; no tool can mend it."},
		TrackerNewer:      {next: "Tell the person who runs this server to use the newer one."},
		TrackerUnwritable: {next: "Nothing was changed. Tell the person who runs this server: the disk may be full, or may not be written."},
	}
}
