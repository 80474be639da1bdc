package audit

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/runtime/state"
)

// OldName is the name of the file that begins with an entry, once another has
// taken its place.
func OldName(first uint64) string { return "audit." + strconv.FormatUint(first, 10) + ".jsonl" }

// oldFirst is the number of the first entry of an old file.
func oldFirst(name string) (uint64, bool) {
	number := strings.TrimSuffix(strings.TrimPrefix(name, "audit."), ".jsonl")
	first, err := strconv.ParseUint(number, 10, 64)
	return first, err == nil && OldName(first) == name
}

// oldFiles returns the numbers of the first entries of the old files, in order.
// The names are looked up by the path of the folder and opened in the folder,
// so in another one they lead to nothing.
func oldFiles(folder *state.Folder) ([]uint64, error) {
	found, err := os.ReadDir(folder.Path())
	if err != nil {
		return nil, fmt.Errorf("list the files of the audit log: %w", err)
	}
	var firsts []uint64
	for _, each := range found {
		if first, ok := oldFirst(each.Name()); ok {
			firsts = append(firsts, first)
		}
	}
	slices.Sort(firsts)
	return firsts, nil
}

// succeeds checks that an entry is the first of the file after the one that
// ends with head, at so many bytes from the start of the log.
func succeeds(e *Entry, head Head, at int64) error {
	from, base, err := rotatedFrom(e)
	switch {
	case err != nil:
		return err
	case from != head:
		return fmt.Errorf("the file does not go on from entry %d, the last of the file before it", head.Seq)
	case base != at:
		return fmt.Errorf("the file says that it begins at byte %d of the log, and that is %d", base, at)
	}
	return nil
}
