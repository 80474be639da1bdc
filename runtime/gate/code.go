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
	ApprovalUsed       Code = "APPROVAL_USED"
	ApprovalUnasked    Code = "APPROVAL_ANSWER_REFUSED"
	NotConfirmed       Code = "NOT_CONFIRMED"
	HandleUnknown      Code = "HANDLE_UNKNOWN"
	HandleExpired      Code = "HANDLE_EXPIRED"
	HandleUsed         Code = "HANDLE_USED"
	HandleWrongKind    Code = "HANDLE_WRONG_KIND"
	HandleStale        Code = "HANDLE_STALE"
	KeyReused          Code = "IDEMPOTENCY_KEY_REUSED"
	CommitInProgress   Code = "COMMIT_IN_PROGRESS"
	CommitInterrupted  Code = "COMMIT_INTERRUPTED"
	CommitPartial      Code = "COMMIT_PARTIAL"
	PlanTooLarge       Code = "PLAN_TOO_LARGE"
	PlanStoreFailed    Code = "PLAN_STORE_FAILED"
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
		ApprovalUsed:       {Retryable: true, Next: "An approval is used once, and another call has used this one. Calling again asks anew."},
		ApprovalUnasked:    {Next: "The call carried an answer to no question of this server. Call again without it."},
		NotConfirmed:       {Next: "A handle alone is no consent. Look at the plan of the preview, and call with confirmed: true if it is to be carried out."},
		HandleUnknown:      {Next: "Call the preview again; a commit takes the handle that it returns."},
		HandleExpired:      {Next: "The plan was not carried out in time. Call the preview again and look at the new plan."},
		HandleUsed:         {Next: "The plan of this handle was carried out already; a handle works once. Call the preview again for another."},
		HandleWrongKind:    {Next: "This handle belongs to another tool. Use the commit of the tool whose preview returned it."},
		HandleStale:        {Next: "The protocol has changed since the preview. Call the preview again."},
		KeyReused:          {Next: "This idempotency key was used with another handle. Use a new key for a new plan."},
		CommitInProgress:   {Retryable: true, Next: "The same plan is being carried out right now. Call again later with the same handle to learn how it ended."},
		CommitInterrupted:  {Ran: true, Next: "The plan was interrupted while it was carried out, and is not run again by itself. Do not preview it anew before a person has looked at what was done: `gatewright commits` lists it."},
		CommitPartial:      {Ran: true, Next: "The plan was carried out in part, and what was finished stays done. Look at both lists, and preview what is left."},
		PlanTooLarge:       {Next: "The preview changed nothing, and its plan is larger than can be kept. Ask for less in one preview."},
		PlanStoreFailed:    {Retryable: true, Next: "The store of plans could not be used, so nothing was carried out; a preview that ran changed nothing. Tell the person who runs this server."},
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
