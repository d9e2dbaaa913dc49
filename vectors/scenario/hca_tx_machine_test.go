package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// txMachine is a QP of hca-tx as the requester of model/roce has it.
type txMachine struct {
	cfg    roce.RequesterConfig
	q      roce.Requester
	isOpen bool
	armed  [2]bool
	due    [2]uint64 // in ticks
	sent   []roce.Effect
	ended  []roce.Effect
	local  []roce.Effect
}

// txMachines follow the records of hca-tx.
type txMachines struct {
	t     *testing.T
	qps   map[uint32]*txMachine
	ticks uint64
	out   roce.Batch
}

// settle takes the effects of a step, and has the QP send what it may.
func (m *txMachines) settle(q *txMachine) {
	for {
		for i := range m.out {
			switch e := &m.out[i]; e.Kind {
			case roce.SendRequest:
				q.sent = append(q.sent, *e)
			case roce.BindWindow, roce.InvalidateKey:
				q.local = append(q.local, *e)
			case roce.Complete:
				q.ended = append(q.ended, *e)
			case roce.Arm:
				q.armed[e.Timer], q.due[e.Timer] = true, m.ticks+e.Ticks
			case roce.Disarm:
				q.armed[e.Timer] = false
			}
		}
		if m.out = m.out[:0]; !q.isOpen || !q.q.Next(&m.out) {
			return
		}
	}
}

// play gives the machine what a record says; false of one that it has no equal of.
func (m *txMachines) play(b *hca.HcaTxBlocks, r *sim.Record) bool {
	switch r.Port {
	case hca.HcaTxCNPs, hca.HcaTxGathered, hca.HcaTxPayload, hca.HcaTxAcks: // nothing of it changes what is sent
		return true
	case hca.HcaTxResponses:
		a := hca.ParseHcaTxResponse(r.Data)
		if q := m.qps[a.QPN]; q != nil && q.isOpen {
			if q.cfg.Profile.MessageRestart && a.Syndrome.Kind() == ib.KindRNR {
				return false // progress in a wait tells the two another first
			}
			q.q.Step(&roce.Packet{Op: a.Opcode, PSN: a.PSN, Syndrome: a.Syndrome, MSN: a.Number, Len: uint32(a.Payload),
				Pad: a.Pad}, &m.out)
			m.settle(q)
		}
		return true
	}
	record := hca.HcaTxRecordOf(r.Data)
	switch hca.HcaTxTargetOf(r.Data) {
	case hca.ToCheck:
		m.check(b, hca.ParseReqRecord(record))
	case hca.ToRetry:
		c := hca.ParseRetryRecord(record)
		if c.Op != hca.RetryConfigure {
			return true
		}
		q := m.at(c.QPN)
		q.cfg.Timeout, q.cfg.RetryCount, q.cfg.RNRRetry = c.Code, c.RetryCnt, c.RNRRetry
		q.cfg.Profile.AnyAnswerEndsRNR = c.AnyAnswer
	case hca.ToPackets:
		m.packets(b, r, hca.ParseTxRecord(record))
	case hca.ToSendQueues:
		return m.post(b, r, hca.ParseSQRecord(record))
	case hca.ToTime:
		l := sim.ReadLayout(record)
		ticks := uint32(0)
		sim.Field(&l, &ticks, 32)
		m.lapse(uint64(ticks))
	}
	return true
}

func (m *txMachines) at(qpn uint32) *txMachine {
	if m.qps[qpn] == nil {
		m.qps[qpn] = &txMachine{}
	}
	return m.qps[qpn]
}

func (m *txMachines) check(b *hca.HcaTxBlocks, c hca.ReqRecord) {
	q := m.at(c.QPN)
	if *q = (txMachine{}); c.Op == hca.ReqClose {
		return
	}
	closeHcaTx(b, c.QPN)
	q.cfg = roce.RequesterConfig{Service: ib.RC, Width: roce.WidthOf(psn.Bits), PMTUBytes: 128 << c.PMTU,
		StartPSN: c.PSN, MaxReads: c.MaxReads, Limited: c.Profile&hca.ReqCreditsLimited != 0}
}

