package flow_test

import (
	"encoding/binary"
	"fmt"
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
var parents = []string{"rc_send_sizes", "rc_write_sizes", "rc_write_imm_sizes", "rc_read_sizes", "rc_atomics", "rc_mtu2048", "sx_drop_req_mid",
	"sx_rd_drop_mid", "sx_wrap_drop_ack", "rnr_t14", "to_t14_r3", "rc_v6_loss5", "sx_wrap_at_drop_ack", "rc_atomic_dup30"}

// place is where a wrong capture is looked at from.
type place string

const (
	ownEnd  place = "own end"  // of who did wrong, with the sidecar
	peerEnd place = "peer end" // of the other, with the sidecar: an oddity, not its violation
	onWire  place = "wire"     // without a sidecar
)

// kind is a way to make a capture wrong.
type kind struct {
	name string
	// change makes packet i wrong; false if it cannot be. The packet was sent by the end that is judged.
	change func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool)
	// wire is the reason why the wire does not show it; "" where it must.
	wire string
	own  string    // the same at the own end
	rule roce.Rule // that a finding at the own end must cite; "" for any
}

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
		sum := uint32(ip.Checksum()) - 0x4000
		if sum > 0xFFFF {
			sum--
		}
		binary.BigEndian.PutUint16(ip[10:], uint16(sum))
		wire.PutICRC(f.Data, &w.Location)
	}
	return f
}

func only(is func(*wire.Packet) bool, do func(w *wire.Packet)) func([]vectors.Frame, int, *wire.Packet) ([]vectors.Frame, bool) {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) {
			return nil, false
		}
		return edit(list, i, do), true
	}
}

var kinds = []kind{
	{"response dropped", drop(isResponse), "it may have been lost before the capture point", "", ""},
	{"request dropped", drop(isRequest), "it may have been lost before the capture point",
		"the last before a retry or the end may as well not have been sent", ""},
	{"response doubled", double(isResponse), "a duplicate request that was not seen may have asked for it", "", ""},
	{"request doubled", double(isRequest), "a response that the requester missed may have caused it", "", ""},
	{"responses swapped", swap(isResponse), "the way may have swapped them", "", ""},
	{"requests swapped", swap(isRequest), "the way may have swapped them", "the same", ""},
	{"response PSN + 1", only(isResponse, func(w *wire.Packet) { addPSN(w, 1) }), "another response may have had it, and been lost", "", ""},
	{"ACK beyond what was sent", only(isAck, func(w *wire.Packet) { addPSN(w, 1000) }), "", "", ""},
	{"request PSN + 5", only(isRequest, func(w *wire.Packet) { addPSN(w, 5) }), "those between may have been lost before the capture point", "", ""},
	{"MSN + 1", only(isAck, func(w *wire.Packet) { w.AETH()[3]++ }), "a request that is on its way may have raised it", "", ""},
	{"syndrome reserved", only(isAck, func(w *wire.Packet) { w.AETH()[0] = 0x40 }), "", "", ""},
	{"ACK turned into NAK 62h", only(isAck, func(w *wire.Packet) { w.AETH()[0] = 0x62 }), "the key may have been wrong: nobody told", "", ""},
	{"READ payload", only(func(w *wire.Packet) bool { return isResponse(w) && len(w.Payload) > 0 }, func(w *wire.Packet) { w.Payload[len(w.Payload)/2] ^= 1 }),
		"nobody told what memory holds", "", "RSP-7"},
	{"request payload", only(func(w *wire.Packet) bool { return isRequest(w) && len(w.Payload) > 0 }, func(w *wire.Packet) { w.Payload[len(w.Payload)/2] ^= 1 }),
		"nobody told what was to be sent; seen where it is sent twice", "", ""},
	{"atomic with another value", only(func(w *wire.Packet) bool { return w.AtomicAckETH() != nil }, func(w *wire.Packet) { w.AtomicAckETH()[7] ^= 1 }),
		"nobody told what memory holds; seen where it is answered twice", "", ""},
	{"NAK repeated", func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !isNAK(w) {
			return nil, false
		}
		again := renew(list[i])
		again.TimeNS += 1000
		return slices.Insert(slices.Clone(list), i+1, again), true
	}, "", "", "RSP-2"},
	{"NAK missing", drop(isNAK), "it may have been lost before the capture point", "", "RSP-2"},
	{"retransmission below T", func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !isRequest(w) {
			return nil, false
		}
		// Sent again 300 us after the first time, with no word from the peer between.
		again := renew(list[i])
		again.TimeNS += 300_000
		return slices.Insert(slices.Clone(list), i+1, again), true
	}, "how long T is nobody told", "", ""},
}

func drop(is func(*wire.Packet) bool) func([]vectors.Frame, int, *wire.Packet) ([]vectors.Frame, bool) {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) {
			return nil, false
		}
		return slices.Delete(slices.Clone(list), i, i+1), true
	}
}

