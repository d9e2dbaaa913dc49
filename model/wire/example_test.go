package wire

import (
	"math/rand/v2"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// transportEncaps are the encapsulations of packets with a BTH.
var transportEncaps = []Encap{EncapRoCEv1, EncapRoCEv2IPv4, EncapRoCEv2IPv6, EncapIBLocal, EncapIBGlobal}

// allOpcodes lists the opcodes of the table.
func allOpcodes() (ops []*ib.Info) {
	for op := range 256 {
		if i := ib.Lookup(ib.Opcode(op)); i != nil {
			ops = append(ops, i)
		}
	}
	return ops
}

// legalLengths are payload lengths at and around the edges of what an opcode may carry, with every pad.
func legalLengths(l ib.Length) (lengths []int) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 63, 64, 65, 66, 67, 255, 256, 257, 512, 1023, 1024, 2048,
		4095, 4096} {
		if l.AllowsSome(n) {
			lengths = append(lengths, n)
		}
	}
	return lengths
}

// randomSpec fills every field with random bits, as far as its width goes.
func randomSpec(r *rand.Rand, encap Encap, op ib.Opcode) Spec {
	u8 := func(bits int) uint8 { return uint8(r.Uint32() & (1<<bits - 1)) }
	u16 := func() uint16 { return uint16(r.Uint32()) }
	u24 := func() uint32 { return r.Uint32() & 0xFFFFFF }
	flag := func() bool { return r.Uint32()&1 == 1 }
	s := Spec{
		Encap: encap, TClass: u8(8), HopLimit: u8(8), FlowLabel: r.Uint32() & 0xFFFFF, IPID: u16(), SrcPort: u16(),
		UDPChecksum: flag(),
		VL:          u8(4), LVer: u8(4), SL: u8(4), LRHResv2: u8(2), LRHResv5: u8(5), DLID: u16(), SLID: u16(),
		Opcode: op, SE: flag(), MigReq: flag(), FECN: flag(), BECN: flag(), AckReq: flag(), Resv6: u8(6), Resv7: u8(7),
		PKey: u16(), DestQP: u24(), PSN: psn.New(r.Uint32()),
		EEContext: u24(), QKey: r.Uint32(), SrcQP: u24(), XRCSRQ: u24(), FlushSEL: u8(2), FlushPLT: u8(4), VA: r.Uint64(),
		RKey:   r.Uint32(),
		DMALen: r.Uint32(), SwapAdd: r.Uint64(), Compare: r.Uint64(), Syndrome: ib.Syndrome(u8(8)), MSN: u24(),
		Original: r.Uint64(),
		InvRKey:  r.Uint32(), Immediate: r.Uint32(),
	}
	for i := range 16 {
		s.Src[i], s.Dst[i] = u8(8), u8(8)
	}
	for i := range 6 {
		s.DstMAC[i], s.SrcMAC[i] = u8(8), u8(8)
	}
	if flag() {
		s.IPFrag = 0x4000
	}
	tags := [...]VLANTag{{0, u16()}, {0x88A8, u16()}}
	s.VLANs = tags[:r.IntN(3)]
	s.IPOptions = randomBytes(r, 4*r.IntN(11))
	s.NoVCRC = flag()
	return s
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// plainSpec is a packet that reads easily: a SEND Only.
func plainSpec(encap Encap) Spec {
	return Spec{
		Encap: encap, DstMAC: [6]byte{2, 0, 0, 0, 0, 0xB}, SrcMAC: [6]byte{2, 0, 0, 0, 0, 0xA}, Src: FromIPv4(10, 1, 0, 1),
		Dst:      FromIPv4(10, 1, 0, 2),
		HopLimit: 64, IPFrag: 0x4000, SrcPort: 0xC000, SL: 3, DLID: 0x11, SLID: 0x22, Opcode: ib.Join(ib.RC, ib.SendOnly),
		PKey:   0xFFFF,
		DestQP: 0x123456, PSN: 0xABCDEF, AckReq: true,
	}
}
