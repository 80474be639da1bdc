package codec

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// maxRecorded bounds one recorded field, in bytes of JSON text.
const maxRecorded = 256

// record copies fields of the arguments as canonical JSON text. One that is
// too long is replaced by its digest, which is not JSON and so cannot be
// mistaken for a value; one that is absent is left out.
func record(tree any, pointers []jsontext.Pointer) (map[string]string, error) {
	if len(pointers) == 0 {
		return nil, nil
	}
	recorded := make(map[string]string, len(pointers))
	for _, pointer := range pointers {
		value, present := find(tree, pointer)
		if !present {
			continue
		}
		text, err := canonical(value)
		if err != nil {
			return nil, err
		}
		if len(text) > maxRecorded {
			sum := sha256.Sum256(text)
			text = []byte("sha256:" + hex.EncodeToString(sum[:]))
		}
		recorded[string(pointer)] = string(text)
	}
	return recorded, nil
}

func find(tree any, pointer jsontext.Pointer) (any, bool) {
	for token := range pointer.Tokens() {
		switch value := tree.(type) {
		case map[string]any:
			var present bool
			if tree, present = value[token]; !present {
				return nil, false
			}
		case []any:
			index, err := strconv.Atoi(token)
			if err != nil || index < 0 || index >= len(value) || strconv.Itoa(index) != token {
				return nil, false
			}
			tree = value[index]
		default:
			return nil, false
		}
	}
	return tree, true
}
