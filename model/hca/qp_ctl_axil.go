package hca

import "hcacosim/model/sim"

// AxilWrite is the data of a write, a record on s_w of a slave of AXI4-Lite.
type AxilWrite struct {
	Data   uint32
	Strobe uint8 // bit n: byte n is written
}

// Sizes of the records of AXI4-Lite.
const (
	AxilAddressBytes = 2 // s_aw, s_ar: 12 bits
	AxilWriteBytes   = 5 // s_w
)

func (w *AxilWrite) layout(l *sim.Layout) {
	sim.Field(l, &w.Data, 32)
	sim.Field(l, &w.Strobe, 4)
}

var axilWriteForm = sim.FormOf((*AxilWrite).layout)

// Append appends the record as it goes over the port.
func (w *AxilWrite) Append(b []byte) []byte {
	return axilWriteForm.Append(b, w)
}

// AppendAxilAddress appends a record of s_aw or s_ar.
func AppendAxilAddress(b []byte, address uint16) []byte {
	l := sim.WriteLayout(b)
	sim.Field(&l, &address, 12)
	return l.End()
}

// ParseAxilAddress reads a record of s_aw or s_ar.
func ParseAxilAddress(b []byte) (address uint16) {
	l := sim.ReadLayout(b)
	sim.Field(&l, &address, 12)
	return address
}

// ParseAxilWrite reads a record of s_w.
func ParseAxilWrite(b []byte) AxilWrite { return axilWriteForm.Parse(b) }

// ParseAxilRead reads a record of m_r.
func ParseAxilRead(b []byte) (data uint32, resp QPCtlResp) {
	l := sim.ReadLayout(b)
	sim.Field(&l, &data, 32)
	sim.Field(&l, &resp, 2)
	return data, resp
}

// The ports of qp_ctl_axil. s_event is the first: an access sees the events of the cycle in which it is there.
const (
	axilEvents sim.Port = iota
	axilAW
	axilW
	axilAR
	axilB
	axilR
	axilOps
)

var qpCtlAxilSpec = sim.StageSpec{
	Name:    "qp_ctl_axil",
	Summary: "the registers of qp_ctl behind a slave of AXI4-Lite",
	ByTime:  true,
	Ports: []sim.PortSpec{
		{Name: "s_event", Input: true, Kind: sim.Fields, Bits: 10},
		{Name: "s_aw", Input: true, Kind: sim.Fields, Bits: 12},
		{Name: "s_w", Input: true, Kind: sim.Fields, Bits: 36},
		{Name: "s_ar", Input: true, Kind: sim.Fields, Bits: 12},
		{Name: "m_b", Kind: sim.Fields, Bits: 2},
		{Name: "m_r", Kind: sim.Fields, Bits: 34},
		{Name: "m_op", Kind: sim.Fields, Bits: 568},
	},
	New: func(s sim.Settings) sim.Stage { return &qpCtlAxil{ctl: qpCtlSpec.New(s)} },
}

// axilChannels pairs addresses with data: the n-th with the n-th.
type axilChannels struct {
	addresses []uint16
	writes    []AxilWrite
}

func (c *axilChannels) reset() { c.addresses, c.writes = c.addresses[:0], c.writes[:0] }

// address and data take half of a write; read takes a read. Each reports whether an access is there now.
func (c *axilChannels) address(b []byte) (a QPCtlAccess, there bool) {
	c.addresses = append(c.addresses, ParseAxilAddress(b))
	return c.pair()
}

func (c *axilChannels) data(b []byte) (a QPCtlAccess, there bool) {
	c.writes = append(c.writes, ParseAxilWrite(b))
	return c.pair()
}

func (c *axilChannels) read(b []byte) QPCtlAccess { return QPCtlAccess{Address: ParseAxilAddress(b)} }

func (c *axilChannels) pair() (a QPCtlAccess, there bool) {
	if len(c.addresses) == 0 || len(c.writes) == 0 {
		return a, false
	}
	a = QPCtlAccess{Write: true, Address: c.addresses[0], Data: c.writes[0].Data, Strobe: c.writes[0].Strobe}
	c.addresses = append(c.addresses[:0], c.addresses[1:]...)
	c.writes = append(c.writes[:0], c.writes[1:]...)
	return a, true
}

// qpCtlAxil is the stage of docs/blocks/qp_ctl_axil.md.
type qpCtlAxil struct {
	ctl        sim.Stage
	channels   axilChannels
	seq        [axilOps + 1]uint64
	one        [1]sim.Record // that qp_ctl is given
	given      []sim.Record  // by qp_ctl, for it
	in, record []byte        // in is what qp_ctl was given; record, of one Advance, is shared by its outputs
}

func (s *qpCtlAxil) Reset() {
	s.ctl.Reset()
	s.channels.reset()
	s.seq = [axilOps + 1]uint64{}
}

func (s *qpCtlAxil) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.record = s.record[:0]
	for i := range in {
		r := &in[i]
		var a QPCtlAccess
		there := true
		switch r.Port {
		case axilEvents:
			s.give(r, qpCtlEvent, r.End, r.Data)
			continue
		case axilAW:
			a, there = s.channels.address(r.Data)
		case axilW:
			a, there = s.channels.data(r.Data)
		case axilAR:
			a = s.channels.read(r.Data)
		}
		if there {
			s.in = a.Append(s.in[:0])
			s.give(r, qpCtlBus, r.End+1, s.in)
			out = s.collect(r, out)
		}
	}
	return out
}

// give gives qp_ctl a record that it accepts in a cycle.
func (s *qpCtlAxil) give(r *sim.Record, port sim.Port, cycle uint64, data []byte) {
	s.one[0] = sim.Record{Start: cycle, End: cycle, Seq: r.Seq, Port: port, Data: data}
	s.given = s.ctl.Advance(cycle, s.one[:], s.given[:0])
}

// collect gives out what qp_ctl gave: an answer on the channel of its access, and operations.
func (s *qpCtlAxil) collect(r *sim.Record, out []sim.Record) []sim.Record {
	for i := range s.given {
		g := s.given[i]
		at := len(s.record)
		if g.Port == qpCtlOp {
			g.Port, s.record = axilOps, append(s.record, g.Data...)
		} else {
			a := ParseQPCtlAnswer(g.Data)
			g.Port, s.record = a.appendAxil(s.record)
		}
		g.Cause, g.Key, g.Seq, g.Data = r.Seq, r.Key, s.seq[g.Port], s.record[at:len(s.record):len(s.record)]
		s.seq[g.Port]++
		out = append(out, g)
	}
	return out
}

// appendAxil appends the response as its channel has it.
func (a *QPCtlAnswer) appendAxil(b []byte) (sim.Port, []byte) {
	l := sim.WriteLayout(b)
	port := axilB
	if !a.Write {
		port = axilR
		sim.Field(&l, &a.Data, 32)
	}
	sim.Field(&l, &a.Resp, 2)
	return port, l.End()
}
