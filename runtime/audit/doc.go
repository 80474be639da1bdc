// Package audit keeps the audit log: one append-only chain of entries in the
// state folder, shared by every server of a protocol and a workspace.
//
// # The file
//
// audit.jsonl holds one entry a line, in printable ASCII. A line is a JSON
// object without spaces, its members in this order; those marked ? are left
// out where they would be empty:
//
//	v          1
//	seq        1, 2, 3, …, without a gap
//	time       RFC 3339, UTC, up to nanoseconds, no trailing zeros
//	event      tool_call, tool_result, wf1_violation, approval_request, approval_decision,
//	           protocol_pinned, protocol_adopted, commit_resolved, shared_session, log_repaired,
//	           log_rotated
//	protocol   its id
//	digest     of the protocol the writing program was built from; of
//	           protocol_adopted, the one that was adopted
//	mode       of the writing server; empty in protocol_adopted and log_rotated, which
//	           none wrote
//	tool?      name, of a tool event
//	effect?    read or write
//	call?      id; the result of a call carries the id of the call
//	actor?     a claim
//	session?   the process that started the server
//	args?      digest of the arguments
//	plan?      digest of the plan that a preview made or a commit carries out
//	recorded?  object: JSON pointer to the JSON text of that field
//	decision?  admitted, refused, or replayed where a commit had ended before
//	outcome?   succeeded or failed
//	code?      why it was refused or failed
//	approval?  object: id?, provider?, approver?, decision, reason?, expires_at?, waited?
//	details?   object: what else belongs to the event
//	prev       hash of the entry before; 64 zeros in the first
//	hash       of this entry
//
// Names within recorded and details are sorted. In strings, the quote and the
// backslash are escaped by a backslash and everything outside printable ASCII
// is written as \uXXXX in lower case, beyond U+FFFF as two surrogates. What is
// not UTF-8 is written as \ufffd. Long texts are cut, and end in \u2026 then.
// So every entry has exactly one form, and a line in another form is damage.
//
// # The hash
//
// The hash is the SHA-256, in lower case hexadecimal, of the line without its
// newline and without the member hash and the comma before it; the closing
// brace stays. With a shell, for line n:
//
//	sed -n "${n}p" audit.jsonl | sed 's/,"hash":"[0-9a-f]*"}$/}/' | tr -d '\n' | sha256sum
//
// and the chain is whole if that equals the line's own hash, and the prev of
// the line after, for every line:
//
//	jq -r '.prev + " " + .hash' audit.jsonl
//
// The chain shows a change, a deletion, an insertion or a swap anywhere before
// the last entry. That entries were cut off at the end shows only against a
// [Head] that was kept elsewhere; see [VerifyAgainst]. Whoever may write the
// file can also write a new chain: only a head kept elsewhere shows that too.
//
// # Old files
//
// Rotating lets the log go on in a new audit.jsonl. The old file stays in the
// folder as audit.N.jsonl, where N is the number of its first entry. The new one
// begins with an entry log_rotated, the next of the chain, whose details are
//
//	file    the name of the old file
//	seq     number of its last entry
//	hash    of that entry
//	offset  bytes in all files up to there
//
// The log is all of the files, in the order of their numbers. One that is
// missing is damage, and so is an old one that changes.
//
// Rotating goes in steps under the lock: the old file is synced; it gets its
// second name, as a link; a new file with the one entry is made durable, and
// takes the name audit.jsonl. So there is an audit.jsonl at every moment. After
// a crash in between, the log goes on in the old file, which may have both
// names then.
//
// A process that has the old file open finds under the lock that it is not
// audit.jsonl any more. It goes on only if its file has the name of an old one,
// and the file that follows begins with the log_rotated entry that follows on
// the last entry of its own. Before it does, it syncs the old file itself, and
// then the names in the folder, which a crash may have kept from being durable.
// Any other file in the place of the log is an attack or an accident, and
// refuses.
//
// # Writing
//
// audit.lock is held from reading the head of the chain to appending to it.
// Waiting for it is bounded, so a stopped holder leads to a refusal. An entry
// is written by one call. What must be durable is synced after the lock is
// released, so that one sync serves all entries before it.
//
// Every doubt about the log refuses: a file that shrank or was replaced, a line
// that is not the next of the chain, a sync that failed. One thing is repaired:
// an unterminated last line, which a crash leaves behind. It is moved, whole,
// to a file audit.set-aside-…, and an entry log_repaired says so. A crash
// between the two leaves that file without the entry.
//
// # The protocol in force
//
// The first server pins the digest of its protocol: an entry protocol_pinned,
// and then state.json, which names that entry. Adopting another goes in three
// steps under the lock: state.json says where the entry will stand, the entry
// protocol_adopted is made durable, state.json names it. After a crash in
// between, whoever comes next finds the entry in its place, or does not, and
// completes the adoption or takes it back accordingly. Offsets in state.json
// count from the start of the whole log, through all of its files.
//
// What may not enter this package: decisions. It writes down what the gate
// decided, and refuses only what it cannot write or what another protocol than
// the pinned one would write.
package audit
