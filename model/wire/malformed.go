package wire

import "fmt"

// Reason says in what way a packet is malformed. The first eight are those of docs/blocks/icrc_check.md, by number.
type Reason uint8

const (
	WellFormed Reason = iota
	Runt              // the frame ends inside a header
	Header            // an IPv4 header of fewer than five words
	Fragment          // an IPv4 fragment
	Short             // the length field leaves no room for the headers
	Length            // two length fields disagree
	Truncated         // the length field goes beyond the frame
	Trailer           // more than 46 bytes after the packet

	// What follows only Decode gives.

	Cut           // the capture's snap length hides the answer: undecided, not malformed (END-1)
	TVer          // BTH transport version is not 0
	UnknownOpcode // OPC-1
	HeaderCut     // the packet ends inside a header that its opcode has (OPC-2)
	PadTooLong    // pad count above the bytes after the headers
	PayloadLength // no path MTU makes the payload's length legal for the opcode (LEN-1)
	Unaligned     // payload and pad are no multiple of 4
)

var reasonText = [...]struct{ name, text string }{
	WellFormed:    {"OK", "well formed"},
	Runt:          {"RUNT", "the frame ends inside this header"},
	Header:        {"HEADER", "the header says that it is shorter than its least size"},
	Fragment:      {"FRAGMENT", "the packet is an IP fragment"},
	Short:         {"SHORT", "the length field leaves no room for the headers"},
	Length:        {"LENGTH", "the length field disagrees with that of the header before"},
	Truncated:     {"TRUNCATED", "the length field goes beyond the frame"},
	Trailer:       {"TRAILER", "more than 46 bytes follow the packet"},
	Cut:           {"CUT", "undecided: the capture holds only the start of the frame"},
	TVer:          {"TVER", "the transport version is not 0"},
	UnknownOpcode: {"OPCODE", "the opcode is unknown"},
	HeaderCut:     {"HEADER_CUT", "the packet ends inside this header"},
	PadTooLong:    {"PAD", "the pad count exceeds the bytes that follow the headers"},
	PayloadLength: {"PAYLOAD_LENGTH", "the payload has a length that the opcode does not allow"},
	Unaligned:     {"UNALIGNED", "payload and pad are not a multiple of 4 bytes"},
}

// String returns the reason's name as in docs/blocks/icrc_check.md.
func (r Reason) String() string {
	if int(r) < len(reasonText) {
		return reasonText[r].name
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// Layer is a part of a packet, to say where something is wrong.
type Layer uint8

const (
	LayerNone Layer = iota
	LayerEthernet
	LayerVLAN
	LayerIPv4
	LayerIPv6
	LayerUDP
	LayerLRH
	LayerGRH
	LayerRWH
	LayerBTH
	LayerExtension
	LayerPayload
)

func (l Layer) String() string {
	return [...]string{"", "Ethernet", "VLAN tag", "IPv4", "IPv6", "UDP", "LRH", "GRH", "RWH", "BTH",
		"extension header", "payload"}[l]
}

// Malformed says what is wrong with a packet and where. The zero value is: nothing.
type Malformed struct {
	Layer  Layer
	Reason Reason
	Offset int // of the layer, from the start of the frame
}

// String is for people: "IPv4 at byte 14: the packet is an IP fragment (FRAGMENT)".
func (m Malformed) String() string {
	if m.Reason == WellFormed {
		return reasonText[WellFormed].text
	}
	return fmt.Sprintf("%v at byte %d: %s (%v)", m.Layer, m.Offset, reasonText[m.Reason].text, m.Reason)
}