// closeHcaTx closes a QP. One that has failed is not closed before it begins anew; here it need not have failed: some
// records are left out, and memory gives everything.
func closeHcaTx(b *hca.HcaTxBlocks, qpn uint32) {
	for to, record := range map[hca.HcaTxTarget][]byte{
		hca.ToCheck:   (&hca.ReqRecord{QPN: qpn, Op: hca.ReqClose}).Append(nil),
		hca.ToRetry:   (&hca.RetryRecord{QPN: qpn, Op: hca.RetryClose}).Append(nil),
		hca.ToPackets: (&hca.TxRecord{QPN: qpn, Op: hca.TxClose}).Append(nil)} {
		b.Take(&sim.Record{Port: hca.HcaTxOps, Data: hca.AppendHcaTxOp(nil, to, record)})
	}
}

func (m *txMachines) packets(b *hca.HcaTxBlocks, r *sim.Record, c hca.TxRecord) {
	q := m.at(c.QPN)
	switch c.Op {
	case hca.TxConfigure:
		if c.Service != hca.TxRC {
			closeHcaTx(b, c.QPN)
			q.cfg = roce.RequesterConfig{Service: [...]ib.Transport{hca.TxUC: ib.UC, hca.TxUD: ib.UD}[c.Service],
				Width: roce.WidthOf(psn.Bits), PMTUBytes: 128 << c.PMTU, StartPSN: c.Una}
		}
		c.WholeRead = false // progress between going back and sending tells the two another first
		r.Data = hca.AppendHcaTxOp(nil, hca.ToPackets, c.Append(nil))
		q.cfg.Window, q.cfg.Profile.MessageRestart = c.Window, c.Restart
		q.q, q.isOpen = roce.NewRequester(&q.cfg), true
	case hca.TxDrain:
		if q.q.State == roce.RTS {
			q.q.State = roce.SQD
		}
	case hca.TxResume:
		if q.q.State == roce.SQD {
			q.q.State = roce.RTS
		}
		m.settle(q)
	}
}

func (m *txMachines) post(b *hca.HcaTxBlocks, r *sim.Record, c hca.SQRecord) bool {
	q := m.at(c.QPN)
	switch {
	case c.Op == hca.SQLocalDone && q.isOpen:
		q.q.Done(!c.Fail, &m.out)
		m.settle(q)
	case c.Op == hca.SQVerdict && q.isOpen: // from outside: to SQE, or of RC to error
		if q.q.SetSendError(&m.out); q.cfg.Service == ib.RC {
			q.q.SetError(&m.out)
		}
		m.settle(q)
	}
	if c.Op != hca.SQPost {
		return true
	}
	if c.Verb > roce.LocalInvalidate || !q.isOpen {
		return false
	}
	c.Flags &^= hca.SQFence // the machine has none
	r.Data = hca.AppendHcaTxOp(nil, hca.ToSendQueues, c.Append(nil))
	if b.State(c.QPN).Posted == hca.HcaTxQueueDepth {
		return true // the machine has room
	}
	w := roce.Work{ID: uint64(c.WQE), Verb: c.Verb, Signaled: c.Flags&hca.SQSignaled != 0, Len: c.Length, VA: c.VA,
		Solicited: c.Flags&hca.SQSolicited != 0, WithImm: c.Flags&hca.SQImmediate != 0,
		Invalidate: c.Flags&hca.SQInvalidate != 0, RKey: c.RKey, Imm: c.Imm, SwapAdd: c.SwapAdd, Compare: c.Compare}
	q.q.Post(w, &m.out)
	m.settle(q)
	return true
}

func (m *txMachines) lapse(ticks uint64) {
	m.ticks += ticks
	for _, q := range m.qps {
		for _, timer := range []roce.Timer{roce.Transport, roce.RNR} {
			if q.armed[timer] && q.due[timer] < m.ticks {
				q.armed[timer] = false
				q.q.Expire(timer, &m.out)
				m.settle(q)
			}
		}
	}
}

