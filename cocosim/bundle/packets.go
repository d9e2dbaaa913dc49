package bundle

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"hcacosim/cocosim"
	"hcacosim/cocosim/html"
	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
)

// source gives a list of records to a vector set.
type source struct {
	list []sim.Offer
	at   int
	seqs []uint64
	why  []byte
}

func newSource(list []sim.Offer, ports int) *source {
	return &source{list: list, seqs: make([]uint64, ports)}
}

func (s *source) Next(r *sim.Offer) error {
	if s.at == len(s.list) {
		return io.EOF
	}
	*r = s.list[s.at]
	r.Seq = s.seqs[r.Port]
	s.seqs[r.Port]++
	s.at++
	return nil
}

func (s *source) Why() []byte {
	s.why = strconv.AppendInt(append(s.why[:0], "record "...), int64(s.at-1), 10)
	return s.why
}

// line is a record of actual.jsonl.
type line struct {
	Port  string `json:"port"`
	Seq   uint64 `json:"seq"`
	Start uint64 `json:"start"`
	End   uint64 `json:"end"`
	User  uint32 `json:"user,omitempty"`
	Data  string `json:"data"`
}

// marginCycles is how long behind the failure what the device gave is kept.
const marginCycles = 4096

// packets writes what the device gave: every record as a line, and packets as Wireshark opens them, with what was
// wanted beside.
func (w *writer) packets(context.Context) error {
	if err := html.Fill(w.spec, w.records, w.report, w.given.Records); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(w.dir, ActualFile))
	if err != nil {
		return err
	}
	e := json.NewEncoder(f)
	for i := range w.given.Records {
		r := &w.given.Records[i]
		if r.Start > w.out.Cycle+marginCycles {
			break // what comes long after the failure explains nothing
		}
		if err := e.Encode(line{w.report.Ports[r.Port].Name, r.Seq, r.Start, r.End, r.User,
			hex.EncodeToString(r.Data)}); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(f.Close(), w.pcapng("actual.pcapng", false), w.pcapng("expected.pcapng", true))
}

// pcapng writes the packets that left the device; in place of a wrong one, if wanted, the one that should have. Of a
// device that answers in records it writes the packets that went in. Every packet has a comment: "agrees", or
// "MISMATCH" with the rule and what differs.
func (w *writer) pcapng(name string, wanted bool) error {
	f, err := os.Create(filepath.Join(w.dir, name))
	if err != nil {
		return err
	}
	c := capture.NewWriter(f, "cosim")
	links := []int{c.Interface("ethernet", capture.LinkTypeEthernet), c.Interface("infiniband",
		capture.LinkTypeInfiniBand)}
	link := w.links()
	list := w.answers(wanted)
	for _, p := range list {
		c.Packet(links[link[p.cause]], int64(p.cycle), p.data, []byte(p.comment))
	}
	err = errors.Join(c.Flush(), f.Close())
	if len(list) == 0 { // neither side of the device has packets: there is nothing that Wireshark could show
		err = errors.Join(err, os.Remove(filepath.Join(w.dir, name)))
	}
	return err
}

// shownPacket is a packet of one of the captures.
type shownPacket struct {
	cause, cycle uint64
	data         []byte
	comment      string
}

// answers are the packets of a capture, in the order of time.
func (w *writer) answers(wanted bool) (list []shownPacket) {
	if w.answersInRecords() {
		return w.questions(wanted)
	}
	wrong := w.wrong()
	for i := range w.given.Records {
		r := &w.given.Records[i]
		if p := w.report.Ports[r.Port]; p.Input || p.Kind != sim.Axis || r.Start > w.out.Cycle+marginCycles {
			continue
		}
		s := shownPacket{r.Cause, r.End, r.Data, "agrees: " + w.report.User(w.report.Ports[r.Port].Name, r.User)}
		if v, is := wrong[place{r.Port, r.Seq}]; is {
			if s.comment = v.comment(w, wanted); wanted && v.Want == nil {
				continue // nothing should have come
			}
			if wanted {
				s.data = v.Want.Data
			}
		}
		list = append(list, s)
	}
	for _, v := range w.report.Result.Violations {
		if wanted && v.Got == nil && v.Want != nil && w.report.Ports[v.Want.Port].Kind == sim.Axis {
			list = append(list, shownPacket{v.Want.Cause, v.Cycle, v.Want.Data, finding{v}.comment(w, wanted)})
		}
	}
	slices.SortStableFunc(list, func(a, b shownPacket) int { return cmp.Compare(a.cycle, b.cycle) })
	return list
}

// answersInRecords reports whether the device takes packets and answers with records of fields.
func (w *writer) answersInRecords() bool {
	packets, records := false, false
	for _, p := range w.report.Ports {
		packets = packets || p.Input && p.Kind == sim.Axis
		records = records || !p.Input && p.Kind != sim.Axis
	}
	return packets && records
}

// questions are the packets that went into a device that answers in records.
func (w *writer) questions(wanted bool) (list []shownPacket) {
	wrong := map[uint64]finding{}
	for _, v := range w.report.Result.Violations {
		if _, has := wrong[v.Packet]; v.Known && !has {
			wrong[v.Packet] = finding{v}
		}
	}
	for i := range w.given.Records {
		r := &w.given.Records[i]
		if p := w.report.Ports[r.Port]; !p.Input || p.Kind != sim.Axis || r.Start > w.out.Cycle+marginCycles {
			continue
		}
		s := shownPacket{r.Seq, r.End, r.Data, "agrees"}
		if v, is := wrong[r.Seq]; is {
			s.comment = v.comment(w, wanted)
		}
		list = append(list, s)
	}
	return list
}

type place struct {
	port sim.Port
	seq  uint64
}

// finding is a violation as a comment of a packet.
type finding struct{ *cocosim.Violation }

// comment begins with MISMATCH and the rule, so that a filter finds it: frame.comment contains "MISMATCH DATA".
func (f finding) comment(w *writer, wanted bool) string {
	s := fmt.Sprintf("MISMATCH %s on %s: %s", f.Rule, f.Port, f.Text)
	for _, d := range w.report.Differences(f.Violation) {
		s += fmt.Sprintf("; %s: want %s, got %s", d.Name, d.Want, d.Got)
	}
	side, what := f.Got, "; got "
	if wanted {
		side, what = f.Want, "; want "
	}
	switch {
	case side == nil:
		return s + what + "nothing"
	case w.report.User(f.Port, side.User) != "":
		return s + what + w.report.User(f.Port, side.User)
	}
	return s
}

func (w *writer) wrong() map[place]finding {
	out := map[place]finding{}
	for _, v := range w.report.Result.Violations {
		if v.Got != nil {
			out[place{v.Got.Port, v.Got.Seq}] = finding{v}
		}
	}
	return out
}

// links tells the link of each packet that went in, by its number: the low bit of its sideband.
func (w *writer) links() map[uint64]uint32 {
	out := map[uint64]uint32{}
	for i := range w.given.Records {
		r := &w.given.Records[i]
		if p := w.report.Ports[r.Port]; p.Input && p.Kind == sim.Axis {
			out[r.Seq] = 1
			if p.UserBits > 0 {
				out[r.Seq] = r.User & 1
			}
		}
	}
	return out
}
