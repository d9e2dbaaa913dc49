package wire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
)

// seeds gives the fuzzer a packet of every encapsulation and of many opcodes.
func seeds(f *testing.F) {
	for _, v := range knownVectors(f) {
		f.Add(uint8(v.link), v.frame, 0)
	}
	r := newRand()
	for encap := EncapRoCEv1; encap <= EncapRaw; encap++ {
		for _, op := range []ib.Opcode{0x04, 0x0B, 0x12, 0x1C, 0x53, 0x65, 0x81, 0xAB, 0xFF} {
			s := randomSpec(r, encap, op)
			f.Add(uint8(encap.Link()), s.Append(nil, randomBytes(r, r.IntN(20))), r.IntN(3))
		}
	}
}

func FuzzLocate(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, link uint8, frame []byte, _ int) {
		l := Link(link & 1)
		require.Equal(t, readDocument(l, frame).String(), located(l, frame).String())
		CheckVCRC(frame)
	})
}

// FuzzDecode looks at everything that a packet shows: nothing panics, and every part lies in the frame, in order.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, link uint8, frame []byte, beyond int) {
		var p Packet
		DecodeCut(Link(link&1), frame, len(frame)+beyond, &p)
		lookAt(&p)
		at := p.Transport + 12
		if p.Op != nil {
			require.NotNil(t, p.BTH())
			require.Equal(t, p.Op.Opcode, p.BTH().Opcode())
			for h := ib.RDETH; h <= ib.ImmDt; h++ {
				if v := p.Ext(h); v != nil {
					require.Same(t, &frame[at], &v[0])
					at += len(v)
				}
			}
		}
		if p.Payload != nil && p.BTH() != nil {
			require.Equal(t, p.End-4, at+len(p.Payload)+p.BTH().Pad())
		}
		if beyond <= 0 {
			require.False(t, p.Undecided())
			require.NotEqual(t, Cut, p.Bad.Reason)
		}
		if p.Bad.Reason == WellFormed && p.Encap != EncapNone && p.Encap != EncapRaw {
			require.True(t, p.Op != nil && p.Payload != nil && p.Op.Length.AllowsSome(len(p.Payload)))
		}
	})
}

// lookAt calls every accessor of every view that there is.
func lookAt(p *Packet) {
	_ = p.Bad.String()
	p.ICRC()
	p.ICRCBytes()
	lookAtLower(p)
	lookAtTransport(p)
}

func lookAtLower(p *Packet) {
	if h := p.Ethernet(); h != nil {
		_, _, _ = h.Dst(), h.Src(), h.Type()
	}
	for i := -1; i < 4; i++ {
		if h := p.VLAN(i); h != nil {
			_, _ = h.TPID(), h.TCI()
		}
	}
	if h := p.IPv4(); h != nil {
		_, _, _, _, _ = h.Src(), h.Dst(), h.Options(), h.ChecksumGood(), h.Frag()
	}
	for _, h := range []IPv6{p.IPv6(), p.GRH()} {
		if h != nil {
			_, _, _, _ = h.Src(), h.Dst(), h.TClass(), h.FlowLabel()
		}
	}
	if h := p.UDP(); h != nil {
		_, _ = h.SrcPort(), h.Checksum()
	}
	if h := p.LRH(); h != nil {
		_, _ = h.SLID(), h.PktBytes()
	}
	if h := p.RWH(); h != nil {
		_, _ = h.Resv(), h.Type()
	}
}

func lookAtTransport(p *Packet) {
	if h := p.BTH(); h != nil {
		_, _ = h.PSN(), h.Resv7()
	}
	if h := p.RDETH(); h != nil {
		_ = h.EEContext()
	}
	if h := p.DETH(); h != nil {
		_ = h.SrcQP()
	}
	if h := p.XRCETH(); h != nil {
		_ = h.XRCSRQ()
	}
	if h := p.RETH(); h != nil {
		_ = h.DMALen()
	}
	if h := p.AtomicETH(); h != nil {
		_ = h.Compare()
	}
	if h := p.AETH(); h != nil {
		_, _ = h.Syndrome().String(), h.MSN()
	}
	if h := p.AtomicAckETH(); h != nil {
		_ = h.Original()
	}
	if h := p.ImmDt(); h != nil {
		_ = h.Immediate()
	}
	if h := p.IETH(); h != nil {
		_ = h.RKey()
	}
	if h := p.FETH(); h != nil {
		_, _ = h.Resv(), h.SEL()
	}
}
