package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// hcaRxEnds are what frames come to in hca-rx, and how often at least.
var hcaRxEnds = map[string]int{
	"gate 0": 4000, "gate 2": 30, "gate 3": 100, "gate 4": 200, "placed": 1000,
	"answer": 1000, "class 0": 500, "class 1": 2000, "class 2": 500, "class 3": 500,
	"verdict 0": 1000, "verdict 1": 50, "verdict 2": 50, "verdict 3": 50,
	"wqe of SEND": 800, "wqe of WRITE": 100, "address": 800, "behind the start of SEND": 250,
	"behind the start of WRITE": 250, "invalidate": 80, "why c": 20,
	"why e": 20, "why g": 5, "why k": 5, "why m": 5, "why n": 2, "why s": 100,
	"to a QP that has failed": 10, "datagram": 110, "datagram: another Q_Key": 32,
	"datagram: more than a packet holds": 10, "why q": 32, "why r": 10, "a READ again, its key may be closed": 20,
	"dropped d": 100, "dropped e": 15, "dropped f": 15, "dropped g": 2, "dropped h": 5,
	"dropped i": 5, "dropped k": 5, "without a right": 30,
	"the rest of a WRITE, its key allows less": 10, "a READ of a KiB, or four": 5, "to where PSNs carry": 30,
	"a second READ that memory fails": 10, "a READ beyond those that nobody hears of": 8,
	"an atomic again, behind another's that memory fails": 15,
	"end 0": 1000, "end 1": 50, "end 2": 3, "end 3": 10, "end 4": 1, "m_rd": 3000, "m_ard": 900, "m_awr": 400,
}

// TestHcaRxReachesEverything plays hca-rx to the model: every end that a frame can come to here occurs (ADM-1 to ADM-6,
// RSP-1, RSP-2, RSP-5, RSP-10, RSP-13, DMA-3 as far as a model shows it).
func TestHcaRxReachesEverything(t *testing.T) {
	s, err := Lookup("hca-rx")
	require.NoError(t, err)
	spec, ok := hca.Lookup("hca_rx")
	require.True(t, ok)
	stage, seen := spec.New(sim.Settings{}), map[string]int{}
	each(t, s, 1, s.Count, func(i uint64, c *Case) {
		in := sim.Record{Start: c.NotBefore, End: c.NotBefore, Seq: i, Port: c.Port, User: uint32(c.Link), Data: c.Frame}
		if c.HasUser {
			in.User = c.User
		}
		for _, r := range stage.Advance(c.NotBefore, []sim.Record{in}, nil) {
			switch spec.Ports[r.Port].Name {
			case "m_gate":
				seen["gate "+string(rune('0'+r.Data[0]&7))]++
			case "m_rec":
				class, dropped := r.Data[6]&7, r.Data[6]>>3&15
				seen["class "+string(rune('0'+class))]++
				seen["dropped "+string(rune('a'+dropped))]++
				if class == 1 {
					countDestination(seen, c, r.Data)
					seen["verdict "+string(rune('0'+r.Data[6]>>7|r.Data[7]&3<<1))]++
					seen["why "+string(rune('a'+r.Data[7]>>2&31))]++
					seen[string(c.Why)]++
				}
			case "m_mem":
				seen["placed"]++
			case "m_end":
				seen["end "+string(rune('0'+r.Data[9]&7))]++
			case "m_rd", "m_ard", "m_awr":
				seen[spec.Ports[r.Port].Name]++
			case "m_axis":
				seen["answer"]++
				require.Equal(t, uint32(1), r.User&3)
				link := hca.SidebandLink(12, r.User)
				require.Equal(t, r.User, hca.Sideband(12, link, r.Data), "an answer that our own receiver takes")
				seen["answer over "+wire.Encap(r.User>>4&7).String()]++
			}
		}
	})
	t.Log(seen)
	for what, least := range hcaRxEnds {
		if what != "why b" {
			require.GreaterOrEqual(t, seen[what], least, what)
		}
	}
	for e := wire.EncapRoCEv1; e <= wire.EncapIBGlobal; e++ {
		require.GreaterOrEqual(t, seen["answer over "+e.String()], 50, e.String())
	}
}

// countDestination counts where an executed request of a record of m_rec goes.
func countDestination(seen map[string]int, c *Case, data []byte) {
	verdict := data[6]>>7 | data[7]&3<<1
	var p wire.Packet
	wire.Decode(c.Link, c.Frame, &p)
	if verdict != 0 || p.Op == nil {
		return
	}
	verb, shape := "WRITE", p.Op.Opcode.Shape()
	if shape.Verb == roce.Send {
		verb = "SEND"
	}
	zero := func(from, to int) bool { // of bits that begin in the middle of a byte
		n := data[from] >> 4
		for i := from + 1; i < to; i++ {
			n |= data[i]
		}
		return n|data[to]&15 == 0
	}
	for name, is := range map[string]bool{"address": !zero(8, 16), "behind the start of " + verb: !zero(16, 20),
		"wqe of " + verb: !zero(20, 24), "invalidate": shape.Inv} {
		if is {
			seen[name]++
		}
	}
}
