package check

// A schemaExample goes with a rule of package schema.
type schemaExample struct{ why, bad, good string }

// input is a protocol whose tool takes that input.
func input(schema string) string {
	return "tools:\n  list:\n    effect: read\n    input: " + schema + "\n"
}

// property is a protocol whose tool takes one property of that schema.
func property(schema string) string { return input("{properties: {n: " + schema + "}}") }

func schemaExamples() map[string]schemaExample {
	unenforced := "A server advertises its schemas. What it advertises and does not enforce misleads whoever relies on it."
	return map[string]schemaExample{
		"schema-form": {
			"Drafts of JSON Schema differ in the form of some keywords; a value of the wrong form would be ignored.",
			property("{type: string, required: true}"), input("{properties: {n: {type: string}}, required: [n]}"),
		},
		"schema-keyword": {unenforced, property("{type: string, maxLen: 3}"), property("{type: string, maxLength: 3}")},
		"schema-unsupported": {
			"The validator at run time knows part of JSON Schema.",
			property("{$dynamicRef: \"#n\"}"), input("{properties: {n: {$ref: \"#/$defs/n\"}}, $defs: {n: {type: string}}}"),
		},
		"schema-format":  {unenforced, property("{type: string, format: email}"), property("{type: string, pattern: \"@\"}")},
		"schema-default": {unenforced, property("{type: string, default: x}"), property("{type: string, description: x where it is absent}")},
		"schema-pattern": {
			"The server checks with RE2, a client perhaps with ECMA-262; a pattern has to mean the same to both.",
			property("{type: string, pattern: \"^(?!x)\"}"), property("{type: string, pattern: \"^[^x]\"}"),
		},
		"schema-number": {
			"Beyond 2^53 neighbouring whole numbers are one, and 0.1 is not a tenth.",
			property("{type: number, multipleOf: 0.01}"), property("{type: integer, multipleOf: 5, minimum: 0, maximum: 100}"),
		},
		"schema-ref": {
			"A server fetches nothing to find out what it takes.",
			property("{$ref: \"#/$defs/m\"}"), input("{properties: {n: {$ref: \"#/$defs/m\"}}, $defs: {m: {type: string}}}"),
		},
		"schema-cycle": {
			"A schema that refers to itself without end is satisfied by nothing.",
			input("{properties: {n: {$ref: \"#/$defs/m\"}}, $defs: {m: {$ref: \"#/$defs/m\"}}}"),
			input("{properties: {n: {$ref: \"#/$defs/m\"}}, $defs: {m: {type: object, properties: {m: {$ref: \"#/$defs/m\"}}}}}"),
		},
		"schema-root": {
			"MCP passes the arguments of a tool, and its structured result, as an object.",
			input("{type: array, items: {type: string}}"), property("{type: array, items: {type: string}}"),
		},
		"schema-type": {
			"maxLength: 3 alone accepts the number 1000.",
			property("{maxLength: 3}"), property("{type: string, maxLength: 3}"),
		},
		"schema-no-effect": {
			"A keyword that checks nothing is most likely meant to check something.",
			property("{type: integer, maxLength: 3}"), property("{type: integer, maximum: 999}"),
		},
		"schema-contradiction": {
			"A tool whose input nothing satisfies can never be called.",
			property("{type: integer, minimum: 3, maximum: 1}"), property("{type: integer, minimum: 1, maximum: 3}"),
		},
		"schema-record": {
			"An audit entry that records nothing is found out when it is needed.",
			"tools:\n  list:\n    effect: read\n    input: {properties: {commit: {type: string}}}\n    record: [/comit]\n",
			"tools:\n  list:\n    effect: read\n    input: {properties: {commit: {type: string}}}\n    record: [/commit]\n",
		},
		"schema-depth": {
			"What is read has to fit into memory whoever wrote it.", "", property("{type: string}"),
		},
		"schema-unusable": {
			"A schema that the validator refuses would stop the server when it starts.", "", property("{type: string}"),
		},
	}
}
