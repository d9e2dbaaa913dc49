package flow_test

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// acceptance is a way to make a request one that must not be taken. The capture then shows a device that took it.
type acceptance struct {
	name  string
	rules []roce.Rule // of which a finding must name one
	do    func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool)
}

func isAtomic(w *wire.Packet) bool { return isRequest(w) && w.AtomicETH() != nil }
func isReadRequest(w *wire.Packet) bool {
	return isRequest(w) && w.Op.Operation == ib.ReadRequest && w.RETH().DMALen() > 0
}
func isWriteStart(w *wire.Packet) bool {
	return isRequest(w) && w.RETH() != nil && w.Op.Operation != ib.ReadRequest && len(w.Payload) > 0
}

// touches: no key is looked at for length 0.
func touches(w *wire.Packet) bool {
	return hasAddress(w) && (w.RETH() == nil || w.RETH().DMALen() > 0)
}
func isWhole(w *wire.Packet) bool { // First or Middle of a message
	return isRequest(w) && len(w.Payload) > 0 && !endsMessage(w)
}

// isWriteOnly: of a longer message it is the Last that does not fit.
func isWriteOnly(w *wire.Packet) bool { return isWriteStart(w) && endsMessage(w) }

// ext is the first byte behind the BTH.
func ext(w *wire.Packet) []byte { return w.Frame[w.Transport+12:] }

var acceptances = []acceptance{
	{"bad ICRC", []roce.Rule{"ICRC-4", "ICRC-5"}, func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame,
		bool) {
		out := edit(list, i, func(*wire.Packet) {})
		out[i].Data[w.End-1] ^= 0x10
		return out, isRequest(w)
	}},
	{"payload damaged, ICRC as it was", []roce.Rule{"ICRC-4", "ICRC-5"}, func(list []vectors.Frame, i int,
		w *wire.Packet) ([]vectors.Frame, bool) {
		if !hasRequestPayload(w) {
			return nil, false
		}
		out := slices.Clone(list)
		out[i].Data = slices.Clone(out[i].Data)
		out[i].Data[w.End-icrcLen-1] ^= 1
		return out, true
	}},
	{"R_Key unknown", []roce.Rule{"RSP-1"}, only(touches, func(w *wire.Packet) { ext(w)[9] ^= 0x55 })},
	{"address below the region", []roce.Rule{"RSP-1"}, only(touches, func(w *wire.Packet) { ext(w)[4] ^= 0x80 })},
	{"address beyond the region", []roce.Rule{"RSP-1"}, only(touches, func(w *wire.Packet) { ext(w)[0] |= 0x40 })},
	{"atomic misaligned", []roce.Rule{"RSP-12"}, only(isAtomic, func(w *wire.Packet) { ext(w)[7] ^= 4 })},
	{"READ over 2^31 bytes", []roce.Rule{"LEN-1", "RSP-1"}, only(isReadRequest,
		func(w *wire.Packet) { w.RETH()[12] |= 0x90 })},
	{"WRITE over 2^31 bytes", []roce.Rule{"LEN-1", "RSP-1"}, only(isWriteStart,
		func(w *wire.Packet) { w.RETH()[12] |= 0x90 })},
	{"WRITE shorter than its RETH says", []roce.Rule{"LEN-1"},
		only(isWriteOnly, func(w *wire.Packet) { w.RETH()[15] += 4 })},
	{"pad inside a message", []roce.Rule{"LEN-1", "RSP-1"}, only(isWhole, func(w *wire.Packet) { w.BTH()[1] |= 0x20 })},
	{"First or Middle shorter than the PMTU", []roce.Rule{"LEN-1"}, func(list []vectors.Frame, i int,
		w *wire.Packet) ([]vectors.Frame, bool) {
		if !isWhole(w) {
			return nil, false
		}
		return shorten(list, i, w)
	}},
	{"Middle without First", []roce.Rule{"RSP-1"}, opcode(map[ib.Operation]ib.Operation{ib.SendOnly: ib.SendMiddle,
		ib.WriteOnly: ib.WriteMiddle})},
	{"First inside a message", []roce.Rule{"RSP-1"}, opcode(map[ib.Operation]ib.Operation{ib.SendMiddle: ib.SendFirst})},
	{"another verb inside a message", []roce.Rule{"RSP-1"},
		opcode(map[ib.Operation]ib.Operation{ib.SendMiddle: ib.WriteMiddle, ib.WriteMiddle: ib.SendMiddle})},
	{"opcode unknown", []roce.Rule{"ADM-3", "OPC-1"}, only(isRequest, func(w *wire.Packet) { w.BTH()[0] = 0x1F })},
	{"opcode of another service", []roce.Rule{"ADM-3", "OPC-1"},
		only(isRequest, func(w *wire.Packet) { w.BTH()[0] |= 0x20 })},
	{"TVer 1", []roce.Rule{"ADM-2"}, only(isRequest, func(w *wire.Packet) { w.BTH()[1] |= 1 })},
	{"pad beyond the payload", []roce.Rule{"LEN-1", "ADM-2"}, only(func(w *wire.Packet) bool {
		return isRequest(w) &&
			len(w.Payload) == 0 && w.BTH().Pad() == 0
	},
		func(w *wire.Packet) { w.BTH()[1] |= 0x30 })},
	{"another partition", []roce.Rule{"ADM-5"}, only(isRequest,
		func(w *wire.Packet) { binary.BigEndian.PutUint16(w.BTH()[2:], 0x8123) })},
	{"for another QP", []roce.Rule{"ADM-3"}, only(isRequest, func(w *wire.Packet) { w.BTH()[6] ^= 0x40 })},
	{"from another address", []roce.Rule{"ADM-4"}, only(isRequest, func(w *wire.Packet) { setAddress(w, 12) })},
	{"for another address", []roce.Rule{"ADM-1"}, only(isRequest, func(w *wire.Packet) { setAddress(w, 16) })},
	{"for another MAC", []roce.Rule{"ADM-1"}, only(isRequest, func(w *wire.Packet) { w.Frame[5] ^= 0x40 })},
	{"IPv4 header checksum", []roce.Rule{"ADM-1"}, only(func(w *wire.Packet) bool {
		return isRequest(w) &&
			w.IPv4() != nil
	}, func(w *wire.Packet) { w.IPv4()[10] ^= 1 })},
	{"behind a gap", []roce.Rule{"RSP-2"}, drop(isWhole)}, // what came next has its number
}

