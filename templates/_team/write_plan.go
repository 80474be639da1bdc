package team

import (
	"context"

	"github.com/gatewright/gatewright/generated/team"
)

// WritePlan is the handler of the tool write_plan.
func WritePlan[Permit team.WritePlanPermit](_ context.Context, permit Permit, in team.WritePlanInput) error {
	writer, err := team.Use(permit, workspace)
	if err != nil {
		return err
	}
	return writer.WritePlan(in.Text)
}
