package flow_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// parents are captures in which nothing is wrong, with every kind of traffic and with losses.
var parents = []string{"rc_send_sizes", "rc_write_sizes", "rc_write_imm_sizes", "rc_read_sizes", "rc_atomics",
	"rc_mtu2048", "sx_drop_req_mid",
	"sx_rd_drop_mid", "sx_wrap_drop_ack", "rnr_t14", "to_t14_r3", "rc_v6_loss5", "sx_wrap_at_drop_ack", "rc_atomic_dup30"}

// someParents are every third of them; with -imperfect all.
func someParents() (some []string) {
	for n, parent := range parents {
		if *imperfect || n%3 == 0 {
			some = append(some, parent)
		}
	}
	return some
}

// place is where a wrong capture is looked at from.
type place string

const (
	endA   place = "A" // did wrong, with the sidecar
	endB   place = "B"
	onWire place = "wire" // without a sidecar
)

// kind is a way to make a capture wrong.
type kind struct {
	name string
	// change makes packet i wrong; false if it cannot be. The packet was sent by the end that is judged.
	change change
	own    unseen    // why the sender's own end cannot show a case
	wire   unseen    // why the wire cannot
	rule   roce.Rule // that a finding at the own end must cite; "" for any
}

type change func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool)

// unseen is the reason why a case cannot be seen, worked out from the capture without the checker; "" if it must be
// seen.
type unseen func(list []vectors.Frame, i int, w *wire.Packet) string

// never is a reason that holds for all cases of a kind; with "" there is none.
func never(why string) unseen { return func([]vectors.Frame, int, *wire.Packet) string { return why } }

var always = never("")

func isResponse(w *wire.Packet) bool { return w.Op != nil && w.Op.Response }
func isRequest(w *wire.Packet) bool  { return w.Op != nil && !w.Op.Response }
func isAck(w *wire.Packet) bool {
	return isResponse(w) && w.Op.Operation == ib.Ack && w.AETH().Syndrome().Kind() == ib.KindAck
}
func isNAK(w *wire.Packet) bool {
	return isResponse(w) && w.Op.Operation == ib.Ack && w.AETH().Syndrome() == ib.NAKSequence
}

// edit changes bytes of a copy of packet i and makes its ICRC right again.
func edit(list []vectors.Frame, i int, do func(w *wire.Packet)) []vectors.Frame {
	out := slices.Clone(list)
	out[i].Data = slices.Clone(out[i].Data)
	var w wire.Packet
	wire.Decode(out[i].Link, out[i].Data, &w)
	do(&w)
	wire.PutICRC(out[i].Data, &w.Location)
	return out
}

func addPSN(w *wire.Packet, n uint32) {
	b := w.BTH()[8:12]
	v := binary.BigEndian.Uint32(b)
	binary.BigEndian.PutUint32(b, v&0xFF000000|(v+n)&0xFFFFFF)
}

// renew gives a frame the look of one that was sent again: another IPv4 identification.
func renew(f vectors.Frame) vectors.Frame {
	f.Data = slices.Clone(f.Data)
	var w wire.Packet
	wire.Decode(f.Link, f.Data, &w)
	if ip := w.IPv4(); ip != nil {
		binary.BigEndian.PutUint16(ip[4:], ip.ID()+0x4000)
		fixChecksum(f.Data[w.Net:])
		wire.PutICRC(f.Data, &w.Location)
	}
	return f
}

func only(is func(*wire.Packet) bool, do func(w *wire.Packet)) func([]vectors.Frame, int,
	*wire.Packet) ([]vectors.Frame, bool) {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) {
			return nil, false
		}
		return edit(list, i, do), true
	}
}

// Reasons.
const (
	lostBefore   = "it may have been lost before the capture point"
	wayOrder     = "the way may have swapped them"
	notInCapture = "a request that the capture missed may have asked for it"
	fromBefore   = "where the count began is not known"
	notTold      = "nobody told what it should be"
	endedBefore  = "the capture may have ended before it was sent"
	otherFlow    = "another connection may have sent it"
)

