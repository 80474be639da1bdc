package tree

// ApplySteps does the first steps of Apply and reports whether that was all.
func (t *Tree) ApplySteps(count int) bool {
	steps := t.steps()
	for i, step := range steps {
		if i == count {
			return false
		}
		if step() != nil {
			return false
		}
	}
	return true
}
