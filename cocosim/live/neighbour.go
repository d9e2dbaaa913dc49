package live

import (
	"encoding/binary"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// neighbours answers who has our address, and learns the peer's MAC.
type neighbours struct {
	mac     MAC
	own     netip.Addr
	peer    netip.Addr
	peerMAC MAC // zero: not known yet
	parser  *gopacket.DecodingLayerParser
	eth     layers.Ethernet
	vlan    layers.Dot1Q
	arp     layers.ARP
	ip4     layers.IPv4
	ip6     layers.IPv6
	icmp    layers.ICMPv6
	ask     layers.ICMPv6NeighborSolicitation
	tell    layers.ICMPv6NeighborAdvertisement
	layers  []gopacket.LayerType
}

func newNeighbours(f *File) *neighbours {
	n := &neighbours{mac: f.MAC, own: f.Address.Addr, peer: f.Peer.Address.Addr, peerMAC: f.Peer.MAC}
	n.parser = gopacket.NewDecodingLayerParser(layers.LayerTypeEthernet, &n.eth, &n.vlan, &n.arp, &n.ip4, &n.ip6, &n.icmp,
		&n.ask, &n.tell)
	n.parser.IgnoreUnsupported = true
	return n
}

// known reports whether the peer's MAC is known.
func (n *neighbours) known() bool { return n.peerMAC != MAC{} }

// take looks at a frame, learns from it, and returns the answer that it asks for; nil: none.
func (n *neighbours) take(frame []byte) (answer []byte) {
	n.parser.DecodeLayers(frame, &n.layers) // what cannot be decoded has the layers in front of it
	for _, l := range n.layers {
		switch l {
		case layers.LayerTypeARP:
			return n.takeARP()
		case layers.LayerTypeIPv4:
			n.learnFrom(n.ip4.SrcIP, n.eth.SrcMAC)
		case layers.LayerTypeIPv6:
			n.learnFrom(n.ip6.SrcIP, n.eth.SrcMAC)
		case layers.LayerTypeICMPv6NeighborSolicitation:
			return n.takeSolicitation()
		case layers.LayerTypeICMPv6NeighborAdvertisement:
			n.learnFrom(n.tell.TargetAddress, linkOf(n.tell.Options, layers.ICMPv6OptTargetAddress))
		}
	}
	return nil
}

// learnFrom learns the peer's MAC, if the address is the peer's.
func (n *neighbours) learnFrom(ip, mac []byte) {
	if a, ok := netip.AddrFromSlice(ip); ok && a.Unmap() == n.peer && len(mac) == 6 && mac[0]&1 == 0 && !n.known() {
		copy(n.peerMAC[:], mac)
	}
}

func (n *neighbours) takeARP() []byte {
	a := &n.arp
	if a.Protocol != layers.EthernetTypeIPv4 || len(a.DstProtAddress) != 4 || len(a.SourceHwAddress) != 6 {
		return nil
	}
	n.learnFrom(a.SourceProtAddress, a.SourceHwAddress)
	target, _ := netip.AddrFromSlice(a.DstProtAddress)
	if a.Operation != layers.ARPRequest || target != n.own {
		return nil
	}
	return n.arpPacket(layers.ARPReply, a.SourceHwAddress, a.SourceHwAddress, a.SourceProtAddress)
}

func (n *neighbours) arpPacket(op uint16, to, mac, ip []byte) []byte {
	return frameOf(
		&layers.Ethernet{SrcMAC: n.mac[:], DstMAC: to, EthernetType: layers.EthernetTypeARP},
		&layers.ARP{AddrType: layers.LinkTypeEthernet, Protocol: layers.EthernetTypeIPv4, HwAddressSize: 6,
			ProtAddressSize: 4, Operation: op, SourceHwAddress: n.mac[:], SourceProtAddress: n.own.AsSlice(),
			DstHwAddress: mac, DstProtAddress: ip})
}

// takeSolicitation answers a neighbour solicitation (RFC 4861 7.2). One for duplicate address detection, from the
// unspecified address, is answered to all nodes.
func (n *neighbours) takeSolicitation() []byte {
	target, _ := netip.AddrFromSlice(n.ask.TargetAddress)
	n.learnFrom(n.ip6.SrcIP, linkOf(n.ask.Options, layers.ICMPv6OptSourceAddress))
	if target != n.own || n.ip6.HopLimit != 255 {
		return nil
	}
	const override, solicited = 0x20, 0x40
	to, toMAC, flags := n.ip6.SrcIP, []byte(n.eth.SrcMAC), uint8(override|solicited)
	if n.ip6.SrcIP.IsUnspecified() {
		to, toMAC, flags = netip.IPv6LinkLocalAllNodes().AsSlice(), []byte{0x33, 0x33, 0, 0, 0, 1}, override
	}
	return n.icmpPacket(toMAC, to, layers.ICMPv6TypeNeighborAdvertisement, &layers.ICMPv6NeighborAdvertisement{
		Flags: flags, TargetAddress: n.own.AsSlice(),
		Options: layers.ICMPv6Options{{Type: layers.ICMPv6OptTargetAddress, Data: n.mac[:]}}})
}

func (n *neighbours) icmpPacket(toMAC, to []byte, kind uint8, body gopacket.SerializableLayer) []byte {
	ip := &layers.IPv6{Version: 6, NextHeader: layers.IPProtocolICMPv6, HopLimit: 255, SrcIP: n.own.AsSlice(), DstIP: to}
	icmp := &layers.ICMPv6{TypeCode: layers.CreateICMPv6TypeCode(kind, 0)}
	icmp.SetNetworkLayerForChecksum(ip)
	eth := &layers.Ethernet{SrcMAC: n.mac[:], DstMAC: toMAC, EthernetType: layers.EthernetTypeIPv6}
	return frameOf(eth, ip, icmp, body)
}

// question asks for the peer's MAC.
func (n *neighbours) question() []byte {
	if n.own.Is4() {
		return n.arpPacket(layers.ARPRequest, layers.EthernetBroadcast, make([]byte, 6), n.peer.AsSlice())
	}
	// The solicited-node multicast address has the last 24 bits (RFC 4291 2.7.1).
	peer := n.peer.As16()
	to := netip.MustParseAddr("ff02::1:ff00:0").As16()
	copy(to[13:], peer[13:])
	toMAC := binary.BigEndian.AppendUint32([]byte{0x33, 0x33}, binary.BigEndian.Uint32(to[12:]))
	return n.icmpPacket(toMAC, to[:], layers.ICMPv6TypeNeighborSolicitation, &layers.ICMPv6NeighborSolicitation{
		TargetAddress: n.peer.AsSlice(),
		Options:       layers.ICMPv6Options{{Type: layers.ICMPv6OptSourceAddress, Data: n.mac[:]}}})
}

// linkOf is the link-layer address among the options of neighbour discovery; nil: none.
func linkOf(options layers.ICMPv6Options, kind layers.ICMPv6Opt) []byte {
	for i := range options {
		if options[i].Type == kind {
			return options[i].Data
		}
	}
	return nil
}

// frameOf puts layers together, and fills short frames to what Ethernet asks for.
func frameOf(all ...gopacket.SerializableLayer) []byte {
	const least = 60
	b := gopacket.NewSerializeBuffer()
	err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, all...)
	if err != nil {
		panic("live: " + err.Error()) // only fields of a wrong size can do this
	}
	frame := b.Bytes()
	return append(frame, make([]byte, max(0, least-len(frame)))...)
}
