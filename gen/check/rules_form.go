package check

import (
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
)

// formRules explain what package protocol reports while it reads a file.
func formRules() []Rule {
	seeAll := "What a mode may do has to stand where the mode is declared, for people as for programs."
	return []Rule{{
		ID: "yaml-syntax", Category: Form, Level: diag.Error,
		Purpose: "The file is YAML and holds a protocol.",
		Why:     "Nothing after the place where YAML ends can be understood, so it is reported alone.",
		Help:    "The message says what is wrong at that place. Most often it is a tab, a missing quote or bracket, or a line indented unlike its neighbours.",
		Bad:     "description: [not closed\n",
		Good:    "description: closed\n",
	}, {
		ID: "yaml-alias", Category: Form, Level: diag.Error,
		Purpose: "The file has no anchors, aliases or merge keys.",
		Why:     seeAll,
		Help:    "Write the value out wherever it is meant.",
		Bad: `tools:
  list: &reading {effect: read}
  find: *reading
modes:
  plan: {tools: [list, find]}
`,
		Good: `tools:
  list: {effect: read}
  find: {effect: read}
modes:
  plan: {tools: [list, find]}
`,
	}, {
		ID: "yaml-tag", Category: Form, Level: diag.Error,
		Purpose: "The file has no tags.",
		Why:     "A tag changes what a value is without changing how it looks.",
		Help:    "Remove the tag; put quotes around what has to be text.",
		Bad:     "version: !!str 1.10\n",
		Good:    "version: \"1.10\"\n",
	}, {
		ID: "yaml-documents", Category: Form, Level: diag.Error,
		Purpose: "The file is one document.",
		Why:     "Most readers of YAML take the first document and ignore the others in silence.",
		Help:    "Give each protocol a file of its own.",
		Bad:     Example("") + "---\nprotocol_id: other\n",
		Good:    "---\n" + Example(""),
	}, {
		ID: "yaml-character", Category: Form, Level: diag.Error,
		Purpose: "The file is UTF-8 text without characters that cannot be seen.",
		Why:     "Control characters and marks that turn the direction of writing let a reviewer read another text than the program does.",
		Help:    "Remove the character and save the file as UTF-8 with LF or CRLF at the end of lines.",
		Bad:     "description: \"turned \u202e round\"\n",
		Good:    "description: plain\n",
	}, {
		ID: "yaml-size", Category: Form, Level: diag.Error,
		Purpose: "The file has at most 4 MiB and 600000 parts, and nests at most 64 deep.",
		Why:     "What is read has to fit into memory whoever wrote it.",
		Help:    "Split the protocol, or move deep parts of a schema under $defs.",
		Bad:     property(strings.Repeat("{type: array, items: ", 70) + "{}" + strings.Repeat("}", 70)),
		Good:    property("{type: array, items: {type: array, items: {type: string}}}"),
	}, {
		ID: "yaml-ambiguous", Category: Form, Level: diag.Error,
		Purpose: "No plain value in a schema means different things to different readers of YAML.",
		Why:     "To some, no is false and 0777 is 511; to others both are text.",
		Help:    "Put quotes around it if text is meant; otherwise write true, false, null, or a decimal number.",
		Bad: `tools:
  list: {effect: read, input: {properties: {all: {type: string, enum: [yes, no]}}}}
`,
		Good: `tools:
  list: {effect: read, input: {properties: {all: {type: string, enum: ["yes", "no"]}}}}
`,
	}, {
		ID: "key-unknown", Category: Form, Level: diag.Error,
		Purpose: "Every key is one that the protocol format has at that place.",
		Why:     "A misspelled key would be a rule that nobody keeps.",
		Help:    "Correct the key; the message lists those that are known there.",
		Bad:     "exclusive_tool: [release]\n",
		Good:    "exclusive_tools: []\n",
	}, {
		ID: "key-duplicate", Category: Form, Level: diag.Error,
		Purpose: "No key stands twice in a mapping.",
		Why:     "Readers of YAML disagree on which of the two counts.",
		Help:    "Remove one of them.",
		Bad: `tools:
  list: {effect: read}
  list: {effect: write}
`,
		Good: `tools:
  list: {effect: read}
`,
	}, {
		ID: "key-missing", Category: Form, Level: diag.Error,
		Purpose: "Nothing that is required is missing: protocol_id, initial_mode, tools, modes; of a tool in two phases plan, preview and commit.",
		Why:     "A gate cannot be made from what is not said.",
		Help:    "Add the key; the message has an example.",
		Bad:     "modes: {}\n",
		Good:    "modes:\n  plan: {tools: [list]}\n",
	}, {
		ID: "key-later", Category: Form, Level: diag.Error,
		Purpose: "The file asks for nothing that this version cannot keep yet.",
		Why:     "A gate that cannot be kept is refused rather than ignored.",
		Help:    "Remove the key, or use a version of gatewright that has it.",
		Bad: `tools:
  list: {effect: read, run: {exec: [ls]}}
`,
		Good: `tools:
  list: {effect: read}
`,
	}, {
		ID: "value-kind", Category: Form, Level: diag.Error,
		Purpose: "Every value is of the kind that its key wants: text, a list, a mapping, true or false.",
		Why:     "Values are not converted in silence.",
		Help:    "Write the kind of value that the message asks for; put quotes around text that looks like something else.",
		Bad:     "strict: no\n",
		Good:    "strict: false\n",
	}, {
		ID: "value-set", Category: Form, Level: diag.Error,
		Purpose: "A value that is one of a few, or has a form, is one of them or has it.",
		Why:     "An effect other than read and write, say, means nothing to the gate.",
		Help:    "Write one of the values that the message names.",
		Bad: `tools:
  list: {effect: reads}
`,
		Good: `tools:
  list: {effect: read}
`,
	}}
}
