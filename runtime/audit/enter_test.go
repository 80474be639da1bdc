package audit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

func decided(id string) gate.Entry {
	entry := call(id, gate.Write)
	entry.Event, entry.Decision = gate.ApprovalDecision, ""
	entry.Approval = &gate.Approval{
		ID: "A", Provider: "queue", Approver: "ada", Decision: "approved", Reason: "fine", ExpiresAt: "2026-01-02T03:04:05Z", Waited: "1.5s",
	}
	return entry
}

func TestWhatAProgramThatIsNoServerDidIsInTheChain(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, log.Admit(t.Context(), call("one", gate.Write)))
	require.NoError(t, Enter(t.Context(), folder, decided("two"), map[string]string{"decided_on": "here"}))
	require.NoError(t, log.Admit(t.Context(), call("three", gate.Write)))
	require.NoError(t, log.Close(t.Context()))
	verified(t, folder)
	all := entries(t, folder)
	entered := all[len(all)-2]
	require.Equal(t, gate.ApprovalDecision, entered.Event)
	require.Equal(t, decided("two").Approval, entered.Approval)
	require.Equal(t, "two", entered.Call)
	require.Equal(t, map[string]string{"decided_on": "here"}, entered.Details)
}

func TestINV4_NothingIsEnteredWhereNoServerHasBeen(t *testing.T) {
	folder := newFolder(t)
	require.ErrorIs(t, Enter(t.Context(), folder, decided("one"), nil), ErrNotPinned)
	for _, spoil := range []func(*gate.Entry){
		func(e *gate.Entry) { e.Protocol = "" }, func(e *gate.Entry) { e.Digest = "" }, func(e *gate.Entry) { e.Event = "" },
	} {
		entry := decided("one")
		spoil(&entry)
		require.Error(t, Enter(t.Context(), folder, entry, nil))
	}
}

func TestINV4_NobodyIsAskedForAnotherProtocol(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, log.Admit(t.Context(), call("one", gate.Write)))
	other := openOther(t, folder)
	asked := otherCall("two", gate.Write)
	asked.Event, asked.Decision, asked.Time = gate.ApprovalRequest, "", time.Now()
	requireMismatch(t, other.Record(t.Context(), asked))
	asked.Event = gate.ApprovalDecision
	require.NoError(t, other.Record(t.Context(), asked), "what was decided is written down all the same")
}
