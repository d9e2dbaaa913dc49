package flow_test

import (
	"fmt"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

type wirePacket = wire.Packet

func show(f *vectors.Frame, w *wire.Packet) string {
	wire.DecodeCut(f.Link, f.Data, f.OrigLen, w)
	if w.BTH() == nil {
		return "-"
	}
	s := ""
	if w.Op != nil {
		s = w.Op.Name
	}
	id := uint16(0)
	if w.IPv4() != nil {
		id = w.IPv4().ID()
	}
	src := source(w)
	x := ""
	if w.AETH() != nil {
		x = fmt.Sprintf("syn %02X msn %d", uint8(w.AETH().Syndrome()), w.AETH().MSN())
	}
	return fmt.Sprintf("from %d id %04X %s %06X %s %v", src[len(src)-1], id, s, uint32(w.BTH().PSN()), x, w.ICRC())
}
