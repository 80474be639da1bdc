package protocol

import "slices"

// always are the tools that confer approval wherever a protocol has them. A
// protocol may add names, never remove these.
func always() []string { return []string{"approve", "merge"} }

// Exclusive lists the names that confer approval: those the protocol declares,
// and approve and merge, whether or not there are such tools. Sorted, each once.
func (p *Protocol) Exclusive() []string {
	names := always()
	for _, declared := range p.Declared {
		names = append(names, declared.Value)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// IsExclusive says whether a tool of that name confers approval.
func (p *Protocol) IsExclusive(name string) bool {
	return slices.Contains(always(), name) ||
		slices.ContainsFunc(p.Declared, func(declared Text) bool { return declared.Value == name })
}

// Tool returns the tool of that name, or nil.
func (p *Protocol) Tool(name string) *Tool {
	for _, tool := range p.Tools {
		if tool.Name.Value == name {
			return tool
		}
	}
	return nil
}

// Mode returns the mode of that name, or nil.
func (p *Protocol) Mode(name string) *Mode {
	for _, mode := range p.Modes {
		if mode.Name.Value == name {
			return mode
		}
	}
	return nil
}

// Holders lists the modes that hold a tool, in source order.
func (p *Protocol) Holders(tool string) []*Mode {
	var holders []*Mode
	for _, mode := range p.Modes {
		if mode.Holds(tool) {
			holders = append(holders, mode)
		}
	}
	return holders
}

// Holds says whether the mode's list has the tool.
func (m *Mode) Holds(tool string) bool {
	return slices.ContainsFunc(m.Tools, func(held Text) bool { return held.Value == tool })
}

// Waiver returns the waiver of a rule, or nil.
func (m *Mode) Waiver(rule string) *Waiver { return waiver(m.Waive, rule) }

// Waiver returns the waiver of a rule, or nil.
func (t *Tool) Waiver(rule string) *Waiver { return waiver(t.Waive, rule) }

func waiver(waivers []Waiver, rule string) *Waiver {
	for i := range waivers {
		if waivers[i].Rule.Value == rule {
			return &waivers[i]
		}
	}
	return nil
}

// Member returns the value of an object's key, or nil.
func (v *Value) Member(key string) *Value {
	if v == nil {
		return nil
	}
	for _, member := range v.Members {
		if member.Key.Value == key {
			return member.Value
		}
	}
	return nil
}
