package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// txDesk is the blocks of hca_tx, and who drives them.
type txDesk struct {
	*HcaTxBlocks
	cycle uint64
}

func (d *txDesk) give(port sim.Port, data []byte) {
	d.cycle += 1000
	d.Take(&sim.Record{Start: d.cycle, End: d.cycle, Port: port, Data: data})
}

func (d *txDesk) op(to HcaTxTarget, record []byte) { d.give(HcaTxOps, AppendHcaTxOp(nil, to, record)) }

// open sets a QP of RC up, PMTU 256.
func (d *txDesk) open(qpn uint32) {
	d.op(ToCheck, (&ReqRecord{QPN: qpn, Op: ReqConfigure, PMTU: 1, MaxReads: 1}).Append(nil))
	d.op(ToRetry, (&RetryRecord{QPN: qpn, Op: RetryConfigure, RetryCnt: 7}).Append(nil))
	d.op(ToPackets, (&TxRecord{QPN: qpn, Op: TxConfigure, PMTU: 1, MaxReads: 1, Unlimited: true}).Append(nil))
	d.op(ToSendQueues, (&SQRecord{QPN: qpn, Op: SQClear, Slot: 1}).Append(nil))
	d.op(ToTurns, (&SchedRecord{QPN: qpn, Op: SchedSet, Weight: 1}).Append(nil))
}

// fail takes a QP to error, as software does.
func (d *txDesk) fail(qpn uint32) {
	d.op(ToCheck, (&ReqRecord{QPN: qpn, Op: ReqClose}).Append(nil))
	d.op(ToRetry, (&RetryRecord{QPN: qpn, Op: RetryClose}).Append(nil))
	d.op(ToPackets, (&TxRecord{QPN: qpn, Op: TxClose}).Append(nil))
	d.op(ToSendQueues, (&SQRecord{QPN: qpn, Op: SQVerdict, Fail: true, Status: roce.Flushed}).Append(nil))
}

// TestHcaTxErrorBehindAVerdict: what an ACK ended before its QP was taken to error ends with success, and only what is
// behind it is flushed, also where the verdict waits for a payload of whichever QP that has not come (DMA-1, DMA-2).
func TestHcaTxErrorBehindAVerdict(t *testing.T) {
	for _, stray := range []uint32{1, 2, 77} {
		d := &txDesk{HcaTxBlocks: NewHcaTxBlocks(sim.Settings{"NumQps": 64})}
		d.open(2)
		for wqe := range uint32(2) {
			d.op(ToSendQueues, (&SQRecord{QPN: 2, Op: SQPost,
				SendWQE: SendWQE{WQE: 10 + wqe, Verb: ib.VerbSend, Flags: SQSignaled}}).Append(nil))
		}
		require.Len(t, d.Sent, 2)
		nobodys := HcaTxResponse{QPN: stray, PSN: 0x777, Opcode: ib.Join(ib.RC, ib.ReadResponseOnly), Payload: 4}
		d.give(HcaTxResponses, nobodys.Append(nil))
		ack := HcaTxResponse{QPN: 2, Number: 1, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: 0x1F}
		d.give(HcaTxResponses, ack.Append(nil))
		d.fail(2)
		require.Empty(t, d.Ends, "the payload has not come")
		d.give(HcaTxPayload, []byte{1, 2, 3, 4})
		require.Empty(t, d.Moved)
		require.Len(t, d.Ends, 2)
		require.Equal(t, []uint32{10, 11}, []uint32{d.Ends[0].WQE, d.Ends[1].WQE})
		require.Equal(t, []roce.Status{roce.Success, roce.Flushed}, []roce.Status{d.Ends[0].Status, d.Ends[1].Status})
	}
}
