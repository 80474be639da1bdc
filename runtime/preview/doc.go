// Package preview says what is kept of a two-phase tool: the plan that its
// preview made, and what became of it when a commit carried it out.
//
// Its words are those of whoever keeps plans and whoever looks at them. What may
// not enter it: how they are kept, and who may carry one out.
package preview
