package approval_test

import (
	"encoding/json"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
)

func TestVisible(t *testing.T) {
	for text, shown := range map[string]string{
		"plain text, été, 日本語, 😀 & <b>": "plain text, été, 日本語, 😀 & <b>",
		"two\nlines":                     "two\nlines",
		"\x1b[2J\a\b\x7f\u009b":          `\u001b[2J\u0007\u0008\u007f\u009b`,
		"a\rb\tc":                        `a\u000db\u0009c`,
		"\u202eevil\u2066\u200f\u061c":   `\u202eevil\u2066\u200f\u061c`,
		"a\u200bb\u200d\ufeff\u2060":     `a\u200bb\u200d\ufeff\u2060`,
		"a\u00a0b\u2003c\u3000":          `a\u00a0b\u2003c\u3000`,
		"\u2028\u2029\u00ad\ufe0f":       `\u2028\u2029\u00ad\ufe0f`,
		"\u3164\u115f\uffa0\u2800\u034f": `\u3164\u115f\uffa0\u2800\u034f`,
		"\U000e0041\U000e0100\U0010fffd": `\udb40\udc41\udb40\udd00\udbff\udffd`,
		"s\u0336t":                       `s\u0336t`,
		"\xff":                           "\uFFFD",
	} {
		require.Equal(t, shown, approval.Visible(text))
	}
}

// Nothing invisible gets through, and a JSON string says the same afterwards.
func FuzzVisible(f *testing.F) {
	f.Add("a\u202eb\U000e0041\x00\\u0041\"")
	f.Fuzz(func(t *testing.T, text string) {
		shown := approval.Visible(text)
		for _, r := range shown {
			require.True(t, r == '\n' || unicode.IsPrint(r), "%q", r)
			require.False(t, unicode.Is(unicode.Cf, r), "%q", r)
		}
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		var back, want string
		require.NoError(t, json.Unmarshal([]byte(approval.Visible(string(quoted))), &back))
		require.NoError(t, json.Unmarshal(quoted, &want))
		require.Equal(t, want, back)
	})
}