// whole are the kinds that a capture which misses frames, or has some twice, looks like: they are certain where
// somebody said that it is whole. So does a refusal that is missing because another response stands in its place.
var whole = map[string]bool{"response dropped": true, "request dropped": true, "NAK missing": true,
	"response doubled": true,
	"request doubled":  true, "NAK repeated": true, "retransmission below T": true, "requests swapped": true,
	"responses swapped": true, "READ responses swapped": true, "RNR NAK repeated": true,
	"ACK turned into RNR NAK": true, "NAK 60h turned into an ACK": true, "RNR NAK turned into NAK 60h": true,
	"NAK as ATOMIC ACK": true}

var kinds = slices.Concat(firstKinds, moreKinds, fieldKinds)

var firstKinds = []kind{
	{"response dropped", drop(isResponse), unseenLast, never(lostBefore), ""},
	{"request dropped", drop(isRequest), unseenDrop, never(lostBefore), ""},
	{"response doubled", double(isResponse), always, never(notInCapture), ""},
	{"request doubled", double(isRequest), always, never("a response that the capture missed may have caused it"), ""},
	{"responses swapped", swap(isResponse), always, never(wayOrder), ""},
	{"READ responses swapped", swap(isRead), always, never(wayOrder), ""},
	{"requests swapped", swap(isRequest), always, never(wayOrder), ""},
	{"response PSN + 1", only(isResponse, func(w *wire.Packet) { addPSN(w, 1) }), always, unseenPSN, ""},
	{"response PSN + 800000h", only(isResponse, func(w *wire.Packet) { addPSN(w, 0x800000) }), always,
		never("it reads as one to what was asked long ago"), ""},
	{"ACK beyond what was sent", only(isAck, func(w *wire.Packet) { addPSN(w, 1000) }), always, always, ""},
	{"request PSN + 5", only(isRequest, func(w *wire.Packet) { addPSN(w, 5) }), always,
		never("those between may have been lost before the capture point"), ""},
	{"request PSN + 800000h", only(isRequest, func(w *wire.Packet) { addPSN(w, 0x800000) }), always,
		never("it reads as one that was sent long ago"), ""},
	{"MSN + 1", only(isAck, func(w *wire.Packet) { addMSN(w, 1) }), always, unseenMSN(1), ""},
	{"MSN - 1", only(isAck, func(w *wire.Packet) { addMSN(w, 0xFFFFFF) }), always, unseenMSN(-1), ""},
	{"READ response MSN + 1", only(func(w *wire.Packet) bool { return isRead(w) && w.AETH() != nil },
		func(w *wire.Packet) { addMSN(w, 1) }), always, unseenMSN(1), ""},
	{"syndrome reserved", only(isAck, func(w *wire.Packet) { w.AETH()[0] = 0x40 }), always, always, "OPC-2"},
	{"syndrome bit 7", only(isResponseWithAETH, func(w *wire.Packet) { w.AETH()[0] |= 0x80 }), always, always, ""},
	{"ACK turned into NAK 62h", only(isAck, func(w *wire.Packet) { w.AETH()[0] = 0x62 }), always,
		never("the key may have been wrong: nobody told"), ""},
	{"NAK 60h turned into 61h", only(isNAK, func(w *wire.Packet) { w.AETH()[0] = 0x61 }), always,
		never("the request may have been wrong behind the capture point"), ""},
	{"NAK PSN + 1", only(isNAK, func(w *wire.Packet) { addPSN(w, 1) }), always, never("that one may have been lost too"),
		""},
	{"RNR timer code", only(isRNR, func(w *wire.Packet) { w.AETH()[0] ^= 1 }), always, never(notTold), ""},
	{"credits", only(isAck, func(w *wire.Packet) { w.AETH()[0] = 5 }), always,
		never("credits are the responder's to give"), ""},
	{"READ payload", only(func(w *wire.Packet) bool { return isResponse(w) && len(w.Payload) > 0 },
		func(w *wire.Packet) { w.Payload[len(w.Payload)/2] ^= 1 }),
		always, never("nobody told what memory holds"), "RSP-7"},
	{"request payload", only(hasRequestPayload, func(w *wire.Packet) { w.Payload[len(w.Payload)/2] ^= 1 }), always,
		unseenPayload, ""},
	{"payload of a retry", func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !hasRequestPayload(w) || sentBefore(list, i, w) == 0 {
			return nil, false
		}
		return edit(list, i, func(w *wire.Packet) { w.Payload[0] ^= 0x80 }), true
	}, always, always, "REQ-5"},
	{"atomic with another value", only(func(w *wire.Packet) bool { return w.AtomicAckETH() != nil },
		func(w *wire.Packet) { w.AtomicAckETH()[7] ^= 1 }),
		always, unseenAtomic, ""},
	{"NAK repeated", repeatNAK, always, always, "RSP-2"},
	{"NAK missing", drop(isNAK), always, never(lostBefore), "RSP-2"},
	{"retransmission below T", early, always, never("how long T is nobody told"), ""},
	{"RNR retry after 20 us", hasty, unseenHasty, never("an RNR NAK before this one may have been lost"), "TMR-5"},
	{"one retry too many", oneRetryMore, always, never("how many there may be nobody told"), "TMR-3"},
	{"request Last as Middle", opcode(map[ib.Operation]ib.Operation{ib.SendLast: ib.SendMiddle,
		ib.WriteLast: ib.WriteMiddle}), always, always, ""},
	{"request Middle as Last", opcode(map[ib.Operation]ib.Operation{ib.SendMiddle: ib.SendLast,
		ib.WriteMiddle: ib.WriteLast}), always, always, ""},
	{"request First as Only", opcode(map[ib.Operation]ib.Operation{ib.SendFirst: ib.SendOnly,
		ib.WriteFirst: ib.WriteOnly}), always, always, ""},
	{"request Only as First", opcode(map[ib.Operation]ib.Operation{ib.SendOnly: ib.SendFirst,
		ib.WriteOnly: ib.WriteFirst}), always, always, ""},
	{"READ response First as Last", opcode(map[ib.Operation]ib.Operation{ib.ReadResponseFirst: ib.ReadResponseLast}),
		always, always, ""},
	{"READ response Last as First", opcode(map[ib.Operation]ib.Operation{ib.ReadResponseLast: ib.ReadResponseFirst}),
		always, always, ""},
	{"READ response Only as First", opcode(map[ib.Operation]ib.Operation{ib.ReadResponseOnly: ib.ReadResponseFirst}),
		always, always, ""},
	{"ACK as READ response Only", opcode(map[ib.Operation]ib.Operation{ib.Ack: ib.ReadResponseOnly}), always, always, ""},
	{"opcode unknown", only(isAny, func(w *wire.Packet) { w.BTH()[0] = 0x1F }), always, always, "OPC-1"},
	{"TVer 1", only(isAny, func(w *wire.Packet) { w.BTH()[1] |= 1 }), always, always, ""},
	{"pad + 1", only(func(w *wire.Packet) bool { return isAny(w) && len(w.Payload) > 1 && w.BTH().Pad() == 0 },
		func(w *wire.Packet) { w.BTH()[1] |= 0x10 }),
		always, unseenLength, ""},
	{"payload 4 bytes short", shorten, always, unseenLength, ""},
	{"DestQP", only(isAny, func(w *wire.Packet) { w.BTH()[6] ^= 0x40 }), always, never(otherFlow), "RSP-14"},
	{"AckReq clear", only(func(w *wire.Packet) bool { return isRequest(w) && w.BTH().AckReq() },
		func(w *wire.Packet) { w.BTH()[8] = 0 }), always, always, "RSP-13"},
	{"AckReq set", only(func(w *wire.Packet) bool { return isRequest(w) && !w.BTH().AckReq() },
		func(w *wire.Packet) { w.BTH()[8] = 0x80 }), always, always, "RSP-13"},
	{"response to another address", only(isResponse, func(w *wire.Packet) { setAddress(w, 16) }), always, never(otherFlow),
		"RSP-14"},
	{"response from another address", only(isResponse, func(w *wire.Packet) { setAddress(w, 12) }), always,
		never(otherFlow), "RSP-14"},
	{"address", only(hasAddress, func(w *wire.Packet) { w.Frame[w.Transport+12+6] ^= 8 }), always, unseenPayload, ""},
	{"R_Key", only(hasAddress, func(w *wire.Packet) { w.Frame[w.Transport+12+11] ^= 1 }), always, unseenPayload, ""},
	{"RETH length", only(func(w *wire.Packet) bool { return isRequest(w) && w.RETH() != nil },
		func(w *wire.Packet) { w.RETH()[14] ^= 1 }), always, unseenRETH, ""},
	{"immediate", only(func(w *wire.Packet) bool { return isRequest(w) && w.ImmDt() != nil },
		func(w *wire.Packet) { w.ImmDt()[0] ^= 1 }), always, unseenPayload, ""},
	{"atomic operand", only(func(w *wire.Packet) bool { return isRequest(w) && w.AtomicETH() != nil },
		func(w *wire.Packet) { w.AtomicETH()[19] ^= 1 }), always, unseenPayload, ""},
	{"IPv4 header checksum", func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if w.IPv4() == nil {
			return nil, false
		}
		return edit(list, i, func(w *wire.Packet) { w.IPv4()[10] ^= 0x11 }), true
	}, always, never("it may have been damaged on the way"), "FORM"},
	{"reserved bits of BTH byte 4", only(isAny, func(w *wire.Packet) { w.BTH()[4] |= 4 }), always,
		never("the way may change them"), "FORM"},
	{"reserved bits of BTH byte 8", only(isAny, func(w *wire.Packet) { w.BTH()[8] |= 0x10 }), always,
		never("receivers ignore them"), "FORM"},
	{"P_Key", only(isAny, func(w *wire.Packet) { w.BTH()[3] ^= 2 }), always, never(notTold), "ADM-5"},
	{"MSN stuck", only(func(w *wire.Packet) bool { return isAck(w) && w.AETH().MSN() > 1 },
		func(w *wire.Packet) { w.AETH()[1], w.AETH()[2], w.AETH()[3] = 0, 0, 0 }),
		always, unseenStuck, "RSP-11"},
	{"a message more than was posted", oneMessageMore, always, never(notTold), ""},
	{"ICRC", func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !isAny(w) {
			return nil, false
		}
		out := edit(list, i, func(*wire.Packet) {})
		out[i].Data[w.End-1] ^= 1
		return out, true
	}, always, never("it may have been damaged on the way"), ""},
}