func double(is func(*wire.Packet) bool) func([]vectors.Frame, int, *wire.Packet) ([]vectors.Frame, bool) {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) {
			return nil, false
		}
		return slices.Insert(slices.Clone(list), i+1, renew(list[i])), true
	}
}

// swap exchanges a packet with the next of its kind and direction, if that stands right behind it and differs.
func swap(is func(*wire.Packet) bool) func([]vectors.Frame, int, *wire.Packet) ([]vectors.Frame, bool) {
	return func(list []vectors.Frame, i int, w *wire.Packet) ([]vectors.Frame, bool) {
		if !is(w) || i+1 >= len(list) {
			return nil, false
		}
		var next wire.Packet
		wire.Decode(list[i+1].Link, list[i+1].Data, &next)
		if !is(&next) || string(next.Ethernet().Src()) != string(w.Ethernet().Src()) || next.BTH().PSN() == w.BTH().PSN() {
			return nil, false
		}
		out := slices.Clone(list)
		out[i].Data, out[i+1].Data = out[i+1].Data, out[i].Data
		return out, true
	}
}

// Wrong captures with right ICRCs are found, at the end that did wrong nearly all; the parents are clean.
func TestWrongCapturesAreFound(t *testing.T) {
	dir := filepath.Dir(captureFiles(t)[0])
	type share struct{ made, found int }
	shares := map[string]map[place]*share{}
	missed := map[string][]string{}
	for _, parent := range parents {
		for _, side := range []string{"a", "b"} {
			path := filepath.Join(dir, parent+"."+side+".pcap")
			list := frames(t, path)
			opts := map[place]flow.Options{ownEnd: options(t, path, roce.Rxe, false), onWire: options(t, path, roce.Rxe, true)}
			clean := map[place]uint64{}
			for p, opt := range opts {
				r := judge(t, list, opt)
				clean[p] = r.Certain + r.Possible
				require.Zero(t, clean[p], "%s %s: %v", path, p, r.Violations)
			}
			own := opts[ownEnd].Sidecar.A.IP
			if side == "b" {
				own = opts[ownEnd].Sidecar.B.IP
			}
			for _, k := range kinds {
				for i, made := 0, 0; i < len(list) && made < 24; i++ {
					var w wire.Packet
					wire.Decode(list[i].Link, list[i].Data, &w)
					if w.Op == nil || w.ICRC() != wire.ICRCGood {
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
					places := []place{peerEnd, onWire}
					if sentBy(&w, own) {
						places = []place{ownEnd, onWire}
					}
					for _, p := range places {
						opt := opts[ownEnd]
						if p == onWire {
							opt = opts[onWire]
						}
						r := judge(t, wrong, opt)
						found := r.Certain+r.Possible > 0
						if shares[k.name] == nil {
							shares[k.name] = map[place]*share{ownEnd: {}, peerEnd: {}, onWire: {}}
						}
						s := shares[k.name][p]
						s.made++
						if found {
							s.found++
							if p == ownEnd && k.rule != "" {
								require.True(t, slices.ContainsFunc(r.Violations, func(x flow.Finding) bool { return x.Rule == k.rule }),
									"%s, %s.%s packet %d: %v", k.name, parent, side, i+1, r.Violations)
							}
						} else if p == ownEnd {
							missed[k.name] = append(missed[k.name], fmt.Sprintf("%s.%s packet %d", parent, side, i+1))
						}
					}
				}
			}
		}
	}
	var page strings.Builder
	for _, k := range kinds {
		s := shares[k.name]
		if !assertMade(t, k.name, s != nil) {
			continue
		}
		fmt.Fprintf(&page, "%-28s own end %3d of %3d   wire %3d of %3d   %s\n", k.name, s[ownEnd].found, s[ownEnd].made, s[onWire].found, s[onWire].made, k.wire)
		if len(missed[k.name]) > 0 {
			fmt.Fprintf(&page, "    missed: %s\n", strings.Join(missed[k.name][:min(6, len(missed[k.name]))], ", "))
		}
	}
	t.Logf("\n%s", page.String())
	for _, k := range kinds {
		s := shares[k.name]
		if k.own == "" {
			require.GreaterOrEqual(t, 100*s[ownEnd].found, 99*s[ownEnd].made, "%s at the own end", k.name)
		}
		if k.wire == "" {
			require.GreaterOrEqual(t, 100*s[onWire].found, 99*s[onWire].made, "%s on the wire", k.name)
		}
	}
}

func assertMade(t *testing.T, name string, made bool) bool {
	if !made {
		t.Errorf("%s: no parent has a packet for it", name)
	}
	return made
}

func sentBy(w *wire.Packet, ip string) bool {
	return w.IPv4() != nil && fmt.Sprintf("%d.%d.%d.%d", w.IPv4().Src()[0], w.IPv4().Src()[1], w.IPv4().Src()[2], w.IPv4().Src()[3]) == ip ||
		w.IPv6() != nil && strings.HasSuffix(ip, fmt.Sprintf("::%x", w.IPv6().Src()[15]))
}
