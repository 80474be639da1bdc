package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	digestPrefix = "sha256:"
	maxText      = 64 << 20 // bytes of a protocol; what can be written down of one is far below
)

// Keep puts the canonical text of a protocol into the folder, where it is not
// there yet, so that a person can be shown later what another protocol
// changes. It refuses a text that does not have the digest. The caller holds
// the lock of the audit log.
func (f *Folder) Keep(digest, text string) error {
	name, err := textName(digest)
	if err != nil {
		return err
	}
	if digestOf([]byte(text)) != digest {
		return &Error{Reason: Damaged, Path: filepath.Join(f.Path(), name),
			Message: "the text of the protocol does not have the digest " + digest, Next: "generate and build again"}
	}
	if info, err := f.root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(text)) {
		return nil // whoever reads it checks it
	}
	return f.Replace(name, []byte(text))
}

// Text returns the canonical text of the protocol with a digest. What does not
// have the digest is refused; a text that is not kept is an error that matches
// fs.ErrNotExist.
func (f *Folder) Text(digest string) ([]byte, error) {
	name, err := textName(digest)
	if err != nil {
		return nil, err
	}
	file, err := f.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	path := filepath.Join(f.Path(), name)
	text, err := io.ReadAll(io.LimitReader(file, maxText+1))
	if err != nil {
		return nil, inaccessible(path, "it cannot be read", err)
	}
	if digestOf(text) != digest {
		return nil, &Error{Reason: Damaged, Path: path, Message: "it is not the text of the protocol that its name says",
			Next: "find out what changed it, and remove it"}
	}
	return text, nil
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// textName is the name of the file that a text is kept in. Only a whole digest
// becomes part of a name.
func textName(digest string) (string, error) {
	hexadecimal, ok := strings.CutPrefix(digest, digestPrefix)
	if sum, err := hex.DecodeString(hexadecimal); !ok || err != nil || len(sum) != sha256.Size || hex.EncodeToString(sum) != hexadecimal {
		return "", &Error{Reason: BadOptions, Path: digest, Message: "it is not the digest of a protocol", Err: errors.Join(err, fs.ErrNotExist)}
	}
	return "protocol-" + hexadecimal + ".json", nil
}
