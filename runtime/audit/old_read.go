package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

// firstEntry reads the entry that a file of a size begins with. Where there is
// no whole line yet it returns nil.
func firstEntry(file io.ReaderAt, size int64) (*Entry, error) {
	line := make([]byte, min(maxLine, size))
	if _, err := file.ReadAt(line, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	line, _, whole := bytes.Cut(line, []byte{'\n'})
	if !whole {
		return nil, nil
	}
	entry, err := parse(line)
	return &entry, err
}

// lastEntry reads the entry that a file of a size ends with.
func lastEntry(file io.ReaderAt, size int64) (Entry, error) {
	start := max(0, size-maxLine)
	window := make([]byte, size-start)
	if _, err := file.ReadAt(window, start); err != nil && !errors.Is(err, io.EOF) {
		return Entry{}, fmt.Errorf("read the end of the log: %w", err)
	}
	if len(window) == 0 {
		return Entry{}, ErrEmpty
	}
	whole, terminated := bytes.CutSuffix(window, []byte{'\n'})
	begin := bytes.LastIndexByte(whole, '\n') + 1
	damage := &DamageError{Offset: start + int64(begin), Unterminated: !terminated, Problem: "the last line is not terminated"}
	if !terminated {
		return Entry{}, damage
	}
	entry, err := parse(whole[begin:])
	if err != nil {
		damage.Problem = err.Error()
		return Entry{}, damage
	}
	return entry, nil
}

// rotatedFrom reads what the first entry of a file says of the one before: the
// head, and the bytes in all files up to there.
func rotatedFrom(first *Entry) (Head, int64, error) {
	if first.Event != LogRotated {
		return Head{}, 0, fmt.Errorf("the file begins with entry %d, and that is no %s", first.Seq, LogRotated)
	}
	seq, err := strconv.ParseUint(first.Details["seq"], 10, 64)
	base, wrong := strconv.ParseInt(first.Details["offset"], 10, 64)
	if err = errors.Join(err, wrong); err != nil || base <= 0 {
		return Head{}, 0, errors.New("it does not say where the file before it ends")
	}
	return Head{Seq: seq, Hash: first.Details["hash"]}, base, nil
}

// atOld reads the entry that starts at an offset, in the whole log, in one of
// the old files.
func (l *Log) atOld(offset int64) (Entry, error) {
	firsts, err := oldFiles(l.folder)
	if err != nil {
		return Entry{}, err
	}
	for _, first := range firsts {
		file, err := l.folder.OpenFile(OldName(first), os.O_RDONLY)
		if err != nil {
			return Entry{}, err
		}
		info, err := file.Stat()
		if err == nil && offset >= info.Size() {
			offset -= info.Size()
			if err := file.Close(); err != nil {
				return Entry{}, err
			}
			continue
		}
		entry := Entry{}
		if err == nil {
			entry, err = entryAt(file, offset, info.Size())
		}
		return entry, errors.Join(err, file.Close())
	}
	return Entry{}, errors.New("the log has no such entry")
}
