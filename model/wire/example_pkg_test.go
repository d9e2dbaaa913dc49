package wire_test

import (
	"fmt"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// A RoCEv2 packet is built with its ICRC, damaged, and taken apart.
func Example() {
	s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, Opcode: ib.Join(ib.RC, ib.SendOnly), DestQP: 0x12, PSN: 0xFFFFFF,
		AckReq: true}
	frame := s.Append(nil, []byte("five!"))

	var p wire.Packet
	wire.Decode(wire.LinkEthernet, frame, &p)
	fmt.Println(p.Op.Name, p.BTH().DestQP(), p.BTH().PSN(), p.BTH().Pad(), string(p.Payload), p.ICRC())

	frame[len(frame)-9] ^= 1 // the last byte of the payload
	wire.Decode(wire.LinkEthernet, frame, &p)
	fmt.Println(p.ICRC())
	// Output:
	// RC SEND Only 18 16777215 3 five! good
	// bad
}
