package report

import (
	"fmt"
	"strconv"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/model/ib"
)

// given is what the record asked for that a violation is about. What the device does not have, or is not known, is
// empty.
type given struct {
	op     string // the operation of a record that is no packet: "set"
	opcode string // of a packet, without First, Middle, Last and Only: "RC SEND", "RC RNR NAK"
	place  string // where its PSN lies: see places
	wraps  bool   // 0 lies between its PSN and the one that it is compared with
}

// String is what a signature says of it.
//
//	RC WRITE, PSN duplicate
func (g *given) String() string {
	parts := make([]string, 0, 2)
	if what := g.op + g.opcode; what != "" {
		parts = append(parts, what)
	}
	if g.place != "" {
		parts = append(parts, "PSN "+g.place)
	}
	return strings.Join(parts, ", ")
}

// given tells what the model knows of the stimulus of a violation.
func (r *Report) given(v *cocosim.Violation) (g given) {
	in, want := r.inputOf(v), r.wantOf(v)
	stage := ""
	if r.Manifest != nil {
		stage = r.Manifest.Model
	}
	op, hasOp := in.number("op")
	switch code, ok := in.number("opcode"); {
	case hasOp && (op != 0 || !ok):
		g.op = operationOf(stage, op)
	case ok:
		g.opcode = family(ib.Opcode(code), in)
	default: // a packet came in: a device that reads its opcode gives it
		if code, ok = want.number("opcode"); ok {
			g.opcode = family(ib.Opcode(code), want)
		}
	}
	if place := places[stage]; place != nil && in != nil && want != nil {
		g.place, g.wraps = place(in, want)
	}
	return g
}

// values are the fields of a record by name.
type values map[string]string

func valuesOf(fields []fieldValue) values {
	if fields == nil {
		return nil
	}
	v := values{}
	for _, f := range fields {
		v[f.name] = f.value
	}
	return v
}

// number is a field of at most 64 bits; ok is false where there is none.
func (v values) number(name string) (n uint64, ok bool) { return numberOf(v[name]) }

// numberOf reads a field's value.
func numberOf(text string) (n uint64, ok bool) {
	n, err := strconv.ParseUint(strings.TrimSuffix(text, "h"), 16, 64)
	return n, err == nil
}

func (r *Report) inputOf(v *cocosim.Violation) values {
	if v.Input == nil || int(v.Input.Port) >= len(r.Ports) {
		return nil
	}
	return valuesOf(fieldsOf(r.Manifest, r.Ports[v.Input.Port].Name, v.Input.Data))
}

func (r *Report) wantOf(v *cocosim.Violation) values {
	if v.Want == nil {
		return nil
	}
	return valuesOf(fieldsOf(r.Manifest, v.Port, v.Want.Data))
}

// operations are the names of the operations of the blocks, as docs/blocks has them, by the model's stage and their
// code.
var operations = map[string][]string{
	"ack_gen":        {"answer", "set", "own", "CNP", "answer of an atomic", "READ response"},
	"falcon_window":  {"packet", "acknowledge", "take", "send", "back", "eack", "set", "reset"},
	"mr_lookup":      {"check", "set", "remove", "invalidate"},
	"req_ack_check":  {"response", "sent", "configure", "close", "retry", "go on", "look", "look"},
	"resp_psn_check": {"packet", "set", "ready", "error", "reset", "freed", "inject", "counts"},
	"retx_timer":     {"configure", "start", "progress", "stop", "wait", "nak", "timeout", "resume"},
	"rx_classify":    {"packet", "set", "remove", "address", "P_Key"},
}

func operationOf(stage string, op uint64) string {
	if names := operations[stage]; op < uint64(len(names)) {
		return names[op]
	}
	return fmt.Sprintf("op %xh", op)
}

// family is what an opcode asks for, whatever the part of its message. An ACK is told by its syndrome, where that is
// known.
//
//	RC WRITE Last with immediate: "RC WRITE"
func family(code ib.Opcode, in values) string {
	info := ib.Lookup(code)
	if info == nil {
		return "unknown opcode"
	}
	name, _, _ := strings.Cut(info.Name, " with ")
	for _, p := range []string{"First", "Middle", "Last", "Only"} {
		if short, ok := strings.CutSuffix(name, " "+p); ok {
			return short
		}
	}
	if s, ok := in.number("syndrome"); ok && info.Operation == ib.Ack {
		name = strings.TrimSuffix(name, "ACK") + answers[ib.Syndrome(s).Kind()]
	}
	return name
}

var answers = map[ib.SyndromeKind]string{ib.KindAck: "ACK", ib.KindRNR: "RNR NAK", ib.KindNAK: "NAK",
	ib.KindReserved: "reserved syndrome"}