const icrcLen = 4

// takers are captures in which B takes every request at once.
var takers = []string{"rc_send_sizes", "rc_write_sizes", "rc_write_imm_sizes", "rc_read_sizes", "rc_atomics",
	"rc_mtu2048", "rc_mtu4096", "rc_send_imm_sizes"}

// A receiver that takes what it must not take is found, and the finding names the packet and the rule: the table in
// docs/generated/check-accepted.md.
func TestWrongAcceptance(t *testing.T) {
	dir := filepath.Dir(captureFiles(t)[0])
	var page strings.Builder
	page.WriteString("# `cosim check` where a receiver accepts what it must not\n\nEach request of clean captures in " +
		"turn was made one that must be refused " +
		"or dropped; the device answers as before\n(`go test ./cocosim/flow -run WrongAcceptance`). At the receiver's end, " +
		"with its sidecar, in profile rxe.\n\n" +
		"| accepted | captures | certain | first finding names packet and rule | certain findings, most in one capture " +
		"|\n|---|---|---|---|---|\n")
	all, right := 0, 0
	for _, a := range acceptances {
		made, certain, named, most := 0, 0, 0, uint64(0)
		var missed []string
		for _, parent := range takers {
			path := filepath.Join(dir, parent+".b.pcap")
			list, opt := frames(t, path), options(t, path, roce.Rxe, false)
			for i, n := 0, 0; i < len(list) && n < 12; i++ {
				var w wire.Packet
				wire.Decode(list[i].Link, list[i].Data, &w)
				if !sentBy(&w, opt.Sidecar.A.IP) || !isRequest(&w) {
					continue
				}
				wrong, ok := a.do(list, i, &w)
				if !ok {
					continue
				}
				made, n = made+1, n+1
				opt.Complete = a.name == "behind a gap" // by a frame that is not there
				r := judge(t, numbered(wrong), rescanned(t, opt, wrong))
				most = max(most, r.Certain)
				if r.Certain > 0 {
					certain++
				}
				if names(r, i+1, a.rules) {
					named++
				} else {
					missed = append(missed, fmt.Sprintf("%s.b packet %d: %v", parent, i+1, r.Violations[:min(2, len(r.Violations))]))
				}
			}
		}
		all, right = all+made, right+named
		fmt.Fprintf(&page, "| %s | %d | %d | %d | %d |\n", a.name, made, certain, named, most)
		if made == 0 {
			t.Errorf("%s: no capture has a packet for it", a.name)
		}
		if len(missed) > 0 {
			t.Logf("%s: %d of %d not named: %s", a.name, len(missed), made, strings.Join(missed[:min(3, len(missed))], "; "))
		}
	}
	fmt.Fprintf(&page, "\nIn all %d of %d findings name both.\n", right, all)
	if 100*right < 99*all {
		t.Errorf("%d of %d name packet and rule", right, all)
	}
	compareGenerated(t, "check-accepted.md", page.String())
}

// names reports whether the first finding is certain and names a packet and one of the rules.
func names(r *flow.Report, packet int, rules []roce.Rule) bool {
	if len(r.Violations) == 0 {
		return false
	}
	x := slices.MinFunc(r.Violations, func(a, b flow.Finding) int { return int(a.Packet) - int(b.Packet) })
	return x.Certain() && slices.Contains(rules, x.Rule) && strings.Contains(x.Text, fmt.Sprintf("packet %d,", packet))
}
