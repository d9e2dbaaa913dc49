package roce_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// The addresses of hca_top and of its peers.
var (
	topMAC, topPeerMAC = [6]byte{2, 0, 0, 0, 0, 1}, [6]byte{2, 0, 0, 0, 0, 2}
	topOwn, topPeer    = wire.FromIPv4(10, 0, 0, 1), wire.FromIPv4(10, 0, 0, 2)
)

const (
	topPeerQPN   = 0x100 // behind it, by lane
	topBeat      = 32    // bytes of a beat: topSize
	topStepC     = 256
	topQuietC    = 2000 // without a record nothing more comes: so long take turns of all lanes in which nothing leaves
	topAnswerC   = 20   // memory answers behind so many
	topLanes     = 48
	topRegisterC = 12 // between two writes of registers
)

// topHost drives hca_top: software, host memory and the peers' links. Each queue pair is a lane, with a path of its
// own: its keys lead to a part of memory of its own.
type topHost struct {
	t      *testing.T
	x      *explorer
	device cocosim.Device
	ports  map[string]sim.Port
	seq    map[sim.Port]uint64
	offers sim.Offers
	out    sim.Batch
	cycle  uint64
	access uint64 // the cycle in which software may write next
	quiet  uint64 // the last cycle in which something came
	lanes  [topLanes + 1]topLane
	writes []hca.DMAWrite
	data   [][]byte
	// what READs and atomics bring
	places    []hca.DMAWrite
	placeData [][]byte

	wrong string
	// expires: time is to pass
	expires bool
}

// topLane is what a queue pair has done since its path's last step.
type topLane struct {
	counter uint64 // the word that atomics are done on
	frames  []roce.Packet
	bodies  [][]byte
	writes  []topWrite
	ends    []hca.DMARecord
	// of what it sends
	sendEnds []hca.SQCQE
}

// topWrite is a write of host memory.
type topWrite struct {
	address uint64
	data    []byte
}

// reset begins anew: the device knows nothing.
func (h *topHost) reset() {
	require.NoError(h.t, h.device.Reset(context.Background(), cocosim.Config{Seed: 1, StateSeed: 1, Unpaced: true,
		Inputs: map[string]uint64{"cycles_per_tick_i": 65535, "tick_step_i": 1, "retry7_forever_i": 0}}))
	h.ports, h.seq = map[string]sim.Port{}, map[sim.Port]uint64{}
	for i, p := range h.device.Ports() {
		h.ports[p.Name] = sim.Port(i)
	}
	h.cycle, h.access, h.quiet, h.lanes, h.writes, h.data = 0, 0, 0, [topLanes + 1]topLane{}, nil, nil
	h.places, h.placeData = nil, nil
	h.offers.Reset()
	h.command(hca.QPCommandMAC, binary.BigEndian.Uint32(topMAC[2:]), uint32(topMAC[0])<<8|uint32(topMAC[1]))
	own := topWords(hca.Address(topOwn[:]))
	h.command(hca.QPCommandAddress, 0, 0, 0, 0, own[0], own[1], own[2], own[3])
	h.command(hca.QPCommandPKey, 0, 0xFFFF)
	h.run()
}

// topWords are the words of an address, the lowest first.
func topWords(a roce.Address) (w [4]uint32) {
	for i := range w {
		w[i] = binary.BigEndian.Uint32(a[12-4*i:])
	}
	return w
}

func (h *topHost) offer(after uint64, port string, user uint32, data []byte) {
	p := h.ports[port]
	h.offers.Append(sim.Offer{NotBefore: h.cycle + after, Seq: h.seq[p], Port: p, User: user, Data: data})
	h.seq[p]++
}

// write writes a register.
func (h *topHost) write(address uint16, data uint32) {
	h.access = max(h.access, h.cycle) + topRegisterC
	w := hca.AxilWrite{Data: data, Strobe: 15}
	h.offer(h.access-h.cycle, "s_aw", 0, hca.AppendAxilAddress(nil, address))
	h.offer(h.access-h.cycle, "s_w", 0, w.Append(nil))
}

func (h *topHost) command(c hca.QPCommand, arguments ...uint32) {
	for i, a := range arguments {
		h.write(0x020+4*uint16(i), a)
	}
	h.write(0x008, uint32(c))
}

