// Package gate is the kernel: the one path from a request to a handler.
//
// It is the part to audit, so it imports the standard library and the seal of
// runtime, and nothing else. It knows no wire protocol, no file format and no
// clock of its own; four interfaces bring those in (Codec, Ledger, Approver,
// Clock), and without any one of them there is no gate.
//
// [Gate.Call] admits a request in this order, and every doubt on the way is a
// refusal:
//
//  1. the gate is open
//  2. the name is a tool of this mode
//  3. the arguments decode strictly and satisfy the input schema
//  4. somebody else approved exactly this call, where the tool asks for that;
//     waiting for them uses up none of the handler's time
//  5. that approval is claimed, which happens once
//  6. the audit log holds the admission, durably for a write; the log refuses
//     a write whose protocol is not the one pinned in the state folder
//  7. the handler runs, under a fresh grant, within one deadline
//  8. the result satisfies the output schema
//  9. the audit log holds the outcome
//
// Where the client itself has to be asked, the call ends for now with a
// question and comes again with the answer, from step 1 on and under the same
// id. Only what it comes to in the end is recorded as its decision.
//
// A [Grant] is the running admission. It ends with the call, and what is
// reached through it ([Open], [Use]) is refused from then on.
//
// What may not enter this package: decoding, files, network, processes,
// configuration, logging formats, anything of one tool or one protocol.
package gate