// identified is a frame with the IPv4 identification of another: a device that sends in the wrong order numbers in that
// order.
func identified(data []byte, as vectors.Frame) []byte {
	data = slices.Clone(data)
	var w, other wire.Packet
	wire.Decode(as.Link, data, &w)
	wire.Decode(as.Link, as.Data, &other)
	if ip := w.IPv4(); ip != nil {
		binary.BigEndian.PutUint16(ip[4:], other.IPv4().ID())
		fixChecksum(data[w.Net:])
		wire.PutICRC(data, &w.Location)
	}
	return data
}

// share is how many cases of a kind there were at a place, and what became of them.
type share struct {
	made, found, visible, missed int // visible: by the reasons; missed: of visible, not found
	why                          map[string]int
	where                        []string // missed
}

// Wrong captures with right ICRCs are found wherever they can be seen; the parents are clean.
func TestWrongCapturesAreFound(t *testing.T) {
	dir := filepath.Dir(captureFiles(t)[0])
	shares := map[string]map[place]*share{}
	for _, k := range kinds {
		shares[k.name] = map[place]*share{endA: {why: map[string]int{}}, endB: {why: map[string]int{}},
			onWire: {why: map[string]int{}}}
	}
	for _, parent := range someParents() {
		for _, side := range []string{"a", "b"} {
			path := filepath.Join(dir, parent+"."+side+".pcap")
			list := frames(t, path)
			end := place(strings.ToUpper(side))
			opts := map[place]flow.Options{end: options(t, path, roce.Rxe, false), onWire: options(t, path, roce.Rxe, true)}
			for p, opt := range opts {
				r := judge(t, list, opt)
				require.Zero(t, r.Certain+r.Possible, "%s %s: %v", path, p, r.Violations)
			}
			own := opts[end].Sidecar.A.IP
			if end == endB {
				own = opts[end].Sidecar.B.IP
			}
			for _, k := range kinds {
				wrongOnes(t, &k, list, own, end, opts, shares[k.name], parent+"."+side)
			}
		}
	}
	var page strings.Builder
	page.WriteString("| wrong | at A | at B | wire | not visible there, because |\n|---|---|---|---|---|\n")
	for _, k := range kinds {
		s := shares[k.name]
		fmt.Fprintf(&page, "| %s |", k.name)
		for _, p := range []place{endA, endB, onWire} {
			fmt.Fprintf(&page, " %s |", s[p].text())
			if 100*(s[p].visible-s[p].missed) < 99*s[p].visible {
				t.Errorf("%s at %s: missed %d of %d: %s", k.name, p, s[p].missed, s[p].visible,
					strings.Join(s[p].where[:min(6, len(s[p].where))], ", "))
			}
		}
		if *imperfect && s[endA].made+s[endB].made == 0 {
			t.Errorf("%s: no parent has a packet for it", k.name)
		}
		fmt.Fprintf(&page, " %s |\n", reasons(s))
	}
	if *imperfect {
		compareSection(t, "wrong", page.String())
	}
}

