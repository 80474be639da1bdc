package audit

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
)

const (
	hashMember = `,"hash":"`
	hashSize   = len(noEntry)
	tailSize   = len(hashMember) + hashSize + len(`"}`)
)

// parse reads one line, without its newline, and checks what can be checked of
// it alone: its form and its hash.
func parse(line []byte) (Entry, error) {
	var e Entry
	if len(line) < tailSize || !bytes.HasPrefix(line[len(line)-tailSize:], []byte(hashMember)) {
		return e, errors.New("it does not end in a hash")
	}
	if err := json.Unmarshal(line, &e, json.RejectUnknownMembers(true)); err != nil {
		if newer(line) {
			return Entry{}, errors.New("it was written by a newer version of this program")
		}
		return Entry{}, fmt.Errorf("it is not an entry: %w", err)
	}
	switch {
	case e.V > version:
		return Entry{}, errors.New("it was written by a newer version of this program")
	case e.V != version || e.Seq == 0:
		return Entry{}, errors.New("it is not an entry")
	}
	again := appendOpen(make([]byte, 0, len(line)), &e)
	if !bytes.Equal(again, line[:len(line)-tailSize]) {
		return Entry{}, errors.New("it is not in the form in which entries are written")
	}
	if _, hash := hashOf(again, 0); string(line[len(again):]) != hashMember+hash+`"}` {
		return Entry{}, errors.New("its hash is not that of its content")
	}
	return e, nil
}

// newer reports whether a line says that a later version wrote it.
func newer(line []byte) bool {
	var header struct {
		V int `json:"v"`
	}
	return json.Unmarshal(line, &header) == nil && header.V > version
}

// follow checks that an entry is the next of the chain after head.
func follow(head Head, e *Entry) error {
	switch {
	case e.Seq != head.Seq+1:
		return fmt.Errorf("it has number %d where %d comes next", e.Seq, head.Seq+1)
	case e.Prev != head.prev():
		return fmt.Errorf("it does not follow from entry %d: the hash it names is another", head.Seq)
	}
	return nil
}
