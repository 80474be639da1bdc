package check

import "github.com/gatewright/gatewright/gen/diag"

func referenceRules() []Rule {
	return []Rule{{
		ID: "ref-tool", Category: Reference, Level: diag.Error,
		Purpose: "Every tool that a mode lists, or an approval shows, is declared under tools.",
		Why:     "A server cannot offer what does not exist.",
		Help:    "Correct the name, or declare the tool.",
		Bad:     "modes:\n  plan: {tools: [list, lst]}\n",
		Good:    "modes:\n  plan: {tools: [list]}\n",
	}, {
		ID: "ref-mode", Category: Reference, Level: diag.Error,
		Purpose: "initial_mode and every transition lead to a mode that is declared.",
		Why:     "Work that is handed over has to arrive somewhere.",
		Help:    "Correct the name, or declare the mode.",
		Bad:     "modes:\n  plan: {tools: [list], transitions: {complete: implement}}\n",
		Good:    "modes:\n  plan: {tools: [list], transitions: {complete: implement}}\n  implement: {tools: [list]}\n",
	}, {
		ID: "ref-exclusive", Category: Reference, Level: diag.Error,
		Purpose: "Every name in exclusive_tools is that of a tool; approve and merge may be named without being there.",
		Why:     "A misspelled name would leave the tool that was meant open to every mode.",
		Help:    "Correct the name, or remove it.",
		Bad:     "exclusive_tools: [relase]\n",
		Good:    "exclusive_tools: [approve, merge]\n",
	}, {
		ID: "ref-show", Category: Reference, Level: diag.Error,
		Purpose: "The tool that an approval shows only reads, and runs wherever the approval is asked for, with what it is asked for.",
		Why:     "Whoever decides is shown what that tool says of the call. It is called before anybody has consented, by the same server, with those arguments of the call that it declares.",
		Help:    "Show a tool of effect read that every mode with this tool holds and that takes this tool's arguments as they are, or leave show out.",
		Bad:     "tools:\n  diff: {effect: read}\n  edit: {approval: {by: [queue], show: diff}}\nmodes:\n  plan: {tools: [diff]}\n  work: {tools: [edit]}\n",
		Good:    "tools:\n  diff: {effect: read}\n  edit: {approval: {by: [queue], show: diff}}\nmodes:\n  plan: {tools: [diff]}\n  work: {tools: [diff, edit]}\n",
	}, {
		ID: "ref-duplicate", Category: Reference, Level: diag.Error,
		Purpose: "No list of tools names one twice.",
		Why:     "The second is most likely meant to be another one.",
		Help:    "Remove or correct one of them.",
		Bad:     "modes:\n  plan: {tools: [list, list]}\n",
		Good:    "modes:\n  plan: {tools: [list]}\n",
	}, {
		ID: "ref-unheld", Category: Reference, Level: diag.Warning,
		Purpose: "Every tool is held by some mode.",
		Why:     "Nobody could call it; for an exclusive tool that means that nobody could approve.",
		Help:    "Add it to a mode, or remove it.",
		Bad:     "tools:\n  list: {effect: read}\n  find: {effect: read}\n",
		Good:    "tools:\n  list: {effect: read}\n",
	}, {
		ID: "ref-empty", Category: Reference, Level: diag.Warning,
		Purpose: "Every mode holds some tool.",
		Why:     "Its server would have nothing to offer.",
		Help:    "Give it tools, or remove it.",
		Bad:     "modes:\n  plan: {tools: [list]}\n  done: {}\n",
		Good:    "modes:\n  plan: {tools: [list]}\n  done: {tools: [list]}\n",
	}}
}