// wrongOnes makes up to 24 captures of a kind wrong and looks at each from where it can be seen.
func wrongOnes(t *testing.T, k *kind, list []vectors.Frame, own string, end place, opts map[place]flow.Options,
	shares map[place]*share, name string) {
	for i, made := 0, 0; i < len(list) && made < 24; i++ {
		var w wire.Packet
		wire.Decode(list[i].Link, list[i].Data, &w)
		if w.Op == nil || w.ICRC() != wire.ICRCGood || !sentBy(&w, own) {
			continue
		}
		wrong, ok := k.change(list, i, &w)
		if !ok {
			continue
		}
		for n := range wrong {
			wrong[n].Number = uint64(n + 1)
		}
		made++
		for _, p := range []place{end, onWire} {
			why := k.own(list, i, &w)
			if p == onWire {
				why = k.wire(list, i, &w)
			}
			opt := opts[p]
			opt.Complete = whole[k.name]
			s, r := shares[p], judge(t, wrong, rescanned(t, opt, wrong))
			found := r.Certain > 0 || p == onWire && r.Possible > 0
			s.made++
			if found {
				s.found++
			}
			if why != "" {
				s.why[why]++
				continue
			}
			s.visible++
			if !found {
				s.missed++
				s.where = append(s.where, fmt.Sprintf("%s packet %d %v", name, i+1, evidences(r)))
			} else if p != onWire && k.rule != "" {
				if !slices.ContainsFunc(r.Violations, func(x flow.Finding) bool { return x.Rule == k.rule }) {
					t.Errorf("%s, %s packet %d: %v", k.name, name, i+1, r.Violations)
				}
			}
		}
	}
}

