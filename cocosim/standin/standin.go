// Package standin makes of a capture what hca_rx is given in the place of the endpoint that it was taken at: the
// operations that set up its queue pair, by the sidecar of the capture, and every frame that reached it, bad ones too.
package standin

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"path/filepath"

	"hcacosim/cocosim/flow"
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// DefaultPKey is the port's P_Key where the sidecar names none.
const DefaultPKey = 0xFFFF

// protectionDomain is that of the queue pair and its keys.
const protectionDomain = 5

// hopLimit is the TTL or hop limit of what the endpoint sends.
const hopLimit = 64

// Endpoint is an end of a capture.
type Endpoint struct {
	File string
	Side string // A or B
	QP   hca.HcaRxQP
	// Posts are the receive WQEs that the endpoint was given, in their order.
	Posts []flow.Recv

	Received int // frames that reached it
	Bytes    int // of them
}

// Open reads a capture once: who its ends are, and what is in it. config is its sidecar and side "A" or "B", or both
// are empty: then the sidecar is the one beside it, and its name tells the side.
func Open(file, config, side string, profile *roce.Profile) (*Endpoint, error) {
	beside, at, _ := flow.FindSidecar(file)
	if config == "" {
		config = beside
	}
	if side == "" {
		side = at
	}
	if config == "" || side != "A" && side != "B" {
		return nil, &capture.Error{File: file, Offset: -1, What: "it is not known whose queue pair received it",
			Do: "name the capture NAME.a.pcap or NAME.b.pcap and put NAME.json beside it, or give " +
				"--peer-config FILE and --at A or B"}
	}
	s, err := flow.ReadSidecar(config)
	if err != nil {
		return nil, err
	}
	e := &Endpoint{File: file, Side: side}
	own, peer := s.Ends(side)
	e.QP = hca.HcaRxQP{QPN: own.QPN, PeerQPN: own.DestQPN, Responder: s.Responder(side, profile), Own: address(own),
		Peer: address(peer), PKey: DefaultPKey, HopLimit: hopLimit}
	// Soft-RoCE tells no credits: so does a queue that is shared.
	e.QP.Receive = hca.ReceiveSide{Queue: own.QPN, Shared: true, PD: protectionDomain,
		WholeWrite: profile.WholeWriteChecked}
	if own.PKey != nil {
		e.QP.PKey = *own.PKey
	}
	for _, r := range s.Recvs {
		if r.Side == side {
			e.Posts = append(e.Posts, r)
		}
	}
	if err := e.macs(own, peer); err != nil {
		return nil, err
	}
	return e, e.count()
}

// String says what is played.
func (e *Endpoint) String() string {
	return fmt.Sprintf("%s at %s, %d frames received", filepath.Base(e.File), e.Side, e.Received)
}

// address is the IP address of an end; ReadSidecar has checked it.
func address(e *flow.End) roce.Address {
	ip, _ := netip.ParseAddr(e.IP)
	return roce.Address(ip.As16())
}

// macs finds the MAC addresses of both ends: as the sidecar says, or of the first good packet between them.
func (e *Endpoint) macs(own, peer *flow.End) error {
	if parsed(own.MAC, &e.QP.OwnMAC) && parsed(peer.MAC, &e.QP.PeerMAC) {
		return nil
	}
	found := fmt.Errorf("found")
	err := e.each(func(f *capture.Frame) error {
		var p wire.Packet
		wire.Decode(f.Link, f.Data, &p)
		src, dst := addresses(&p)
		if f.Link != wire.LinkEthernet || p.ICRC() != wire.ICRCGood || len(src) == 0 {
			return nil
		}
		switch from, to := hca.Address(src), hca.Address(dst); {
		case from == e.QP.Own && to == e.QP.Peer:
			copy(e.QP.OwnMAC[:], f.Data[6:12])
			copy(e.QP.PeerMAC[:], f.Data[:6])
		case from == e.QP.Peer && to == e.QP.Own:
			copy(e.QP.PeerMAC[:], f.Data[6:12])
			copy(e.QP.OwnMAC[:], f.Data[:6])
		default:
			return nil
		}
		return found
	})
	if err == found || err == nil {
		return nil
	}
	return err
}

func parsed(text string, to *[6]byte) bool {
	mac, err := net.ParseMAC(text)
	copy(to[:], mac)
	return err == nil && len(mac) == len(to)
}

// addresses are those of the IP header or GRH, nil without one.
func addresses(p *wire.Packet) (src, dst []byte) {
	if ip := p.IPv4(); ip != nil {
		return ip.Src(), ip.Dst()
	}
	if ip := p.IPv6(); ip != nil {
		return ip.Src(), ip.Dst()
	}
	if g := p.GRH(); g != nil {
		return g.Src(), g.Dst()
	}
	return nil, nil
}

// each calls f with every whole frame of the capture.
func (e *Endpoint) each(f func(*capture.Frame) error) error {
	in, err := capture.Open(e.File)
	if err != nil {
		return err
	}
	defer in.Close()
	for {
		frame, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(frame.Data) == 0 || frame.Cut() {
			continue
		}
		if err := f(&frame); err != nil {
			return err
		}
	}
}

// sent reports whether the endpoint sent a frame: its source MAC is the endpoint's, and its destination is not.
func (e *Endpoint) sent(f *capture.Frame) bool {
	return f.Link == wire.LinkEthernet && len(f.Data) >= 12 && [6]byte(f.Data[6:12]) == e.QP.OwnMAC &&
		[6]byte(f.Data[:6]) != e.QP.OwnMAC
}

func (e *Endpoint) count() error {
	return e.each(func(f *capture.Frame) error {
		if e.sent(f) {
			return nil
		}
		e.Received++
		e.Bytes += len(f.Data)
		return nil
	})
}

// Answers are the ACKs, NAKs, READ responses and answers of atomics that the endpoint sent, with their numbers.
func (e *Endpoint) Answers() (frames [][]byte, numbers []uint64, err error) {
	err = e.each(func(f *capture.Frame) error {
		var p wire.Packet
		wire.Decode(f.Link, f.Data, &p)
		if e.sent(f) && p.ICRC() == wire.ICRCGood && isAnswer(&p) {
			frames, numbers = append(frames, append([]byte(nil), f.Data...)), append(numbers, f.Number)
		}
		return nil
	})
	return frames, numbers, err
}

// isAnswer reports whether a packet is a response of a reliable connection.
func isAnswer(p *wire.Packet) bool {
	return p.Op != nil && p.Op.Transport == ib.RC && p.Op.Response
}
