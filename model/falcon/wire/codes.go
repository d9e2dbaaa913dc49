package wire

import (
	"fmt"

	"hcacosim/model/falcon/mode"
)

// Decides FAL-W2, FAL-W8, FAL-W9, FAL-W10, FAL-W11.

// Type is a packet type (FAL-W2), 4 bits.
type Type uint8

const (
	PullRequest Type = 0
	PullData    Type = 3
	PushData    Type = 5
	Resync      Type = 6
	NACK        Type = 8
	BACK        Type = 9
	EACK        Type = 10
)

// Types that only the peer knows (mode.PeerPacketTypes). They have no wire format: Parse does not take them apart.
const (
	PeerPushRequest   Type = 1
	PeerPushGrant     Type = 2
	PeerPushSolicited Type = 4
	PeerAck           Type = 7
)

var typeNames = [16]string{PullRequest: "Pull Request", PullData: "Pull Data", PushData: "Push Data", Resync: "Resync",
	NACK: "NACK", BACK: "BACK", EACK: "EACK", PeerPushRequest: "Push Request", PeerPushGrant: "Push Grant",
	PeerPushSolicited: "Push Solicited", PeerAck: "ACK"}

func (t Type) String() string { return name(typeNames[:], uint8(t), "Type") }

// Known reports whether the type is not reserved (FAL-W2).
func (t Type) Known(m *mode.Mode) bool {
	switch t {
	case PullRequest, PullData, PushData, Resync, NACK:
		return true
	case BACK, EACK:
		return !m.AckTypesReserved
	case PeerPushRequest, PeerPushGrant, PeerPushSolicited, PeerAck:
		return m.PeerPacketTypes
	}
	return false
}

// HasBase reports whether the packet starts with the base header (FAL-W1): every type but ACKs and NACKs.
func (t Type) HasBase() bool { return t != NACK && t != BACK && t != EACK }

// Reliable reports whether the packet has a PSN of its own and is acknowledged: Pull Request, Pull Data, Push Data and
// Resync.
func (t Type) Reliable() bool {
	return t == PullRequest || t == PullData || t == PushData || t == Resync
}

// RequestWindow reports whether the packet is in the request window; Pull Data and Push Data are in the data window. Of
// a Resync its ResyncType tells.
func (t Type) RequestWindow() bool { return t == PullRequest }

// Bytes is how long the header is (FAL-W3 to FAL-W7), 0 for a type without a format here.
func (t Type) Bytes() int {
	switch t {
	case PullRequest, Resync, BACK:
		return 32
	case PullData:
		return BaseBytes
	case PushData:
		return 28
	case NACK:
		return 40
	case EACK:
		return 72
	}
	return 0
}

// Protocol is the ULP of a packet (FAL-W1), 3 bits.
type Protocol uint8

const (
	RDMA Protocol = 2
	NVMe Protocol = 3
)

var protocolNames = [8]string{RDMA: "RDMA", NVMe: "NVMe"}

func (p Protocol) String() string { return name(protocolNames[:], uint8(p), "Protocol") }

// Known reports whether the protocol is not reserved.
func (p Protocol) Known() bool { return p == RDMA || p == NVMe }

// ResyncCode says why a Resync was sent (FAL-W8).
type ResyncCode uint8

const (
	ResyncCIE        ResyncCode = 1 // the target ULP completed in error
	ResyncLocalXlr   ResyncCode = 2
	ResyncRetransmit ResyncCode = 3 // retransmissions exhausted
	ResyncTimeout    ResyncCode = 4 // the transaction timed out
	ResyncRemoteXlr  ResyncCode = 5
	ResyncNRE        ResyncCode = 6 // the target ULP has a non-recoverable error
	ResyncInvalidCID ResyncCode = 7 // the target does not know the connection
)

