package check

import "github.com/gatewright/gatewright/gen/diag"

func guarantees() []Rule {
	return []Rule{{
		ID: "WF1", Category: Guarantee, Level: diag.Error,
		Purpose: "No exclusive tool is held by more than one mode.",
		Why: "A mode is one actor's duties. Were an approving tool in two modes, an actor who works in both could bless its own work. " +
			"approve and merge are always exclusive; exclusive_tools adds to them.",
		Help: "Leave the tool in one mode and remove it from the others. This rule cannot be waived.",
		Bad: `tools:
  approve: {}
modes:
  plan: {tools: [approve]}
  review: {tools: [approve]}
`,
		Good: `tools:
  edit: {}
  approve: {}
modes:
  plan: {tools: [edit]}
  review: {tools: [approve]}
`,
	}, {
		ID: "WF2", Category: Guarantee, Level: diag.Error,
		Purpose: "What an exclusive tool does is not held under another name by another mode.",
		Why:     "A name is only a name. Two tools that run the same Go function are one capability, and if one of them is exclusive, the capability is. Of a tool in two phases it is what its commit runs.",
		Help:    "Remove the other tool from the other mode, or give it a handler of its own. This rule cannot be waived.",
		Bad: `tools:
  merge: {run: Merge}
  finish: {run: Merge}
modes:
  plan: {tools: [finish]}
  integrate: {tools: [merge]}
`,
		Good: `tools:
  merge: {run: Merge}
  finish: {run: Finish}
modes:
  plan: {tools: [finish]}
  integrate: {tools: [merge]}
`,
	}, {
		ID: "effect-exclusive", Category: Guarantee, Level: diag.Error,
		Purpose: "An exclusive tool has the effect write.",
		Why:     "Clients run read tools without asking anybody, and a read need not be durable in the audit log before it runs. Conferring approval is neither.",
		Help:    "Write effect: write, or leave effect out: write is the default.",
		Bad: `tools:
  approve: {effect: read}
modes:
  plan: {tools: [approve]}
`,
		Good: `tools:
  approve: {effect: write}
modes:
  plan: {tools: [approve]}
`,
	}, {
		ID: "effect-phases", Category: Guarantee, Level: diag.Error,
		Purpose: "A tool in two phases has the effect write.",
		Why:     "Its commit carries a plan out, and the entry in the audit log has to be durable before it does. Its preview is a tool of its own, which only reads and is served as such.",
		Help:    "Write effect: write, or leave effect out: write is the default. A tool that only reads needs no plan.",
		Bad: `tools:
  import:
    effect: read
    plan: {properties: {title: {type: string}}}
    run: {preview: ImportPreview, commit: ImportCommit}
modes:
  plan: {tools: [import]}
`,
		Good: `tools:
  import:
    plan: {properties: {title: {type: string}}}
    run: {preview: ImportPreview, commit: ImportCommit}
modes:
  plan: {tools: [import]}
`,
	}}
}

func dutyRules() []Rule {
	return []Rule{{
		ID: "SD1", Category: Duty, Level: diag.Warning,
		Purpose: "A mode that holds an exclusive tool holds no other write tool.",
		Why:     "One actor in such a mode could make a change and approve it.",
		Help:    "Move the exclusive tool into a mode of its own, or accept the risk in the open with waive: {SD1: why} on the mode or on the tool.",
		Bad: `tools:
  edit: {}
  approve: {}
modes:
  plan: {tools: [edit, approve]}
`,
		Good: `tools:
  edit: {}
  approve: {}
modes:
  plan: {tools: [edit]}
  review: {tools: [approve]}
`,
	}, {
		ID: "SD2", Category: Duty, Level: diag.Warning,
		Purpose: "An approval can be given, and that of an exclusive tool by somebody other than the caller's own client.",
		Why: "elicit asks through the client of whoever makes the call, which may answer by itself, so an exclusive tool with elicit alone is one whose caller may bless its own work. " +
			"Behind queue the client is asked as soon as nobody has decided within hold, and its answer counts: only queue, or a command, without elicit keeps the caller's client out. " +
			"A request of more than 8 KiB cannot be put through a client; where every request of a tool is larger and nobody else is asked, the answer is always no.",
		Help: "Put queue or a command in front of elicit, or accept the risk in the open with waive: {SD2: why} on the tool.",
		Bad: `tools:
  approve: {approval: [elicit]}
modes:
  plan: {tools: [approve]}
`,
		Good: `tools:
  approve: {approval: [queue, elicit]}
modes:
  plan: {tools: [approve]}
`,
	}, {
		ID: "SD4", Category: Duty, Level: diag.Warning,
		Purpose: "A write tool whose name, or whose handler's name, says that it confers approval is exclusive.",
		Why:     "A tool called sign_off that any number of modes may hold is most likely a tool that was forgotten in exclusive_tools.",
		Help:    "Add it to exclusive_tools, rename it, or say in the open that it confers nothing with waive: {SD4: why} on the tool.",
		Bad: `tools:
  sign_off: {}
modes:
  plan: {tools: [sign_off]}
`,
		Good: `exclusive_tools: [sign_off]
tools:
  sign_off: {}
modes:
  plan: {tools: [sign_off]}
`,
	}}
}
