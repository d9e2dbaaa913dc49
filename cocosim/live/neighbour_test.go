package live

import (
	"net/netip"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"
)

var (
	macA = MAC{2, 0, 0, 0, 0, 10}
	macB = MAC{2, 0, 0, 0, 0, 11}
)

func nearOf(mac MAC, own, peer string) *neighbours {
	f := &File{MAC: mac, Address: Address{netip.MustParseAddr(own)}}
	f.Peer.Address = Address{netip.MustParseAddr(peer)}
	return newNeighbours(f)
}

// One who asks is answered and known from then on; who is asked for another address says nothing, and nothing is
// learned from a stranger.
func TestNeighbours(t *testing.T) {
	for _, ip := range [][4]string{{"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"},
		{"fe80::1", "fe80::abcd:ef02", "fe80::3", "fe80::4"}} {
		a, b := nearOf(macA, ip[0], ip[1]), nearOf(macB, ip[1], ip[0])
		question := a.question()
		require.GreaterOrEqual(t, len(question), 60)
		answer := b.take(question)
		require.NotNil(t, answer)
		require.Equal(t, macA, b.peerMAC)
		require.Nil(t, a.take(answer))
		require.Equal(t, macB, a.peerMAC)

		other := nearOf(MAC{2, 0, 0, 0, 0, 12}, ip[2], ip[3])
		require.Nil(t, other.take(question))
		require.Nil(t, other.take(answer))
		require.False(t, other.known())
		for n := range question { // no part of a frame can do harm
			a.take(question[:n])
			b.take(answer[:n])
		}
	}
}

// The frames are as gopacket, which has them from the RFCs, reads them: checksum, hop limit, group address.
func TestSolicitationForm(t *testing.T) {
	a := nearOf(macA, "fe80::1", "fe80::abcd:ef02")
	p := gopacket.NewPacket(a.question(), layers.LayerTypeEthernet, gopacket.Default)
	eth, ip := p.Layer(layers.LayerTypeEthernet).(*layers.Ethernet), p.Layer(layers.LayerTypeIPv6).(*layers.IPv6)
	require.Equal(t, "33:33:ff:cd:ef:02", eth.DstMAC.String())
	require.Equal(t, "ff02::1:ffcd:ef02", ip.DstIP.String())
	require.EqualValues(t, 255, ip.HopLimit)
	require.NoError(t, p.Layer(layers.LayerTypeICMPv6).(*layers.ICMPv6).SetNetworkLayerForChecksum(ip))
	err, wrong := p.VerifyChecksums()
	require.NoError(t, err)
	require.Empty(t, wrong)
	require.NotNil(t, p.Layer(layers.LayerTypeICMPv6NeighborSolicitation))

	// Duplicate address detection: asked from the unspecified address, all nodes are told.
	b := nearOf(macB, "fe80::abcd:ef02", "fe80::1")
	dad := nearOf(macA, "::", "fe80::abcd:ef02")
	p = gopacket.NewPacket(b.take(dad.question()), layers.LayerTypeEthernet, gopacket.Default)
	require.Equal(t, "ff02::1", p.Layer(layers.LayerTypeIPv6).(*layers.IPv6).DstIP.String())
	tell := p.Layer(layers.LayerTypeICMPv6NeighborAdvertisement).(*layers.ICMPv6NeighborAdvertisement)
	require.False(t, tell.Solicited())
	require.True(t, tell.Override())
	require.False(t, b.known())
}
