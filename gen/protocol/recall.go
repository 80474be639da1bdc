package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Recall reads back what [Protocol.Canonical] wrote. It refuses a text that is
// not exactly the canonical form of the protocol it describes, so that what is
// returned has the digest of the text. Positions in it mean little.
func Recall(name string, canonical []byte) (*Protocol, error) {
	p, found := Load(name, ascii(canonical))
	switch {
	case len(found) > 0:
		return nil, fmt.Errorf("recall a protocol: %s", found[0].Message)
	case p == nil || !bytes.Equal(p.Canonical(), canonical):
		return nil, errors.New("recall a protocol: the text is not in the form that gatewright writes")
	}
	return p, nil
}

// ascii writes the characters of a JSON text that YAML, or this reader, would
// not take as they are in a form that it takes.
func ascii(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for at := 0; at < len(text); {
		char, size := utf8.DecodeRune(text[at:])
		switch {
		case char == utf8.RuneError && size == 1, char >= ' ' && char < 0x7f, char < ' ':
			out = append(out, text[at:at+size]...)
		default:
			out = fmt.Appendf(out, `\U%08x`, char)
		}
		at += size
	}
	return out
}
