package roce

import (
	"encoding/binary"

	"slices"

	"hcacosim/model/ib"
)

// Decides ADM-1, ADM-2, ADM-3, ADM-4, ADM-5 and ADM-6.

// Address is a network address: IPv6, IPv4 in mapped form, a GID, or a LID in the last two bytes.
type Address [16]byte

// Multicast reports whether the address is a group's: IPv6 and GIDs ff00::/8, IPv4 224.0.0.0/4.
func (a Address) Multicast() bool {
	return a[0] == 0xFF || a.IsIPv4() && a[12]>>4 == 0xE
}

// IsIPv4 reports whether the address is an IPv4 address, in mapped form.
func (a Address) IsIPv4() bool {
	return binary.BigEndian.Uint64(a[:8]) == 0 && binary.BigEndian.Uint32(a[8:12]) == 0xFFFF
}

// Sizes of the tables of a Port and a Destination.
const (
	MaxAddresses = 4
	MaxPKeys     = 16
	MaxGroups    = 4
)

// MulticastQP is the queue pair that a packet to a group is for: every one that joined it.
const MulticastQP = 0xFFFFFF

// PKeyFull is the bit of a P_Key that makes a full member, DefaultPKey the key of the default partition.
const (
	PKeyFull    = 0x8000
	DefaultPKey = 0xFFFF
)

// Port is what a port knows before it knows the queue pair. The zero Address and P_Key are no entries.
type Port struct {
	Own   [MaxAddresses]Address
	PKeys [MaxPKeys]uint16
}

// Destination is what admission asks of a queue pair.
type Destination struct {
	Number    uint32
	Service   ib.Transport
	State     QPState
	Peer      Address // RC, UC: where its packets come from
	Global    bool    // RC, UC: the path has a GRH; always so in RoCE
	PKeyIndex uint8   // into Port.PKeys
	Groups    [MaxGroups]Address
}

// Heading is what the headers of a packet say of where it belongs, and what was found of its form and its ICRC.
type Heading struct {
	Src, Dst   Address
	Global     bool // it has a GRH, or the IP header that stands for one in RoCE
	WellFormed bool // END-1
	TVer       uint8
	Op         ib.Opcode
	DestQP     uint32
	PKey       uint16
	ICRCGood   bool
}

// TakeCNP reports whether a packet is a CNP. One is admitted like a packet of its queue pair's service (CNP-4): its
// heading says so from then on. The queue pair is nil where there is none.
func (h *Heading) TakeCNP(qp *Destination) bool {
	if h.Op != ib.OpcodeCNP {
		return false
	}
	if qp != nil {
		h.Op = ib.Join(qp.Service, ib.SendOnly)
	}
	return true
}

// Admit decides whether a packet reaches a queue pair (ADM-1 to ADM-6): the first rule that drops it, silently, or
// none. The queue pair is the one that DestQP names, nil where there is none; a packet to a group is offered to each
// that joined it.
func (p *Port) Admit(qp *Destination, h *Heading) Rule {
	switch {
	case !p.addressed(qp, h):
		return "ADM-1"
	case h.TVer != 0 || !h.WellFormed:
		return "ADM-2"
	case qp == nil || !qp.serves(h):
		return "ADM-3"
	case qp.connected() && (h.Src != qp.Peer || qp.Global && !h.Global):
		return "ADM-4"
	case int(qp.PKeyIndex) >= len(p.PKeys) || !samePartition(p.PKeys[qp.PKeyIndex], h.PKey):
		return "ADM-5"
	case !h.ICRCGood:
		return "ADM-6"
	}
	return ""
}

// addressed: to the port itself, or to a group of a queue pair for datagrams (ADM-1).
func (p *Port) addressed(qp *Destination, h *Heading) bool {
	if h.Dst == (Address{}) {
		return false
	}
	return slices.Contains(p.Own[:], h.Dst) || qp.joined(h.Dst)
}

func (d *Destination) joined(group Address) bool {
	return d != nil && d.Service == ib.UD && group.Multicast() && slices.Contains(d.Groups[:], group)
}

// serves: the number, the opcode's service and a state that receives (ADM-3). An opcode that is unknown by OPC-1 is of
// no service.
func (d *Destination) serves(h *Heading) bool {
	number := d.Number
	if d.joined(h.Dst) {
		number = MulticastQP
	}
	info := ib.Lookup(h.Op)
	return h.DestQP == number && info != nil && info.Transport == d.Service && d.State.receives()
}

// receives reports whether a queue pair takes packets in a state (RSP-15).
func (s QPState) receives() bool { return s != Reset && s != Init && s != Error }

// connected reports whether the queue pair has one peer: RC and UC, and XRC, which is RC with an XRCETH.
func (d *Destination) connected() bool { return reliable(d.Service) || d.Service == ib.UC }

// samePartition compares P_Keys: the same low 15 bits, not 0, and at least one full member (ADM-5).
func samePartition(own, sent uint16) bool {
	return own&^PKeyFull != 0 && own&^PKeyFull == sent&^PKeyFull && (own|sent)&PKeyFull != 0
}
