package check

import (
	"slices"
	"strings"
)

// A Code is one row of the table of codes that a running gate answers with.
type Code struct {
	ID   string
	What string // what it says about the call
	Ran  bool   // the handler was started
	Next string // what to do
	Look bool   // where Ran is false: a preview may have run all the same
}

// Codes lists the codes of the gate, in the order in which a call can meet
// them.
func Codes() []Code {
	return []Code{
		{"UNKNOWN_TOOL", "No mode of this protocol has a tool of that name.", false, "Call one of the tools that the server lists. A person: look for a client that remembers tools of an older protocol.", false},
		{"TOOL_NOT_IN_MODE", "Another mode holds the tool. The call is in the audit log, as wf1_violation where the tool is exclusive.", false, "Hand the work over to the mode that holds it. A person: if this mode should hold it, change the protocol, generate and build again.", false},
		{"ARGUMENTS_MALFORMED", "The arguments are not one JSON object with each declared key at most once, spelled as declared.", false, "Send them again in that form.", false},
		{"ARGUMENTS_INVALID", "The arguments do not satisfy the tool's input schema.", false, "Correct what the message names.", false},
		{"NOT_CONFIRMED", "A commit came without confirmed: true.", false, "Look at the plan of the preview, and call with confirmed: true if it is to be carried out. A handle alone is no consent.", false},
		{"HANDLE_UNKNOWN", "No preview of this workspace has returned that handle.", false, "Call the preview again; its commit takes the handle that it returns.", false},
		{"HANDLE_WRONG_KIND", "The handle belongs to another tool.", false, "Call the commit of the tool whose preview returned it.", false},
		{"HANDLE_EXPIRED", "The plan was not carried out in time.", false, "Call the preview again, and look at the new plan.", false},
		{"HANDLE_STALE", "The plan was made under another protocol.", false, "Call the preview again, and look at the new plan.", false},
		{"HANDLE_USED", "The plan of that handle was carried out before. A handle works once.", false, "Call the preview again for another. With the idempotency key of that commit, the commit returns its result again.", false},
		{"IDEMPOTENCY_KEY_REUSED", "The idempotency key was used with another handle.", false, "Use a new key for a new plan.", false},
		{"COMMIT_IN_PROGRESS", "The same plan is being carried out right now.", false, "Call again later with the same handle to learn how it ended.", false},
		{"COMMIT_INTERRUPTED", "The server died, or was killed, while it carried the plan out. It is never run again by itself.", true, "Do not preview it anew before a person has looked at what was done. A person: gatewright commits lists it; look at what was done, and say so there.", false},
		{"APPROVAL_DENIED", "Somebody was asked and said no.", false, "Read the reason, change the work, or stop. The same arguments get the same answer.", false},
		{"APPROVAL_PENDING", "Somebody has been asked and has not answered yet.", false, "Call again later with exactly the same arguments. A person: decide it.", false},
		{"APPROVAL_EXPIRED", "There was an answer, or a request for one, and its time ran out.", false, "Call again; that asks anew.", false},
		{"APPROVAL_STALE", "The approval was given under another protocol.", false, "Call again; that asks anew.", false},
		{"APPROVAL_TIMED_OUT", "Nobody answered in time.", false, "Call again; that asks anew.", false},
		{"APPROVAL_PROVIDER_FAILED", "The way to an approval crashed, ran out of time or answered with garbage. Every doubt is a no.", false, "A person: mend the provider; its output is in the server's log.", false},
		{"APPROVAL_NO_PROVIDER", "There is nobody to ask.", false, "A person: configure a provider that can be reached.", false},
		{"APPROVAL_USED", "Another call has used the approval up: each is used once.", false, "Call again; that asks anew.", false},
		{"APPROVAL_ANSWER_REFUSED", "The call carried an answer to no question of this server, or to one that it does not answer.", false, "Call again without it. A person: look for a client that answers what it was not asked.", false},
		{"PROTOCOL_MISMATCH", "The server was built from another protocol than the one in force for this workspace, so it writes nothing.", false, "A person: look at what changes and adopt it, or build the server from the protocol in force.", false},
		{"AUDIT_UNAVAILABLE", "The audit log could not be written, so the handler was not run.", false, "A person: look at the state folder: its disk, its owner, its mode, and whether the log is whole: `gatewright audit verify`.", false},
		{"CANCELLED", "The caller went away before the handler was started.", false, "Call again.", false},
		{"HANDLER_FAILED", "The handler ran and returned an error.", true, "Read the message, and look at what was done before calling again.", false},
		{"HANDLER_PANICKED", "The handler crashed. The server goes on.", true, "Look at what was done until then. A person: the stack is in the server's log.", false},
		{"HANDLER_TIMED_OUT", "The handler ran longer than its deadline.", true, "Look at what was done until then.", false},
		{"HANDLER_CANCELLED", "The handler was stopped while it ran, because the caller or the server went away.", true, "Look at what was done until then.", false},
		{"HANDLER_ABANDONED", "The handler was told to stop and did not; it may still be at work.", true, "Look before calling again. A person: make the handler obey its context.", false},
		{"COMMIT_PARTIAL", "The commit got only so far. What it finished stays done; the result lists that, and what failed.", true, "Look at both lists, and preview what is left.", false},
		{"OUTPUT_INVALID", "The handler ran, and its result does not satisfy the tool's output schema.", true, "Look at what was done. A person: correct the handler or the schema.", false},
		{"PLAN_TOO_LARGE", "The plan that the preview made is larger than can be kept.", false, "Ask for less in one preview.", true},
		{"PLAN_STORE_FAILED", "The store of plans could not be read or written, so no commit ran.", false, "A person: look at the state folder: its disk, its owner and its mode.", true},
		{"OUTCOME_UNRECORDED", "The handler ran, and the audit log could not record how it ended. The result is included; the server takes no further call.", true, "Do not call again. A person: look at the state folder, then start the server again.", false},
		{"GATE_CLOSED", "The server is shutting down, or has stopped taking calls.", false, "A person: start it again, after looking at why it stopped.", false},
		{"INTERNAL", "The gate itself failed and refused the call.", false, "A person: report it, with the server's log.", false},
	}
}

// Warnings lists the codes of what a server warns of and does not refuse.
func Warnings() []Code {
	return []Code{{
		ID: "SHARED_SESSION",
		What: "Whoever started this server has one of another mode of the same protocol and workspace running, too, so one actor has the tools of both. " +
			"It is in the audit log as shared_session, on standard error, and in the results of exclusive tools, under gatewright/warnings in _meta and as a text.",
		Next: "A person: give each agent the server of one mode, in a configuration of its own.",
	}}
}

// LookupCode finds a code, or a warning, by its id, in whatever case.
func LookupCode(id string) (Code, bool) {
	codes := slices.Concat(Codes(), Warnings())
	at := slices.IndexFunc(codes, func(code Code) bool { return strings.EqualFold(code.ID, id) })
	if at < 0 {
		return Code{}, false
	}
	return codes[at], true
}
