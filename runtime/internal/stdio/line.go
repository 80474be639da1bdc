package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine bounds one line, in bytes.
const MaxLine = 16 << 20

// errTooLong is met by a line of more than the limit; the next read is of the
// line after it.
var errTooLong = errors.New("the line is too long")

// lines reads lines of bounded length.
type lines struct {
	reader *bufio.Reader
	limit  int
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{reader: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns the next line that is not blank, without its ending. A last
// line without an ending counts. No more than the limit is kept of any line.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.one()
		if len(bytes.TrimSpace(line)) > 0 || err != nil {
			return line, err
		}
	}
}

func (l *lines) one() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.reader.ReadSlice('\n')
		if long = long || len(line)+len(part) > l.limit+1; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errTooLong
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
			return nil, err
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		return line, nil
	}
}
