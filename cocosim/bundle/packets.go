package bundle

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

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

// pcapng writes the packets that left the device; in place of a wrong one, if wanted, the one that should have.
func (w *writer) pcapng(name string, wanted bool) error {
	f, err := os.Create(filepath.Join(w.dir, name))
	if err != nil {
		return err
	}
	c := capture.NewWriter(f, "cosim")
	links := []int{c.Interface("ethernet", capture.LinkTypeEthernet), c.Interface("infiniband",
		capture.LinkTypeInfiniBand)}
	wrong := w.wrong()
	link := w.links()
	any := false
	for i := range w.given.Records {
		r := &w.given.Records[i]
		if p := w.report.Ports[r.Port]; p.Input || p.Kind != sim.Axis || r.Start > w.out.Cycle+marginCycles {
			continue
		}
		any = true
		data, comment := r.Data, w.report.User(w.report.Ports[r.Port].Name, r.User)
		if v, is := wrong[place{r.Port, r.Seq}]; is {
			comment = fmt.Sprintf("MISMATCH %s: %s", v.rule, v.text)
			if wanted && v.want != nil {
				data = v.want
			}
		}
		c.Packet(links[link[r.Cause]], int64(r.End), data, []byte(comment))
	}
	err = errors.Join(c.Flush(), f.Close())
	if !any { // a device of records: there is nothing that Wireshark could show
		err = errors.Join(err, os.Remove(filepath.Join(w.dir, name)))
	}
	return err
}

type place struct {
	port sim.Port
	seq  uint64
}

type finding struct {
	rule, text string
	want       []byte
}

func (w *writer) wrong() map[place]finding {
	out := map[place]finding{}
	for _, v := range w.report.Result.Violations {
		if v.Got == nil {
			continue
		}
		f := finding{rule: string(v.Rule), text: v.Text}
		if v.Want != nil {
			f.want = v.Want.Data
		}
		out[place{v.Got.Port, v.Got.Seq}] = f
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