// begin sets a lane's queue pair up, with a key and its receive WQEs.
func (h *topHost) begin(lane uint32, p *topPath) {
	q := respSet(p.cfg)
	rkey := lane<<8 | p.cfg.Regions[0].RKey
	base := uint64(lane) << 40
	length := p.cfg.Regions[0].Len
	h.command(hca.QPCommandKeySet, rkey, lane|31<<24, 0, 0, uint32(length), uint32(length>>32), uint32(base),
		uint32(base>>32))
	peer, shared := topWords(hca.Address(topPeer[:])), uint32(0)
	if p.cfg.Profile.NoCredits {
		shared = 1
	}
	h.write(0x00C, lane)
	for i, w := range [...]uint32{topPeerQPN + lane | uint32(q.Service)<<24,
		uint32(q.PSN) | uint32(q.MaxReads)<<24 | uint32(q.PMTU)<<29, uint32(q.RNRTimer)<<24 | uint32(q.Enabled)<<29,
		uint32(q.Profile) | uint32(q.FlushEnabled)<<8 | 64<<16, peer[0], peer[1], peer[2], peer[3],
		binary.BigEndian.Uint32(topPeerMAC[2:]), uint32(topPeerMAC[0])<<8 | uint32(topPeerMAC[1]), lane | shared<<24, lane} {
		h.write(0x100+4*uint16(i), w)
	}
	if p.sends != nil {
		h.configure(p.sends)
	}
	h.command(hca.QPCommandInit)
	h.command(hca.QPCommandRTR)
	if own := topWords(hca.Address(topOwn[:])); p.sends != nil {
		h.command(hca.QPCommandRTS, 0xFFFF|0xC000<<16, uint32(wire.EncapRoCEv2IPv4), 0, 0, own[0], own[1], own[2], own[3])
	}
	for i := range p.posts {
		h.post(lane, i+1)
	}
	h.run()
}

// post posts a receive WQE, whose buffer begins at 4 GiB times its number.
func (h *topHost) post(lane, id uint32) {
	h.command(hca.QPCommandPost, lane, h.x.plan.receiveLen(), topWQE(lane, id))
}

func topWQE(lane, id uint32) uint32 { return 1<<31 | lane<<8 | id }

// take does a step.
func (h *topHost) take(lane uint32, path *topPath, k topStep) {
	switch k.in {
	case inNext:
		h.sendWork(lane, path)
	case inTimeout, inRNR:
		h.expires = true
	case inReceive:
		h.post(lane, k.arg)
	case inSetError:
		h.write(0x00C, lane)
		h.command(hca.QPCommandError)
	case inStep:
		if h.x.packets[k.arg].answer {
			h.respond(lane, k.arg)
			return
		}
		p := h.x.packets[k.arg].packet
		p.RKey |= lane << 8
		s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, SrcMAC: topPeerMAC, DstMAC: topMAC, Src: topPeer, Dst: topOwn,
			DestQP: lane, PKey: 0xFFFF, HopLimit: 64, IPFrag: 0x4000}
		onwire.Put(&p, &s)
		h.offer(0, "s_axis", uint32(wire.LinkEthernet), s.Append(nil, topBytes(uint64(k.arg)<<32, p.Len)))
	}
}

// topBytes are bytes that say where they are from.
func topBytes(from uint64, n uint32) []byte {
	b := make([]byte, n)
	for i := range b {
		at := from + uint64(i)
		b[i] = byte(at*7 ^ at>>8 ^ at>>16*5 ^ at>>24*3 ^ at>>32*31 ^ at>>40*13)
	}
	return b
}

// run runs the device until nothing comes any more.
func (h *topHost) run() {
	for h.quiet = max(h.cycle, h.access); h.cycle < max(h.quiet, h.access)+topQuietC || len(h.offers.Offers) > 0; {
		slices.SortStableFunc(h.offers.Offers, func(a, b sim.Offer) int {
			return cmp.Or(cmp.Compare(a.NotBefore, b.NotBefore), cmp.Compare(a.Port, b.Port))
		})
		h.out.Reset()
		require.NoError(h.t, h.device.Advance(context.Background(), h.cycle+topStepC, h.offers.Offers, &h.out))
		h.offers.Reset()
		h.cycle += topStepC
		for i := range h.out.Records {
			h.quiet = max(h.quiet, h.out.Records[i].End)
			h.hear(&h.out.Records[i])
		}
	}
}

func (h *topHost) fail(format string, args ...any) {
	if h.wrong == "" {
		h.wrong = fmt.Sprintf(format, args...)
	}
}

