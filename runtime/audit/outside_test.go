package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the package comment says is enough to check a log with: this uses
// nothing of the package.
func TestALogCanBeVerifiedFromItsDescriptionAlone(t *testing.T) {
	prev := strings.Repeat("0", 64)
	for i, line := range bytes.Split(bytes.TrimSuffix(filled(t, 50), []byte("\n")), []byte("\n")) {
		var entry struct {
			Seq        int
			Prev, Hash string
		}
		require.NoError(t, json.Unmarshal(line, &entry))
		without := strings.Replace(string(line), `,"hash":"`+entry.Hash+`"`, "", 1)
		sum := sha256.Sum256([]byte(without))
		require.Equal(t, hex.EncodeToString(sum[:]), entry.Hash)
		require.Equal(t, prev, entry.Prev)
		require.Equal(t, i+1, entry.Seq)
		prev = entry.Hash
	}
}
