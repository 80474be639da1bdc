package solo

import (
	"context"

	"github.com/gatewright/gatewright/generated/solo"
)

// WritePlan is the handler of the tool write_plan.
func WritePlan[Permit solo.WritePlanPermit](_ context.Context, permit Permit, in solo.WritePlanInput) error {
	writer, err := solo.Use(permit, workspace)
	if err != nil {
		return err
	}
	return writer.WritePlan(in.Text)
}