// compare holds what the blocks gave against the machines.
func (m *txMachines) compare(b *hca.HcaTxBlocks, why string) (again int) {
	t := m.t
	for i := range b.Ends {
		q, e := m.qps[b.Ends[i].QPN], &b.Ends[i]
		require.NotEmpty(t, q.ended, "%s: %+v", why, e)
		require.Equal(t, []any{q.ended[0].ID, q.ended[0].Status}, []any{uint64(e.WQE), e.Status}, why)
		q.ended = q.ended[1:]
	}
	for i := range b.Sent {
		s := &b.Sent[i]
		q, p := m.qps[s.QPN], s.Packet()
		require.NotEmpty(t, q.sent, "%s: %+v", why, p)
		e := &q.sent[0]
		k := &e.Packet
		q.sent = q.sent[1:]
		require.Equal(t, []any{k.Op, k.PSN, e.ID, e.Off, k.SE}, []any{p.Opcode, p.PSN, uint64(s.WQE.WQE), p.Offset,
			p.Solicited}, why)
		if s.WQE.Verb == roce.Read {
			require.Equal(t, []any{k.DMALen, k.VA}, []any{p.DMALength, p.VA + uint64(p.Offset)})
		} else {
			require.Equal(t, k.Len, uint32(p.Bytes))
		}
		if s.Again && s.Kind == roce.ReqLimited && q.cfg.Limited {
			again++ // one that is finished needs no answer to go on: tx_packetizer.md
		} else {
			require.Equal(t, k.AckReq, p.AckReq, "%s: %+v", why, p)
		}
		if s.Again {
			again++
		}
	}
	for i := range b.Local {
		q, w := m.qps[b.Local[i].QPN], &b.Local[i]
		require.NotEmpty(t, q.local, "%s: %+v", why, w)
		require.Equal(t, []any{q.local[0].Kind == roce.InvalidateKey, q.local[0].Packet.RKey},
			[]any{w.Verb == roce.LocalInvalidate, w.RKey}, why)
		q.local = q.local[1:]
	}
	for qpn, q := range m.qps {
		if len(q.local)+len(q.sent)+len(q.ended) > 0 {
			t.Fatalf("%s: QP %d: the machine has more: %d, %d, %d; blocks %+v, machine %+v", why, qpn, len(q.local), len(q.sent),
				len(q.ended), b.State(qpn), q.cfg)
		}
	}
	return again
}

// TestHcaTxAgainstTheMachine: the records of hca-tx have the blocks of hca_tx, joined, send what the requester of
// model/roce sends, and end as it ends it (PSN-4, PSN-5, PSN-7, CRD-2, TMR-2 to TMR-5, REQ-1 to REQ-9, REQ-11, REQ-12).
func TestHcaTxAgainstTheMachine(t *testing.T) {
	s, err := Lookup("hca-tx")
	require.NoError(t, err)
	b := hca.NewHcaTxBlocks(sim.Settings{"NumQps": 256})
	b.Prompt = true
	m := txMachines{t: t, qps: map[uint32]*txMachine{}}
	again := 0
	each(t, s, 3, 140*hcaTxLength, func(_ uint64, c *Case) {
		switch string(c.Why) {
		case "the end", "a PMTU that is none", "a service that is none", "post behind the end", "what is posted is flushed":
			return // the machine knows no half of a requester that is closed
		}
		r := sim.Record{Port: c.Port, Data: c.Frame}
		if strings.HasPrefix(string(c.Why), "foreign") || m.play(b, &r) { // of what is foreign nothing comes
			b.Take(&r)
		}
		for i := range b.Sent {
			b.Left(b.Sent[i].QPN, b.Sent[i].PSN)
		}
		again += m.compare(b, string(c.Why))
		b.Clear()
	})
	require.Greater(t, again, 5000)
}
