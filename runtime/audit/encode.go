package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
)

// seal appends the line of an entry, with its newline, and sets its hash.
func seal(line []byte, e *Entry) []byte {
	start := len(line)
	line = appendOpen(line, e)
	line, e.Hash = hashOf(line, start)
	line = append(line, `,"hash":"`...)
	line = append(line, e.Hash...)
	return append(line, '"', '}', '\n')
}

// hashOf returns the hash of the entry whose line starts at start and goes up
// to the member hash, and the line as it was.
func hashOf(line []byte, start int) ([]byte, string) {
	line = append(line, '}') // for the hash alone
	sum := sha256.Sum256(line[start:])
	return line[:len(line)-1], hex.EncodeToString(sum[:])
}

// appendOpen appends an entry up to its hash, without the closing brace.
func appendOpen(line []byte, e *Entry) []byte {
	line = append(line, `{"v":`...)
	line = strconv.AppendInt(line, int64(e.V), 10)
	line = append(line, `,"seq":`...)
	line = strconv.AppendUint(line, e.Seq, 10)
	line = append(line, `,"time":"`...)
	line = e.Time.UTC().AppendFormat(line, time.RFC3339Nano)
	line = append(line, `","event":`...)
	line = appendText(line, string(e.Event))
	line = append(line, `,"protocol":`...)
	line = appendText(line, e.Protocol)
	line = append(line, `,"digest":`...)
	line = appendText(line, e.Digest)
	line = append(line, `,"mode":`...)
	line = appendText(line, e.Mode)
	line = appendMember(line, `,"tool":`, e.Tool)
	line = appendMember(line, `,"effect":`, e.Effect)
	line = appendMember(line, `,"call":`, e.Call)
	line = appendMember(line, `,"actor":`, e.Actor)
	line = appendMember(line, `,"session":`, e.Session)
	line = appendMember(line, `,"args":`, e.Args)
	line = appendMember(line, `,"plan":`, e.Plan)
	line = appendPairs(line, `,"recorded":`, e.Recorded)
	line = appendMember(line, `,"decision":`, e.Decision)
	line = appendMember(line, `,"outcome":`, e.Outcome)
	line = appendMember(line, `,"code":`, string(e.Code))
	line = appendApproval(line, e.Approval)
	line = appendPairs(line, `,"details":`, e.Details)
	line = append(line, `,"prev":`...)
	return appendText(line, e.Prev)
}

// appendMember appends a member, with the comma before it, unless it is empty.
func appendMember(line []byte, name, text string) []byte {
	if text == "" {
		return line
	}
	return appendText(append(line, name...), text)
}

func appendPairs(line []byte, name string, pairs map[string]string) []byte {
	if len(pairs) == 0 {
		return line
	}
	line = append(line, name...)
	separator := byte('{')
	for _, key := range sorted(pairs, make([]string, 0, maxPairs)) {
		line = append(line, separator)
		line = append(appendText(line, key), ':')
		line = appendText(line, pairs[key])
		separator = ','
	}
	return append(line, '}')
}

func appendApproval(line []byte, a *gate.Approval) []byte {
	if a == nil {
		return line
	}
	line = append(line, `,"approval":`...)
	inner := len(line)
	line = appendMember(line, `,"id":`, a.ID)
	line = appendMember(line, `,"provider":`, a.Provider)
	line = appendMember(line, `,"approver":`, a.Approver)
	line = append(line, `,"decision":`...)
	line = appendText(line, a.Decision)
	line = appendMember(line, `,"reason":`, a.Reason)
	line = appendMember(line, `,"expires_at":`, a.ExpiresAt)
	line = appendMember(line, `,"waited":`, a.Waited)
	line[inner] = '{' // in the place of the first comma
	return append(line, '}')
}
