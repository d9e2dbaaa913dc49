package cover

import (
	"fmt"
	"strings"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// The sheet of the requester as far as it is joined: hca_tx. Its order between queue pairs is the device's choice, so
// the sheet follows the inputs, as the judge does.
func init() { declarations["hca_tx"] = declareJoined }

func declareJoined(o *Observer, s sim.Settings) {
	names, places := Axis{}, map[ib.Opcode]int{}
	for i, op := range txOpcodes {
		places[op] = i
		names = append(names, ib.Lookup(op).Name)
	}
	opcodes := o.cross("rule: opcode x again", joinedOpcode, names, txAgains)
	orders := o.cross("rule: cause x order", func(at []int, b *Bin) {
		b.Rules = [...][]string{nil, {"REQ-4"}, {"REQ-4", "TMR-4"}, {"REQ-3"}, {"REQ-4"}, {"TMR-1", "TMR-3"}, {"TMR-5"},
			{"REQ-12"}}[at[0]]
		if !retryHasOrder(at[0], at[1]) {
			b.Ignored = unwaited + "the order seldom comes with this cause"
		}
	}, retryKinds[:8], Axis{"none", "go back", "wait", "go on", "fail"})
	whys := o.cross("rule: why nothing is done", func(at []int, b *Bin) {
		b.Rules = [...][]string{nil, {"RSP-15"}, {"TMR-2"}, {"TMR-5"}, {"TMR-3"}, nil}[at[0]]
		if at[0] == int(hca.RetryStale) || at[0] == int(hca.RetryIsOpen) {
			b.Ignored = "inputs of this scenario do not cross expiries"
		}
	}, Axis{"done", "no QP", "late expiry", "in a wait", "in a retry", "open already"})
	ends := o.cross("rule: status x verb", joinedEnd,
		Axis{"success", "invalid request", "access", "operation", "retry exceeded", "RNR exceeded", "flushed", "7",
			"bad response", "length", "memory error"},
		Axis{"0", "SEND", "WRITE", "READ", "CMP&SWAP", "FETCH&ADD", "ATOMIC WRITE", "FLUSH", "bind", "local invalidate"})
	left := o.cross("packets that an input leads to", nil, howMany)
	local := o.cross("rule: local work that begins", func(_ []int, b *Bin) { b.Rules = []string{"REQ-14"} },
		Axis{"bind", "local invalidate"})
	blocks := hca.NewHcaTxBlocks(s)
	blocks.Heard = func(a *hca.RetryAnswer) {
		o.hit(whys, int(a.Why))
		if a.Why == hca.RetryTaken && a.Op != hca.RetrySent {
			o.hit(orders, int(a.Cause), int(a.Order))
		}
	}
	o.restart = append(o.restart, blocks.Reset)
	o.asks = func(in *sim.Record) bool {
		blocks.Take(in)
		o.hit(left, manyOf(uint8(min(len(blocks.Sent), 255))))
		for i := range blocks.Sent {
			o.hit(opcodes, places[blocks.Sent[i].Opcode], bit(blocks.Sent[i].Again))
			blocks.Left(blocks.Sent[i].QPN, blocks.Sent[i].PSN)
		}
		for i := range blocks.Ends {
			if e := &blocks.Ends[i]; e.Verb <= roce.LocalInvalidate && e.Status <= roce.MemoryError {
				o.hit(ends, int(e.Status), int(e.Verb))
			}
		}
		for i := range blocks.Local {
			o.hit(local, bit(blocks.Local[i].Verb == roce.LocalInvalidate))
		}
		blocks.Clear()
		return false
	}
}

// joinedEnd is how a WQE ends.
func joinedEnd(at []int, b *Bin) {
	if b.Rules = []string{"REQ-1", "REQ-11"}; at[0] != int(roce.MemoryError) {
		return
	}
	if b.Rules = []string{"DMA-5"}; !roce.Verb(at[1]).Atomic() && at[1] != int(roce.Read) {
		b.Illegal = "its answer brings nothing"
	}
}

// joinedOpcode is an opcode that leaves, first or again.
func joinedOpcode(at []int, b *Bin) {
	b.Rules = []string{"OPC-1", "REQ-5", "PSN-7"}
	if txOpcodes[at[0]] < txOpcodes[19] {
		return
	}
	b.Rules = []string{"OPC-1", "REQ-13"}
	if at[1] == 1 {
		b.Illegal = "UC and UD send nothing again"
	}
}

// joinedIgnored says why nobody waits for a bit of a record of hca_tx.
func joinedIgnored(port, name string, value int) string {
	if port == "s_op" && strings.HasPrefix(name, "data[") {
		return unwaited + "the sheets of the blocks have their operations"
	}
	most := map[string]int{"qpn": 5, "dma_length": 13, "length": 13, "bytes": 11, "offset": 13, "entries": 1, "opcode": 7,
		"payload": 11, "number": 8, "wqe": 24, "slot": 3}
	switch port {
	case "s_resp":
		most["opcode"] = 5
	case "m_local":
		if value == 1 && (strings.HasPrefix(name, "verb[1]") || strings.HasPrefix(name, "verb[2]")) {
			return "bind and local invalidate: 8 and 9"
		}
	}
	field, at := "", 0
	if i := strings.IndexByte(name, '['); i > 0 {
		field = name[:i]
		if _, err := fmt.Sscanf(name[i:], "[%d]", &at); err != nil {
			return ""
		}
	}
	if n, ok := most[field]; ok && at >= n && port != "s_op" {
		return unwaited + "the default scenario has eight QPs, short messages and one piece of memory each"
	}
	return ""
}