func nameRules() []Rule {
	return []Rule{{
		ID: "name-shape", Category: Name, Level: diag.Error,
		Purpose: "Declared names match ^[a-z][a-z0-9_]{0,39}$: the protocol's, and those of tools, modes and events.",
		Why:     "Clients change dots, dashes, capitals and long names, each in its own way.",
		Help:    "Use small letters, digits and underscores, at most 40, beginning with a letter.",
		Bad:     "tools:\n  listFiles: {effect: read}\nmodes:\n  plan: {tools: [listFiles]}\n",
		Good:    "tools:\n  list_files: {effect: read}\nmodes:\n  plan: {tools: [list_files]}\n",
	}, {
		ID: "name-collision", Category: Name, Level: diag.Error,
		Purpose: "Tools, and modes, can be told apart by every client and in Go.",
		Why:     "Some clients turn capitals and dashes into something else and keep one of two tools; in Go, list_1 and list1 are both List1.",
		Help:    "Choose another name for one of them.",
		Bad:     "tools:\n  list_1: {effect: read}\n  list1: {effect: read}\nmodes:\n  plan: {tools: [list_1, list1]}\n",
		Good:    "tools:\n  list_1: {effect: read}\n  list_2: {effect: read}\nmodes:\n  plan: {tools: [list_1, list_2]}\n",
	}, {
		ID: "name-reserved", Category: Name, Level: diag.Error,
		Purpose: "No tool is called dispatch, and the protocol is not called like a word of Go or a package that handlers need.",
		Why:     "dispatch is the tool that changes the mode. The protocol's name becomes the name of a Go package.",
		Help:    "Choose another name.",
		Bad:     "protocol_id: context\n",
		Good:    "protocol_id: contexts\n",
	}, {
		ID: "name-phase", Category: Name, Level: diag.Error,
		Purpose: "What a tool in two phases becomes has names of its own, and its halves are two functions.",
		Why:     "To clients such a tool is two, called like it with _preview and _commit behind it. A tool of such a name could not be told from the half; names of more than 40 characters would be cut.",
		Help:    "Choose another name for one of them, a shorter one, or another function.",
		Bad:     "tools:\n  load: {plan: {}, run: {preview: LoadPreview, commit: LoadCommit}}\n  load_preview: {effect: read}\nmodes:\n  plan: {tools: [load, load_preview]}\n",
		Good:    "tools:\n  load: {plan: {}, run: {preview: LoadPreview, commit: LoadCommit}}\n  inspect: {effect: read}\nmodes:\n  plan: {tools: [load, inspect]}\n",
	}, {
		ID: "name-go", Category: Name, Level: diag.Error,
		Purpose: "run, preview, commit and deps name exported declarations of the package of the handlers.",
		Why:     "Generated code refers to them.",
		Help:    "Write the bare name with a capital first letter: ListFiles.",
		Bad:     "tools:\n  list: {effect: read, run: handlers.List}\n",
		Good:    "tools:\n  list: {effect: read, run: List}\n",
	}}
}

func waiverRules() []Rule {
	return []Rule{{
		ID: "waive-reason", Category: Waiver, Level: diag.Error,
		Purpose: "Every waiver gives a reason.",
		Why:     "A waiver takes a finding back in the open; the reason is the open part.",
		Help:    "Say why the finding is fine here.",
		Bad:     "tools:\n  sign_off: {waive: {SD4: \"\"}}\nmodes:\n  plan: {tools: [sign_off]}\n",
		Good:    "tools:\n  sign_off: {waive: {SD4: it only stamps the time sheet}}\nmodes:\n  plan: {tools: [sign_off]}\n",
	}, {
		ID: "waive-refused", Category: Waiver, Level: diag.Error,
		Purpose: "Every waiver names a rule that can be waived.",
		Why:     "Only findings on duties can be. A guarantee that the protocol could take back would guarantee nothing.",
		Help:    "Remove the waiver and mend what the rule finds.",
		Bad:     "modes:\n  plan: {tools: [list], waive: {WF1: because}}\n",
		Good:    "modes:\n  plan: {tools: [list]}\n",
	}, {
		ID: "waive-unused", Category: Waiver, Level: diag.Warning,
		Purpose: "Every waiver waives something.",
		Why:     "One that is left behind would hide the next finding.",
		Help:    "Remove the waiver.",
		Bad:     "modes:\n  plan: {tools: [list], waive: {SD1: it once held approve}}\n",
		Good:    "modes:\n  plan: {tools: [list]}\n",
	}}
}

func itselfRules() []Rule {
	return []Rule{{
		ID: "crash", Category: Itself, Level: diag.Error,
		Purpose: "gatewright does not fail while it reads a protocol.",
		Why:     "Whatever a file says, there is an answer; a crash is a mistake in gatewright.",
		Help:    "Report it, with the protocol and the lines that the diagnostic shows.",
	}}
}
