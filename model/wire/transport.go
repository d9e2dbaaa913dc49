package wire

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// BTH is the base transport header:
//
//	0 | opcode 8 | SE 1, MigReq 1, Pad 2, TVer 4 | PKey 16 |
//	4 | FECN 1, BECN 1, resv 6 | DestQP 24 |
//	8 | AckReq 1, resv 7 | PSN 24 |
type BTH []byte

func (h BTH) Opcode() ib.Opcode { return ib.Opcode(h[0]) }
func (h BTH) SE() bool          { return h[1]&0x80 != 0 }
func (h BTH) MigReq() bool      { return h[1]&0x40 != 0 }
func (h BTH) Pad() int          { return int(h[1] >> 4 & 3) }
func (h BTH) TVer() uint8       { return h[1] & 0x0F }
func (h BTH) PKey() uint16      { return be16(h[2:]) }
func (h BTH) FECN() bool        { return h[4]&0x80 != 0 }
func (h BTH) BECN() bool        { return h[4]&0x40 != 0 }
func (h BTH) Resv6() uint8      { return h[4] & 0x3F }
func (h BTH) DestQP() uint32    { return be24(h[5:]) }
func (h BTH) AckReq() bool      { return h[8]&0x80 != 0 }
func (h BTH) Resv7() uint8      { return h[8] & 0x7F }
func (h BTH) PSN() psn.PSN      { return psn.PSN(be24(h[9:])) }

// RDETH is the header of the RD service:
//
//	0 | resv 8 | EE context 24 |
type RDETH []byte

func (h RDETH) Resv() uint8       { return h[0] }
func (h RDETH) EEContext() uint32 { return be24(h[1:]) }

// DETH is the datagram header:
//
//	0 | Q_Key 32 |
//	4 | resv 8 | SrcQP 24 |
type DETH []byte

func (h DETH) QKey() uint32  { return be32(h) }
func (h DETH) Resv() uint8   { return h[4] }
func (h DETH) SrcQP() uint32 { return be24(h[5:]) }

// XRCETH is the header of XRC requests:
//
//	0 | resv 8 | XRCSRQ 24 |
type XRCETH []byte

func (h XRCETH) Resv() uint8    { return h[0] }
func (h XRCETH) XRCSRQ() uint32 { return be24(h[1:]) }

// RETH is the RDMA header:
//
//	 0 | VA 64 |
//	 8 | R_Key 32 |
//	12 | DMALen 32 |
type RETH []byte

func (h RETH) VA() uint64     { return be64(h) }
func (h RETH) RKey() uint32   { return be32(h[8:]) }
func (h RETH) DMALen() uint32 { return be32(h[12:]) }

// AtomicETH is the header of atomic requests:
//
//	 0 | VA 64 |
//	 8 | R_Key 32 |
//	12 | swap or add 64 |
//	20 | compare 64 |
type AtomicETH []byte

func (h AtomicETH) VA() uint64      { return be64(h) }
func (h AtomicETH) RKey() uint32    { return be32(h[8:]) }
func (h AtomicETH) SwapAdd() uint64 { return be64(h[12:]) }
func (h AtomicETH) Compare() uint64 { return be64(h[20:]) }

// AETH is the acknowledgement header:
//
//	0 | syndrome 8 | MSN 24 |
type AETH []byte

func (h AETH) Syndrome() ib.Syndrome { return ib.Syndrome(h[0]) }
func (h AETH) MSN() uint32           { return be24(h[1:]) }

// AtomicAckETH carries the original data of an atomic, 64 bits.
type AtomicAckETH []byte

func (h AtomicAckETH) Original() uint64 { return be64(h) }

// ImmDt is 32 bits of immediate data.
type ImmDt []byte

func (h ImmDt) Immediate() uint32 { return be32(h) }

// IETH carries the R_Key to invalidate.
type IETH []byte

func (h IETH) RKey() uint32 { return be32(h) }

// FETH is the flush header:
//
//	0 | resv 26 | SEL 2 | PLT 4 |
type FETH []byte

func (h FETH) Resv() uint32 { return be32(h) >> 6 }
func (h FETH) SEL() uint8   { return h[3] >> 4 & 3 }
func (h FETH) PLT() uint8   { return h[3] & 0x0F }
