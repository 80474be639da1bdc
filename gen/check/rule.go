package check

import (
	"slices"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/schema"
)

// A Category says what a rule is about.
type Category string

// The categories.
const (
	Guarantee Category = "guarantee" // what gatewright promises; never waived
	Duty      Category = "duty"      // who could do what alone; can be waived
	Form      Category = "form"      // what a protocol file looks like
	Reference Category = "reference" // names that are used and declared
	Name      Category = "name"      // names that clients and Go can tell apart
	Schema    Category = "schema"    // JSON Schemas of inputs and outputs
	Waiver    Category = "waiver"    // waivers themselves
	Generated Category = "generated" // what generation finds beyond the protocol
	Itself    Category = "itself"    // gatewright's own mistakes
)

// A Rule is one row of the table of rules. Bad and Good are protocols, or the
// part of one that matters: what is required and left out is as in [Example].
// They are empty where a few lines cannot show it.
type Rule struct {
	ID       string
	Category Category
	Level    diag.Level
	Purpose  string // one sentence: what holds where the rule finds nothing
	Why      string
	Help     string // how to mend what it finds
	Bad      string
	Good     string
}

// Waivable says whether `waive` can take a finding of the rule back.
func (r Rule) Waivable() bool { return r.Category == Duty }

// Rules lists every rule, guarantees first.
func Rules() []Rule {
	return slices.Concat(guarantees(), dutyRules(), formRules(), referenceRules(), nameRules(), waiverRules(), schemaRules(), generateRules(), itselfRules())
}

// Lookup finds a rule by its id, in whatever case.
func Lookup(id string) (Rule, bool) {
	rules := Rules()
	at := slices.IndexFunc(rules, func(rule Rule) bool { return strings.EqualFold(rule.ID, id) })
	if at < 0 {
		return Rule{}, false
	}
	return rules[at], true
}

// schemaRules takes the rows of package schema and adds examples.
func schemaRules() []Rule {
	examples := schemaExamples()
	var rules []Rule
	for _, row := range schema.Rules() {
		example := examples[row.ID]
		rules = append(rules, Rule{
			ID: row.ID, Category: Schema, Level: diag.Error, Purpose: row.Purpose, Why: example.why, Help: row.Help,
			Bad: example.bad, Good: example.good,
		})
	}
	return rules
}

// Example completes a part of a protocol with what is required and left out,
// so that the examples of rules can be short and can still be tried.
func Example(part string) string {
	frame := [][2]string{
		{"protocol_id", "protocol_id: example\n"},
		{"initial_mode", "initial_mode: plan\n"},
		{"tools", "tools:\n  list: {effect: read}\n"},
		{"modes", "modes:\n  plan: {tools: [list]}\n"},
	}
	var out strings.Builder
	out.WriteString(part)
	for _, line := range frame {
		if !strings.HasPrefix(part, line[0]+":") && !strings.Contains(part, "\n"+line[0]+":") {
			out.WriteString(line[1])
		}
	}
	return out.String()
}
