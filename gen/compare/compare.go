// Package compare says what changes in duties between two protocols: who may
// do what, what confers approval, what a tool takes, and which of the changes
// guard less than before. It looks at protocols alone: what their handlers do
// is not seen here. It reads and writes nothing but what it is handed.
package compare

import (
	"cmp"
	"slices"

	"github.com/gatewright/gatewright/gen/protocol"
)

// A Kind says what changed. Kinds are stable: programs branch on them.
type Kind string

// The kinds, in the order in which the changes of one mode or tool are listed.
const (
	ProtocolID         Kind = "protocol_id"
	Version            Kind = "version"
	Description        Kind = "description"
	InitialMode        Kind = "initial_mode"
	StrictOn           Kind = "strict_on"
	StrictOff          Kind = "strict_off"
	Package            Kind = "package"
	Deps               Kind = "deps"
	ModeAdded          Kind = "mode_added"
	ModeRemoved        Kind = "mode_removed"
	ModeDescription    Kind = "mode_description"
	ToolGained         Kind = "tool_gained" // by a mode
	ToolLost           Kind = "tool_lost"
	TransitionAdded    Kind = "transition_added"
	TransitionLost     Kind = "transition_lost"
	ToolAdded          Kind = "tool_added" // to the protocol
	ToolRemoved        Kind = "tool_removed"
	ExclusiveGained    Kind = "exclusive_gained"
	ExclusiveLost      Kind = "exclusive_lost"
	Effect             Kind = "effect"
	Handler            Kind = "handler" // of a tool in two phases: of its commit
	PhasesGained       Kind = "phases_gained"
	PhasesLost         Kind = "phases_lost"
	PreviewHandler     Kind = "preview_handler"
	PlanTTL            Kind = "plan_ttl"
	RecordGained       Kind = "record_gained"
	RecordLost         Kind = "record_lost"
	RecordReordered    Kind = "record_reordered"
	ApprovalAdded      Kind = "approval_added"
	ApprovalRemoved    Kind = "approval_removed"
	ProviderAdded      Kind = "provider_added" // to those that are asked; a command with other arguments is another one
	ProviderRemoved    Kind = "provider_removed"
	ProviderChanged    Kind = "provider_changed" // what a command is handed, or how long it has
	ProvidersReordered Kind = "providers_reordered"
	ApprovalTTL        Kind = "approval_ttl"
	ApprovalHold       Kind = "approval_hold"
	ApprovalReason     Kind = "approval_reason"
	ApprovalShow       Kind = "approval_show"
	InputWidened       Kind = "input_widened"
	InputNarrowed      Kind = "input_narrowed"
	InputChanged       Kind = "input_changed" // takes what it refused, refuses what it took, or it cannot be told
	InputDescribed     Kind = "input_described"
	PlanWidened        Kind = "plan_widened"
	PlanNarrowed       Kind = "plan_narrowed"
	PlanChanged        Kind = "plan_changed"
	PlanDescribed      Kind = "plan_described"
	OutputChanged      Kind = "output_changed"
	OutputDescribed    Kind = "output_described"
	ToolDescription    Kind = "tool_description"
	WaiverAdded        Kind = "waiver_added"
	WaiverRemoved      Kind = "waiver_removed"
	WaiverReworded     Kind = "waiver_reworded"
	Rewritten          Kind = "rewritten" // the digest changes, and nothing of the above
)

// Kinds lists every kind, in order.
func Kinds() []Kind {
	return []Kind{
		ProtocolID, Version, Description, InitialMode, StrictOn, StrictOff, Package, Deps,
		ModeAdded, ModeRemoved, ModeDescription, ToolGained, ToolLost, TransitionAdded, TransitionLost,
		ToolAdded, ToolRemoved, ExclusiveGained, ExclusiveLost, Effect, Handler, PhasesGained, PhasesLost, PreviewHandler, PlanTTL, RecordGained, RecordLost, RecordReordered,
		ApprovalAdded, ApprovalRemoved, ProviderAdded, ProviderRemoved, ProviderChanged, ProvidersReordered, ApprovalTTL, ApprovalHold, ApprovalReason, ApprovalShow,
		InputWidened, InputNarrowed, InputChanged, InputDescribed, PlanWidened, PlanNarrowed, PlanChanged, PlanDescribed, OutputChanged, OutputDescribed, ToolDescription,
		WaiverAdded, WaiverRemoved, WaiverReworded, Rewritten,
	}
}

// A Change is one thing that is not as it was.
type Change struct {
	Kind    Kind
	Mode    string // whose; empty where the change is not one of a mode
	Tool    string // of which, likewise
	Name    string // what else tells it apart: an event, a rule, a JSON pointer
	Old     string // as it was, where a short text says it
	New     string // as it is now
	Message string // for people: lower case, no full stop, foreign text quoted
	Weaker  bool   // the new protocol guards less than the old one did
	Why     string // one sentence, of a weakening
}

// Compare lists what changes from one protocol to another, by mode, tool and
// kind. It is empty exactly where both have the same digest. Both protocols
// must have been read without errors of form; whether they keep the rules does
// not matter.
func Compare(before, after *protocol.Protocol) []Change {
	if before.Digest() == after.Digest() {
		return nil
	}
	c := &comparison{before: before, after: after}
	c.top()
	c.modes()
	c.tools()
	if len(c.found) == 0 {
		c.add(Change{Kind: Rewritten, Message: "it says the same in another form"})
	}
	kinds := Kinds()
	slices.SortStableFunc(c.found, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(section(a), section(b)), cmp.Compare(a.Mode, b.Mode), cmp.Compare(a.Tool, b.Tool),
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(a.Name, b.Name),
		)
	})
	return c.found
}

// section puts what concerns the whole first, then modes, then tools.
func section(c Change) int {
	switch {
	case c.Mode != "":
		return 1
	case c.Tool != "":
		return 2
	}
	return 0
}

// Weakenings leaves the changes that guard less than before.
func Weakenings(changes []Change) []Change {
	var weaker []Change
	for _, change := range changes {
		if change.Weaker {
			weaker = append(weaker, change)
		}
	}
	return weaker
}

// A comparison is one run of [Compare].
type comparison struct {
	before, after *protocol.Protocol
	found         []Change
}

func (c *comparison) add(change Change) { c.found = append(c.found, change) }

// weaker adds a change that guards less than before.
func (c *comparison) weaker(change Change, why string) {
	change.Weaker, change.Why = true, why
	c.add(change)
}

// addIf adds a change, as a weakening where weak says so.
func (c *comparison) addIf(weak bool, change Change, why string) {
	if weak {
		c.weaker(change, why)
		return
	}
	c.add(change)
}