var resyncNames = [8]string{ResyncCIE: "target ULP CIE", ResyncLocalXlr: "local xLR",
	ResyncRetransmit: "retransmission exhausted", ResyncTimeout: "transaction timed out",
	ResyncRemoteXlr: "remote xLR", ResyncNRE: "target NRE", ResyncInvalidCID: "target invalid CID"}

func (c ResyncCode) String() string { return name(resyncNames[:], uint8(c), "ResyncCode") }

// Known reports whether the code is not reserved.
func (c ResyncCode) Known() bool { return c >= ResyncCIE && c <= ResyncInvalidCID }

// NackCode says why a packet was refused (FAL-W9).
type NackCode uint8

const (
	NackResources  NackCode = 1
	NackRNR        NackCode = 2
	NackXlr        NackCode = 4
	NackPeerWindow NackCode = 5 // only with mode.PeerNackCode5: the packet lay outside of the window
	NackCIE        NackCode = 6
	NackNRE        NackCode = 7
	NackInvalidCID NackCode = 8
)

var nackNames = [9]string{NackResources: "insufficient resources", NackRNR: "RNR", NackXlr: "xLR drop",
	NackPeerWindow: "outside of the window", NackCIE: "CIE", NackNRE: "NRE", NackInvalidCID: "invalid CID"}

func (c NackCode) String() string { return name(nackNames[:], uint8(c), "NackCode") }

// Known reports whether the code is not reserved.
func (c NackCode) Known(m *mode.Mode) bool {
	switch c {
	case NackResources, NackRNR, NackXlr, NackCIE, NackNRE, NackInvalidCID:
		return true
	case NackPeerWindow:
		return m.PeerNackCode5
	}
	return false
}

// rnrTimes are the RNR timeouts in units of 10 us (FAL-W10).
var rnrTimes = [32]uint32{65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
	2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152}

// RNRTimeoutNs is the time that an RNR timeout code of 5 bits stands for, in ns (FAL-W10). Higher bits are ignored.
func RNRTimeoutNs(code uint8) uint64 { return uint64(rnrTimes[code&31]) * 10_000 }

// Completion is how a transaction ended, 4 bits (FAL-W11).
type Completion uint8

const (
	CompletionAck            Completion = 0
	CompletionTargetCIE      Completion = 1
	CompletionTargetNRE      Completion = 3
	CompletionTargetCID      Completion = 4
	CompletionLocalTimeout   Completion = 8
	CompletionOperationError Completion = 9
	CompletionDeadConnection Completion = 0xA
	CompletionLocalResources Completion = 0xB
	CompletionULPCreditError Completion = 0xC
	CompletionRemoteError    Completion = 0xD
	CompletionLocalXlr       Completion = 0xF
)

var completionNames = [16]string{CompletionAck: "Ack", CompletionTargetCIE: "TargetNackCIE",
	CompletionTargetNRE: "TargetNackNRE", CompletionTargetCID: "TargetNackCID", CompletionLocalTimeout: "LocalTO",
	CompletionOperationError: "OpErr", CompletionDeadConnection: "DeadConn", CompletionLocalResources: "LocalRsrc",
	CompletionULPCreditError: "UlpCmplCdtErr", CompletionRemoteError: "RemoteErr", CompletionLocalXlr: "LocalXlr"}

// Known reports whether the code is not reserved.
func (c Completion) Known() bool { return c < 16 && completionNames[c] != "" }

// Name is the code's name: of its table, or of the flows with mode.CompletionShort; "reserved" where there is none.
func (c Completion) Name(m *mode.Mode) string {
	switch {
	case !c.Known():
		return "reserved"
	case m.CompletionShort && c == CompletionTargetCIE:
		return "kCmplTargetCIE"
	case m.CompletionShort && c == CompletionLocalXlr:
		return "kCmplXlr"
	}
	return "kCmpl" + completionNames[c]
}

func name(names []string, v uint8, kind string) string {
	if int(v) < len(names) && names[v] != "" {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", kind, v)
}
