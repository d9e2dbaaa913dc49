package field

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/netip"
	"slices"
	"strings"

	"hcacosim/cocosim/falconflow"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// Way is what happened between two ends, by two captures of the same traffic.
type Way struct {
	Directions []Crossing `json:"directions"`
}

// Crossing is one direction of the way.
type Crossing struct {
	Src  string `json:"src"`
	Dst  string `json:"dst"`
	Sent uint64 `json:"sent"` // frames in the capture of the sender's end
	// of them in the other capture, byte for byte from the IP header but for TTL, TOS and checksum
	Intact  uint64         `json:"intact"`
	Lost    uint64         `json:"lost_or_altered"`
	Extra   uint64         `json:"altered_or_doubled"` // in the other capture only
	Packets []CrossingLoss `json:"packets"`            // the first that were lost or altered
}

// CrossingLoss is a frame that left one end and did not come to the other as it was.
type CrossingLoss struct {
	File   int    `json:"file"` // of the sender's end: 0 or 1
	Packet uint64 `json:"packet"`
	QPN    uint32 `json:"qpn"` // of Falcon 0
	PSN    uint32 `json:"psn"`
	Opcode string `json:"opcode"` // of Falcon the packet type, or why it was not read
	// CID is the connection of a Falcon packet, nil where it is not known or where the packet is RoCE or InfiniBand.
	CID *uint32 `json:"cid,omitempty"`
}

// String names the frame by its connection, opcode and PSN.
func (x CrossingLoss) String() string {
	switch {
	case x.CID != nil:
		return fmt.Sprintf("CID %06Xh %s PSN %d", *x.CID, x.Opcode, x.PSN)
	case x.QPN == 0 && strings.HasPrefix(x.Opcode, "Falcon"):
		return x.Opcode
	}
	return fmt.Sprintf("QP %06Xh %s PSN %06Xh", x.QPN, x.Opcode, x.PSN)
}

// Bounds of the comparison: frames that wait for their likes, and losses that are listed.
const (
	maxWaiting  = 1 << 18
	maxCrossing = 1000
)

// crossing is a frame that came past one capture more often than the other.
type crossing struct {
	key   crossKey
	ahead [2]int // in each capture, less what both have
	loss  [2]CrossingLoss
}

type crossKey struct {
	hosts [2]addr
	sum   uint64
}

type wayReader struct {
	waiting map[crossKey]*crossing
	order   []*crossing
	dirs    map[[2]addr]*wayDir
	seed    maphash.Seed
	falcon  *falconflow.Decoder
}

// wayDir counts one direction while it is not known which capture is the sender's.
type wayDir struct {
	frames [2]uint64
	only   [2]uint64
	both   uint64
	first  [2]uint64 // how often a frame came to this capture first
	losses [2][]CrossingLoss
}

// Between compares two captures that are read as one: what one end sent and the other did not get. Whose end each
// capture is shows in where frames come first. falcon reads what is neither RoCE nor InfiniBand.
func Between(m *capture.Merged, falcon *falconflow.Decoder) (*Way, error) {
	r := &wayReader{waiting: map[crossKey]*crossing{}, dirs: map[[2]addr]*wayDir{}, seed: maphash.MakeSeed(),
		falcon: falcon}
	var p wire.Packet
	for {
		f, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if f.File > 1 {
			return nil, errors.New("more than two captures of two ends")
		}
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &p)
		switch {
		case p.Encap == wire.EncapNone:
			r.takeFalcon(&f)
		case p.Encap != wire.EncapRaw && p.BTH() != nil:
			src, dst, _, _, _ := network(&p)
			r.take(&f, crossKey{[2]addr{src, dst}, r.sum(&f, &p)}, CrossingLoss{QPN: p.BTH().DestQP(),
				PSN: uint32(p.BTH().PSN()), Opcode: opcodeName(&p)})
		}
	}
	for _, x := range r.order {
		r.settle(x)
	}
	return r.way()
}

// udpHeader is how long the header of UDP is; the checksum ends it.
const udpHeader = 8