// hear takes a record of the device.
func (h *topHost) hear(r *sim.Record) {
	switch h.device.Ports()[r.Port].Name {
	case "m_b":
		if r.Data[0]&3 != uint8(hca.QPCtlOkay) {
			h.fail("a write to a register is refused")
		}
	case "m_axis":
		h.frame(r.Data)
	case "m_mem":
		h.writes = append(h.writes, hca.ParseDMAWrite(r.Data))
		h.written()
	case "m_data":
		h.data = append(h.data, bytes.Clone(r.Data))
		h.written()
	case "m_place":
		h.places = append(h.places, hca.ParseDMAWrite(r.Data))
		h.placed()
	case "m_pdata":
		h.placeData = append(h.placeData, bytes.Clone(r.Data))
		h.placed()
	case "m_scqe":
		c := hca.ParseSQCQE(r.Data)
		h.of(c.QPN).sendEnds = append(h.of(c.QPN).sendEnds, c)
	case "m_local":
		h.local(r.Data)
	case "m_txd":
		h.read(r.Data, "s_txd")
	case "m_cqe":
		c := hca.ParseDMARecord(r.Data)
		h.of(c.QPN).ends = append(h.of(c.QPN).ends, c)
	case "m_rd":
		h.read(r.Data, "s_rd")
	case "m_ard":
		a := hca.ParseAtomicAccess(r.Data)
		answer := hca.AtomicAnswer{Tag: a.Tag, Data: h.of(uint32(a.Address >> 40)).counter}
		h.offer(topAnswerC, "s_ard", 0, answer.AppendRead(nil))
	case "m_awr":
		a := hca.ParseAtomicAccess(r.Data)
		h.of(uint32(a.Address >> 40)).counter = a.Data
		answer := hca.AtomicAnswer{Tag: a.Tag}
		h.offer(topAnswerC, "s_awr", 0, answer.AppendWritten(nil))
	}
}

// of is the lane with a number.
func (h *topHost) of(lane uint32) *topLane {
	if lane == 0 || lane > topLanes {
		h.fail("something is of queue pair %X, which there is not", lane)
		return &h.lanes[0]
	}
	return &h.lanes[lane]
}

// frame takes a response.
func (h *topHost) frame(frame []byte) {
	var w wire.Packet
	var p roce.Packet
	wire.Decode(wire.LinkEthernet, frame, &w)
	if w.ICRC() != wire.ICRCGood || !onwire.Take(&w, &p) || w.BTH().DestQP() <= topPeerQPN {
		h.fail("a frame that is none: %x", frame)
		return
	}
	l := h.of(w.BTH().DestQP() - topPeerQPN)
	p.Len = uint32(len(w.Payload))
	l.frames, l.bodies = append(l.frames, p), append(l.bodies, bytes.Clone(w.Payload))
}

// read gives a piece of memory.
func (h *topHost) read(asked []byte, port string) {
	p := hca.ParseReadPiece(asked)
	lead := uint32(p.Address % hca.ReadLineBytes)
	line := append(make([]byte, lead), topBytes(p.Address, uint32(p.Bytes))...)
	h.offer(topAnswerC, port, hca.ReadUser(p.Tag, false), line)
}

// local does local work.
func (h *topHost) local(data []byte) {
	l := sim.ReadLayout(data)
	var qpn uint32
	var slot uint8
	sim.Field(&l, &qpn, 24)
	sim.Field(&l, &slot, 6)
	done := hca.HcaTopPostOf(&hca.SQRecord{QPN: qpn, Op: hca.SQLocalDone, Slot: slot})
	h.offer(topAnswerC, "s_post", 0, done.Append(nil))
}

// written and placed pair writes with their bytes, and acknowledge each.
func (h *topHost) written() { h.pair(&h.writes, &h.data, "s_mem") }

func (h *topHost) placed() { h.pair(&h.places, &h.placeData, "s_place") }

func (h *topHost) pair(writes *[]hca.DMAWrite, bodies *[][]byte, acks string) {
	for len(*writes) > 0 && len(*bodies) > 0 {
		w, data := (*writes)[0], (*bodies)[0]
		*writes, *bodies = (*writes)[1:], (*bodies)[1:]
		lane := uint32(w.Address >> 40)
		if w.Address>>63 == 1 {
			lane = uint32(w.Address>>40) & 0xFF
		}
		lead := int(w.Address % topBeat)
		if len(data) != lead+int(w.Bytes) {
			h.fail("a write of %d bytes to %X has %d", w.Bytes, w.Address, len(data)-lead)
			continue
		}
		h.of(lane).writes = append(h.of(lane).writes, topWrite{w.Address, data[lead:]})
		ack := hca.DMAAck{Tag: w.Tag}
		h.offer(topAnswerC, acks, 0, ack.Append(nil))
	}
}