// evidences are why findings are possible only.
func evidences(r *flow.Report) (all []string) {
	for _, x := range r.Violations {
		all = append(all, string(x.Rule)+" "+x.Evidence)
	}
	return all
}

func (s *share) text() string {
	if s.made == 0 {
		return "-"
	}
	if s.visible == s.made {
		return fmt.Sprintf("%d of %d", s.found, s.made)
	}
	return fmt.Sprintf("%d of %d, visible %d", s.found, s.made, s.visible)
}

// reasons lists the places' reasons.
func reasons(shares map[place]*share) string {
	var list []string
	for _, p := range []place{endA, endB, onWire} {
		for _, why := range slices.Sorted(maps.Keys(shares[p].why)) {
			list = append(list, fmt.Sprintf("%s: %s", p, why))
		}
	}
	return strings.Join(list, "; ")
}

func sentBy(w *wire.Packet, ip string) bool {
	return w.IPv4() != nil && fmt.Sprintf("%d.%d.%d.%d", w.IPv4().Src()[0], w.IPv4().Src()[1], w.IPv4().Src()[2],
		w.IPv4().Src()[3]) == ip ||
		w.IPv6() != nil && strings.HasSuffix(ip, fmt.Sprintf("::%x", w.IPv6().Src()[15]))
}
