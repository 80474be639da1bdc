// Package approval asks somebody other than the caller.
//
// A [Policy] says whom a tool asks, in which order; a [Chain] is the
// gate.Approver that does it. It keeps every request in a [Book], so that a
// decision outlives the call and the process that asked for it:
//
//  1. The request that the call stands before is looked up by its binding, or
//     made, and the log says that it was made. What ended untold is told, once.
//  2. While it is pending, the providers are asked in order. One that decides
//     ends it; one that cannot be reached passes to the next; one that answers
//     anything else than a decision has failed, and with it the request.
//  3. A decision is written to the log and then to the book. Where somebody else
//     was faster, theirs stands.
//  4. Nobody having decided, the answer is pending where a provider still has
//     the request, and no where none has.
//  5. The gate claims an approval, which the book grants once.
//
// A [Queue] waits for somebody who decides with `gatewright approvals`, an
// [Elicit] asks through the client of the call, a [Command] asks a program. A
// [Terminal] asks whoever makes a call by hand.
//
// What may not enter: tools, and decisions that nobody made.
package approval
