package audit

import (
	"bufio"
	"errors"
	"io"
)

// A walker reads a log entry by entry and holds each against the one before.
// It needs memory for one line.
type walker struct {
	reader *bufio.Reader
	offset int64  // of the line to be read
	line   uint64 // number of the line read last; 0 and unused where it is not known
	raw    []byte // that line, without its newline, until the next is read
	head   Head   // of what was read
	before Head   // what head was at the start of the file
	loose  bool   // head is not known yet: the next entry is taken as it is
}

func newWalker(r io.Reader) *walker { return &walker{reader: bufio.NewReaderSize(r, maxLine)} }

// next returns the next entry, io.EOF after the last one, or a *[DamageError].
func (w *walker) next() (Entry, error) {
	line, err := w.reader.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return Entry{}, io.EOF
	case errors.Is(err, io.EOF):
		damage := w.damage("the last line is not terminated")
		damage.Unterminated = true
		return Entry{}, damage
	case errors.Is(err, bufio.ErrBufferFull):
		return Entry{}, w.damage("the line is longer than an entry can be")
	case err != nil:
		return Entry{}, err
	}
	entry, err := parse(line[:len(line)-1])
	if err == nil && !w.loose {
		err = follow(w.head, &entry)
	}
	if err != nil {
		return Entry{}, w.damage(err.Error())
	}
	w.loose = false
	w.line++
	w.offset += int64(len(line))
	w.raw = line[:len(line)-1]
	w.head = Head{Seq: entry.Seq, Hash: entry.Hash}
	return entry, nil
}

func (w *walker) damage(problem string) *DamageError {
	return &DamageError{Line: w.line + 1, Offset: w.offset, Problem: problem}
}
