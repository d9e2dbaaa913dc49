package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// hcaRxWorld is what a port of hca_rx has in a run, whatever the round: a QP that is set in one round is used in the
// next. Each bit of it is drawn: what an answer turns round or leaves out, shows.
type hcaRxWorld struct {
	v4, v6 wire.GID
	lid    uint16
	pkeys  [hcaRxPKeys]uint16
}

// hcaRxPKeys is how many P_Keys a port has. A QP has one of them.
const hcaRxPKeys = 4

// hcaRxLimited is the entry of the P_Key whose membership is limited: its peers are full members.
const hcaRxLimited = 2

// fullMember is the bit of a P_Key.
const fullMember = 0x8000

// world draws what the port has from the seed of the run.
func (g *Generator) world() (w hcaRxWorld) {
	r := NewRand(mix64(g.seed^nameHash("world")), 0)
	w.v4, w.v6, w.lid = anyIPv4(&r), anyIPv6(&r), anyLID(&r)
	for i := range w.pkeys {
		w.pkeys[i] = uint16(r.Below(fullMember)) | fullMember
	}
	w.pkeys[hcaRxLimited] &^= fullMember
	return w
}

// anyIPv4 draws an address of 10.0.0.0/8.
func anyIPv4(r *Rand) wire.GID {
	return wire.FromIPv4(10, uint8(r.Uint64()), uint8(r.Uint64()), uint8(r.Uint64()))
}

// anyIPv6 draws an address of fd00::/8.
func anyIPv6(r *Rand) (a wire.GID) {
	r.Fill(a[:])
	a[0] = 0xFD
	return a
}

// unicastLIDs is how many local identifiers are of one port each: the numbers below, but 0.
const unicastLIDs = 0xC000

func anyLID(r *Rand) uint16 { return uint16(r.Between(1, unicastLIDs-1)) }

// ofLID is the address of a port on its subnet.
func ofLID(lid uint16) wire.GID { return wire.GID{14: uint8(lid >> 8), 15: uint8(lid)} }

// pkeyOf is the entry of QP number i of a plan, and what its peer has in its packets.
func (w *hcaRxWorld) pkeyOf(r *Rand, i int) (entry uint8, pkey uint16) {
	entry = uint8(i % hcaRxPKeys)
	if pkey = w.pkeys[entry] | fullMember; entry != hcaRxLimited && r.OneIn(4) {
		pkey &^= fullMember
	}
	return entry, pkey
}

// hcaRxCommon are addresses and P_Keys.
func hcaRxCommon(g *Generator, r *Rand) []hca.HcaRxOp {
	mac, w := hca.AckQuery{Op: hca.AckOwn}, g.world()
	r.Fill(mac.MAC[:])
	list := []hca.HcaRxOp{{To: hca.ToAnswers, Record: mac.Append(nil), Why: "own MAC"}}
	own := [...]roce.Address{roce.Address(w.v4), roce.Address(w.v6), roce.Address(ofLID(w.lid)), {0: 0xFE, 15: 2}}
	for i, a := range own {
		q := hca.ClassifyQuery{Op: hca.ClassifyAddress, Entry: uint8(i), Src: a}
		list = append(list, hca.HcaRxOp{To: hca.ToClassify, Record: q.Append(nil), Why: "own address"})
	}
	for i, k := range w.pkeys {
		q := hca.ClassifyQuery{Op: hca.ClassifyPKey, Entry: uint8(i), PKey: k}
		list = append(list, hca.HcaRxOp{To: hca.ToClassify, Record: q.Append(nil), Why: "P_Key"})
	}
	return list
}

// anyVLANs draws up to two tags.
func anyVLANs(r *Rand) []wire.VLANTag {
	tags := make([]wire.VLANTag, r.Below(3))
	for i := range tags {
		tags[i] = wire.VLANTag{TPID: [...]uint16{0x8100, 0x88A8}[r.Below(2)], TCI: uint16(r.Uint64())}
	}
	return tags
}

// anyRights draws what a key may be used for: all, mostly.
func anyRights(r *Rand) uint8 {
	switch {
	case r.OneIn(12):
		return uint8(r.Below(32))
	case r.OneIn(4): // all but one
		return 31 &^ (1 << r.Below(5))
	}
	return [...]uint8{31, 31, 31, 1, 3, 15, 23, 27}[r.Below(8)]
}