// takeFalcon takes a Falcon packet: by its bytes from UDP on, in PSP as they are sealed, but for the UDP checksum, that
// a NIC may fill in behind the capture point.
func (r *wayReader) takeFalcon(f *capture.Frame) {
	var p falconflow.Packet
	r.falcon.Decode(f.Link, f.Data, f.OrigLen, &p)
	if p.State == falconflow.NotFalcon || p.UDPAt == 0 {
		return
	}
	udp := f.Data[p.UDPAt:]
	udp = udp[:max(udpHeader, min(wire.UDP(udp).Length(), len(udp)))]
	var h maphash.Hash
	h.SetSeed(r.seed)
	h.Write(udp[:udpHeader-2])
	h.Write(udp[udpHeader:])
	loss := CrossingLoss{Opcode: "Falcon"}
	if p.HasCID {
		loss.CID = &p.Falcon.CID
	}
	switch k := &p.Falcon; {
	case p.State != falconflow.Read:
		loss.Opcode = "Falcon, " + p.State.String()
	case k.Type.Reliable():
		loss.Opcode, loss.PSN = k.Type.String(), uint32(k.PSN)
	default:
		loss.Opcode = k.Type.String()
	}
	r.take(f, crossKey{[2]addr{p.Src.As16(), p.Dst.As16()}, h.Sum64()}, loss)
}

// take takes a frame: what it is known by, and what is said of it if it is lost.
func (r *wayReader) take(f *capture.Frame, k crossKey, loss CrossingLoss) {
	d := r.dirs[k.hosts]
	if d == nil {
		d = new(wayDir)
		r.dirs[k.hosts] = d
	}
	d.frames[f.File]++
	x := r.waiting[k]
	if x == nil {
		if len(r.order) >= 2*maxWaiting {
			r.trim()
		}
		x = &crossing{key: k}
		r.waiting[k] = x
		r.order = append(r.order, x)
	}
	if other := 1 - f.File; x.ahead[other] > 0 {
		x.ahead[other]--
		d.both++
		d.first[other]++
		return
	}
	if x.ahead[f.File]++; x.ahead[f.File] == 1 {
		loss.File, loss.Packet = f.File, f.InFile
		x.loss[f.File] = loss
	}
}

func opcodeName(p *wire.Packet) string {
	if p.Op == nil {
		return "unknown opcode"
	}
	return p.Op.Name
}

// sum stands for a frame by what routers leave alone.
func (r *wayReader) sum(f *capture.Frame, p *wire.Packet) uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	if ip := p.IPv4(); ip != nil {
		h.Write(ip[2:8])
	}
	end := min(p.End, len(f.Data))
	if p.Transport < end {
		h.Write(f.Data[p.Transport:end])
	}
	return h.Sum64()
}

// trim settles the older half of what waits.
func (r *wayReader) trim() {
	half := len(r.order) / 2
	for _, x := range r.order[:half] {
		r.settle(x)
	}
	r.order = append(r.order[:0], r.order[half:]...)
}

func (r *wayReader) settle(x *crossing) {
	if r.waiting[x.key] == x {
		delete(r.waiting, x.key)
	}
	d := r.dirs[x.key.hosts]
	for file, n := range x.ahead {
		d.only[file] += uint64(n)
		if n > 0 && len(d.losses[file]) < maxCrossing {
			d.losses[file] = append(d.losses[file], x.loss[file])
		}
	}
}

// senderOf is the capture of the sender's end: where frames of the direction come first, or, if none came, where those
// of the other direction do not.
func (r *wayReader) senderOf(hosts [2]addr) int {
	d, back := r.dirs[hosts], r.dirs[[2]addr{hosts[1], hosts[0]}]
	switch {
	case d.first[1] > d.first[0]:
		return 1
	case d.both == 0 && back != nil && back.first[0] > back.first[1]:
		return 1
	}
	return 0
}

// way sums up.
func (r *wayReader) way() (*Way, error) {
	w := &Way{Directions: []Crossing{}}
	both := uint64(0)
	for hosts, d := range r.dirs {
		from := r.senderOf(hosts)
		both += d.both
		slices.SortFunc(d.losses[from], func(a, b CrossingLoss) int { return cmp.Compare(a.Packet, b.Packet) })
		w.Directions = append(w.Directions, Crossing{Src: netip.AddrFrom16(hosts[0]).Unmap().String(),
			Dst: netip.AddrFrom16(hosts[1]).Unmap().String(), Sent: d.frames[from], Intact: d.both, Lost: d.only[from],
			Extra:   d.only[1-from],
			Packets: d.losses[from]})
	}
	if both == 0 {
		return nil, errors.New("--ends: the two captures have no frame in common")
	}
	slices.SortFunc(w.Directions, func(a, b Crossing) int {
		return cmp.Or(cmp.Compare(b.Sent, a.Sent), cmp.Compare(a.Src,
			b.Src))
	})
	return w, nil
}
