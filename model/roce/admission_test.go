package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

func ip4(last byte) roce.Address {
	return roce.Address{10: 0xFF, 11: 0xFF, 12: 10, 13: 1, 15: last}
}

// group is 239.0.0.x.
func group(last byte) roce.Address {
	return roce.Address{10: 0xFF, 11: 0xFF, 12: 239, 15: last}
}

// desk is a port with a queue pair of each service and a packet for one of them.
type desk struct {
	port roce.Port
	qp   roce.Destination
	head roce.Heading
	none bool // there is no queue pair of the number
}

func (d *desk) admit() roce.Rule {
	if d.none {
		return d.port.Admit(nil, &d.head)
	}
	return d.port.Admit(&d.qp, &d.head)
}

// good is a packet that every rule admits.
func good(service ib.Transport) desk {
	d := desk{
		port: roce.Port{
			Own:   [roce.MaxAddresses]roce.Address{ip4(1), ip4(3)},
			PKeys: [roce.MaxPKeys]uint16{0xFFFF, 0x8001, 0x0002},
		},
		qp: roce.Destination{Number: 0x25, Service: service, State: roce.RTR, Peer: ip4(2), Global: true},
		head: roce.Heading{Src: ip4(2), Dst: ip4(1), Global: true, WellFormed: true, Op: ib.Join(service, ib.SendOnly),
			DestQP: 0x25, PKey: 0xFFFF, ICRCGood: true},
	}
	return d
}

// faults of a heading, by the rule that drops it.
var admissionFaults = []struct {
	rule roce.Rule
	what string
	do   func(d *desk)
}{
	{"ADM-1", "for another address", func(d *desk) { d.head.Dst = ip4(9) }},
	{"ADM-1", "for the address of empty entries", func(d *desk) { d.head.Dst = roce.Address{} }},
	{"ADM-1", "for a group, of RC", func(d *desk) { d.qp.Groups[0], d.head.Dst = group(1), group(1) }},
	{"ADM-2", "TVer", func(d *desk) { d.head.TVer = 1 }},
	{"ADM-2", "malformed", func(d *desk) { d.head.WellFormed = false }},
	{"ADM-3", "no such queue pair", func(d *desk) { d.none = true }},
	{"ADM-3", "another number", func(d *desk) { d.head.DestQP = 0x26 }},
	{"ADM-3", "opcode of another service", func(d *desk) { d.head.Op = ib.Join(ib.UD, ib.SendOnly) }},
	{"ADM-3", "opcode unknown", func(d *desk) { d.head.Op = ib.Opcode(ib.RC) | 0x1F }},
	{"ADM-3", "the state receives nothing: reset", func(d *desk) { d.qp.State = roce.Reset }},
	{"ADM-3", "the state receives nothing: init", func(d *desk) { d.qp.State = roce.Init }},
	{"ADM-3", "the state receives nothing: error", func(d *desk) { d.qp.State = roce.Error }},
	{"ADM-4", "not from the peer", func(d *desk) { d.head.Src = ip4(4) }},
	{"ADM-4", "no GRH, and the path has one", func(d *desk) { d.head.Global = false }},
	{"ADM-5", "another partition", func(d *desk) { d.head.PKey = 0xFFFE }},
	{"ADM-5", "another entry of the table", func(d *desk) { d.qp.PKeyIndex = 1 }},
	{"ADM-5", "limited to limited", func(d *desk) { d.qp.PKeyIndex, d.head.PKey = 2, 0x0002 }},
	{"ADM-5", "no key", func(d *desk) { d.qp.PKeyIndex, d.head.PKey = 3, 0x8000 }},
	{"ADM-5", "no key on either side", func(d *desk) { d.qp.PKeyIndex, d.head.PKey, d.port.PKeys[3] = 3, 0x8000, 0x8000 }},
	{"ADM-5", "no such entry", func(d *desk) { d.qp.PKeyIndex = roce.MaxPKeys }},
	{"ADM-6", "ICRC", func(d *desk) { d.head.ICRCGood = false }},
}

// ADM-1 to ADM-6: each fault alone is dropped by its rule.
func TestAdmission(t *testing.T) {
	d := good(ib.RC)
	require.Empty(t, d.admit())
	for _, f := range admissionFaults {
		d := good(ib.RC)
		f.do(&d)
		require.Equal(t, f.rule, d.admit(), f.what)
	}
}

// ADM-1 to ADM-6: of two faults the rule that comes first drops the packet, whichever two they are.
func TestAdmissionOrder(t *testing.T) {
	pairs := 0
	for i, first := range admissionFaults {
		for _, second := range admissionFaults[i+1:] {
			if first.rule == second.rule {
				continue
			}
			a, b := good(ib.RC), good(ib.RC)
			first.do(&a)
			second.do(&a)
			second.do(&b)
			first.do(&b)
			if a != b {
				continue // the two write the same field, so that one of the faults is gone
			}
			pairs++
			require.Equal(t, first.rule, a.admit(), "%s, and %s", first.what, second.what)
		}
	}
	require.Greater(t, pairs, 150)
}

// ADM-1 to ADM-5: what is no fault.
func TestAdmitted(t *testing.T) {
	for _, c := range []struct {
		what    string
		service ib.Transport
		do      func(d *desk)
	}{
		{"the second address", ib.RC, func(d *desk) { d.head.Dst = ip4(3) }},
		{"a limited member to a full one", ib.RC, func(d *desk) { d.head.PKey = 0x7FFF }},
		{"a full member to a limited one", ib.RC, func(d *desk) { d.qp.PKeyIndex, d.head.PKey = 2, 0x8002 }},
		{"ready to send", ib.RC, func(d *desk) { d.qp.State = roce.RTS }},
		{"UC", ib.UC, func(d *desk) {}},
		{"UD from anybody", ib.UD, func(d *desk) { d.head.Src = ip4(4) }},
		{"UD without GRH", ib.UD, func(d *desk) { d.head.Global = false }},
		{"UD to a group", ib.UD, func(d *desk) {
			d.qp.Groups[1], d.head.Dst, d.head.DestQP = group(1), group(1), roce.MulticastQP
		}},
		{"local path without GRH", ib.RC, func(d *desk) { d.qp.Global, d.head.Global = false, false }},
	} {
		d := good(c.service)
		c.do(&d)
		require.Empty(t, d.admit(), c.what)
	}
}

// ADM-1, ADM-3: a group that the queue pair did not join, and one that it joined under its own number.
func TestAdmissionOfGroups(t *testing.T) {
	d := good(ib.UD)
	d.qp.Groups[0], d.head.Dst, d.head.DestQP = group(1), group(2), roce.MulticastQP
	require.EqualValues(t, "ADM-1", d.admit())
	d.none = true
	require.EqualValues(t, "ADM-1", d.admit())
	d = good(ib.UD)
	d.qp.Groups[0], d.head.Dst = group(1), group(1)
	require.EqualValues(t, "ADM-3", d.admit())
	d = good(ib.UD)
	d.qp.Groups[0], d.head.Dst = ip4(7), ip4(7) // no group
	require.EqualValues(t, "ADM-1", d.admit())
}

// ADM-1 to ADM-6: deciding allocates nothing.
func TestAdmissionDoesNotAllocate(t *testing.T) {
	d := good(ib.RC)
	require.Zero(t, testing.AllocsPerRun(100, func() { d.admit() }))
}
