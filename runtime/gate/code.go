package gate

// A Code names one reason for a refusal. Codes are stable: programs and
// models branch on them.
type Code string

// The codes of the gate. A handler may add codes of its own through [Failure];
// it cannot use these.
const (
	UnknownTool        Code = "UNKNOWN_TOOL"
	ToolNotInMode      Code = "TOOL_NOT_IN_MODE"
	ArgumentsMalformed Code = "ARGUMENTS_MALFORMED"
	ArgumentsInvalid   Code = "ARGUMENTS_INVALID"
	ApprovalDenied     Code = "APPROVAL_DENIED"
	ApprovalPending    Code = "APPROVAL_PENDING"
	ApprovalExpired    Code = "APPROVAL_EXPIRED"
	ApprovalStale      Code = "APPROVAL_STALE"
	ApprovalTimedOut   Code = "APPROVAL_TIMED_OUT"
	ApprovalFailed     Code = "APPROVAL_PROVIDER_FAILED"
	ApprovalNobody     Code = "APPROVAL_NO_PROVIDER"
	ProtocolMismatch   Code = "PROTOCOL_MISMATCH"
	AuditUnavailable   Code = "AUDIT_UNAVAILABLE"
	HandlerFailed      Code = "HANDLER_FAILED"
	HandlerPanicked    Code = "HANDLER_PANICKED"
	HandlerTimedOut    Code = "HANDLER_TIMED_OUT"
	HandlerCancelled   Code = "HANDLER_CANCELLED"
	HandlerAbandoned   Code = "HANDLER_ABANDONED"
	Cancelled          Code = "CANCELLED"
	OutputInvalid      Code = "OUTPUT_INVALID"
	OutcomeUnrecorded  Code = "OUTCOME_UNRECORDED"
	GateClosed         Code = "GATE_CLOSED"
	Internal           Code = "INTERNAL"
)

// Words are what a code means to whoever meets it.
type Words struct {
	Retryable bool   // the same call may succeed later with nothing changed
	Ran       bool   // the handler was started, so the call may have had an effect
	Next      string // what to do about it, said to a model
}

// Explain returns the words of a code, and false for a code that is not the
// gate's own.
func Explain(code Code) (Words, bool) {
	words, ok := codes()[code]
	return words, ok
}

// Codes returns every code of the gate with its words.
func Codes() map[Code]Words { return codes() }

func codes() map[Code]Words {
	return map[Code]Words{
		UnknownTool:        {Next: "Call one of the tools this server lists."},
		ToolNotInMode:      {Next: "This tool belongs to another mode. Hand the work over to that mode; do not look for another way to do it."},
		ArgumentsMalformed: {Next: "Send the arguments again as one JSON object whose keys are spelled as declared, each once."},
		ArgumentsInvalid:   {Next: "Correct the arguments to fit the tool's input schema and call again."},
		ApprovalDenied:     {Next: "Do not call again with the same arguments. Read the reason, change the work, or stop."},
		ApprovalPending:    {Retryable: true, Next: "Somebody has been asked. Call again later with exactly the same arguments."},
		ApprovalExpired:    {Retryable: true, Next: "The approval ran out before it was used. Calling again asks anew."},
		ApprovalStale:      {Retryable: true, Next: "The protocol has changed since this was approved. Calling again asks anew."},
		ApprovalTimedOut:   {Retryable: true, Next: "Nobody answered in time. Calling again asks anew."},
		ApprovalFailed:     {Retryable: true, Next: "The approval could not be obtained, so the answer is no. Tell the person who runs this server."},
		ApprovalNobody:     {Next: "Nobody can be asked for the approval this call needs. Tell the person who runs this server."},
		ProtocolMismatch:   {Next: "This server was built from another protocol than the one in force. A person has to run `gatewright adopt`."},
		AuditUnavailable:   {Retryable: true, Next: "The audit log could not be written, so nothing ran. Tell the person who runs this server."},
		HandlerFailed:      {Ran: true, Next: "The tool ran and failed. Read the message before calling again."},
		HandlerPanicked:    {Ran: true, Next: "The tool crashed. What it had done until then stays done; look before calling again."},
		HandlerTimedOut:    {Ran: true, Next: "The tool ran out of time. What it had done until then stays done; look before calling again."},
		HandlerCancelled:   {Ran: true, Next: "The tool was stopped while it ran. What it had done until then stays done; look before calling again."},
		HandlerAbandoned:   {Ran: true, Next: "The tool did not stop when told to and may still be at work. Look before calling again."},
		Cancelled:          {Retryable: true, Next: "The call was cancelled before the tool ran."},
		OutputInvalid:      {Ran: true, Next: "The tool ran, but its result does not fit its output schema. Look at what it did before calling again."},
		OutcomeUnrecorded:  {Ran: true, Next: "The tool ran and its result is included, but the audit log could not record it. Do not call again; tell the person who runs this server."},
		GateClosed:         {Next: "This server takes no more calls. It has to be started again."},
		Internal:           {Next: "The gate failed and refused the call. Tell the person who runs this server."},
	}
}
