package emit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// ManifestFile is the name of the manifest within generated/<id>.
const ManifestFile = "gatewright.json"

// Version is the version of the generator, as the manifest names it.
const Version = "0.1.0"

// A Manifest says what was generated, of what and by what. Of the files of a
// generated tree it is the only one that is not Go.
type Manifest struct {
	Generator string            `json:"generator"`
	Protocol  string            `json:"protocol"`
	Version   string            `json:"version"`
	Digest    string            `json:"digest"`
	Source    string            `json:"source"`
	Files     map[string]string `json:"files"` // path to sha256 of the content
}

// ReadManifest reads a manifest that Emit wrote.
func ReadManifest(data []byte) (Manifest, error) {
	var m Manifest
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return Manifest{}, fmt.Errorf("read the manifest %s: %w", ManifestFile, err)
	}
	return m, nil
}

func (e *emitter) manifest(source string) error {
	m := Manifest{
		Generator: "gatewright " + Version, Protocol: e.names.id, Version: e.protocol.Version.Value, Digest: e.digest,
		Source: source, Files: make(map[string]string, len(e.files)),
	}
	for path, data := range e.files {
		sum := sha256.Sum256(data)
		m.Files[path] = hex.EncodeToString(sum[:])
	}
	text, err := json.MarshalIndent(m, "", "  ") // sorts the files
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	e.files[ManifestFile] = append(text, '\n')
	return nil
}
