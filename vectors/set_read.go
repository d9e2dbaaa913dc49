package vectors

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// Stimulus reads the inputs of a vector set in the order in which they were written.
type Stimulus struct {
	reader
	pending bool   // lines holds a line that is not used up
	at      uint64 // the line that Next returned last; 0 where it was a packet
}

// Records reads what a device must give for a vector set, in the order in which it was written.
type Records struct{ reader }

// reader is what reading either side takes.
type reader struct {
	set     *Set
	in      *capture.Reader
	file    *os.File
	lines   recordReader
	frame   capture.Frame
	packets uint64 // that Next returned
	seqs    []uint64
}

// Stimulus reads the inputs of the set: User has bit 0 set for an IB native packet where the port has a
// sideband.
func (s *Set) Stimulus() (*Stimulus, error) {
	r := new(Stimulus)
	if err := r.open(s, stimulusFile); err != nil {
		return nil, err
	}
	if s.Files[recordsFile].Records > s.ExpectRecords { // else no line is of the stimulus
		if err := r.inputLine(); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// Expected reads the records that the device must give.
func (s *Set) Expected() (*Records, error) {
	r := new(Records)
	if err := r.open(s, expectFile); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *reader) open(s *Set, name string) error {
	in, err := capture.Open(filepath.Join(s.Dir, name))
	if err != nil {
		return err
	}
	r.set, r.in, r.seqs = s, in, make([]uint64, len(s.Ports))
	path := filepath.Join(s.Dir, recordsFile)
	if r.file, err = os.Open(path); err != nil {
		in.Close()
		return capture.OpenError(path, err)
	}
	r.lines = newRecordReader(r.file, path)
	return nil
}

// Why is the comment of the packet that Next returned last: why it is there. A record that is no packet has none.
func (r *Stimulus) Why() []byte {
	if r.at > 0 {
		return nil
	}
	return r.reader.Why()
}

// Why is the comment of the packet that Next returned last: why it is there, or what is expected.
func (r *reader) Why() []byte { return r.frame.Comment }

// By is, of the expected record that Next returned last, how many cycles after the last beat of its cause it has to
// have come on a port that is not stalled; 0 where that is not known.
func (r *Records) By() uint64 { return r.lines.rec.By }

// Rules are, of the expected record that Next returned last, the rules that decided it, as the line lists them:
// "PSN-1","PSN-2".
func (r *Records) Rules() string { return string(r.lines.rec.Rules) }

// Close closes the files.
func (r *reader) Close() error { return errors.Join(r.in.Close(), r.file.Close()) }

// Origin says where input i came from. It reads the set again from its start.
func (r *Stimulus) Origin(i uint64) string {
	again, err := r.set.Stimulus()
	if err != nil {
		return fmt.Sprintf("%s, record %d", r.set.Dir, i)
	}
	defer again.Close()
	var o sim.Offer
	for range i + 1 {
		if err := again.Next(&o); err != nil {
			return fmt.Sprintf("%s, record %d", r.set.Dir, i)
		}
	}
	where := fmt.Sprintf("%s, packet %d", r.in.Name(), again.frame.Number)
	if again.at > 0 {
		where = fmt.Sprintf("%s, line %d: record %d of %s", r.lines.name, again.at, o.Seq, r.set.Ports[o.Port].Name)
	}
	if why := again.Why(); len(why) > 0 {
		where += ": " + string(why)
	}
	return where
}

// nextPacket goes to the next packet of the capture: it is then in frame. It returns the packet's port, its number
// there and its sideband.
func (r *reader) nextPacket() (port sim.Port, seq uint64, user uint32, err error) {
	if r.frame, err = r.in.Next(); err != nil {
		return 0, 0, 0, err
	}
	port, spec := r.set.port(r.frame.Port)
	if spec == nil || spec.Kind != "axis" {
		return 0, 0, 0, r.fail(fmt.Sprintf("interface %q is no packet port of the set", r.frame.Port))
	}
	seq = r.seqs[port]
	r.seqs[port]++
	r.packets++
	return port, seq, hca.Sideband(spec.UserBits, r.frame.Link, r.frame.Data), nil
}

func (r *reader) fail(what string) error {
	return &capture.Error{File: r.in.Name(), Packet: r.frame.Number, Offset: -1, What: what}
}

// Next sets o to the next input, or returns io.EOF. Its Data is valid until the next call. Packets and the inputs of
// other ports are put together again in their order.
func (r *Stimulus) Next(o *sim.Offer) error {
	l := &r.lines.rec
	if r.pending {
		if port, spec := r.set.port(l.Port); spec.Kind != "axis" && l.After == r.packets {
			*o = sim.Offer{NotBefore: l.Start, Port: port, Seq: l.Seq, Key: l.Key, User: l.User,
				Data: append([]byte(nil), r.lines.data...)}
			r.at = r.lines.line
			return r.inputLine()
		}
	}
	r.at = 0
	port, seq, user, err := r.nextPacket()
	if err == io.EOF && r.pending {
		return r.lines.fail(fmt.Sprintf("%s %d has no place in the stimulus", l.Port, l.Seq))
	}
	if err != nil {
		return err
	}
	*o = sim.Offer{Port: port, Seq: seq, User: user, Data: r.frame.Data}
	if r.pending && r.frame.Port == l.Port && seq == l.Seq {
		o.User, o.Key, o.NotBefore = l.User, l.Key, l.Start
		return r.inputLine()
	}
	return nil
}

// inputLine goes to the next line that is of the stimulus.
func (r *Stimulus) inputLine() (err error) {
	for {
		if r.pending, err = r.lines.next(); !r.pending {
			return err
		}
		_, spec := r.set.port(r.lines.rec.Port)
		if spec == nil {
			return r.lines.fail(fmt.Sprintf("%q is no port of the set", r.lines.rec.Port))
		}
		if spec.Input {
			return nil
		}
	}
}

// Next sets rec to the next record, or returns io.EOF. Its Data is valid until the next call. It goes by the lines of
// records.jsonl; those of packet ports take the next packet of the capture.
func (r *Records) Next(rec *sim.Record) error {
	for {
		ok, err := r.lines.next()
		if err != nil {
			return err
		}
		if !ok {
			return r.atEnd()
		}
		l := &r.lines.rec
		port, spec := r.set.port(l.Port)
		switch {
		case spec == nil:
			return r.lines.fail(fmt.Sprintf("%q is no port of the set", l.Port))
		case spec.Input:
			continue
		case spec.Kind != "axis":
			*rec = sim.Record{Port: port, Data: r.lines.data}
		default:
			of, _, _, err := r.nextPacket()
			if err == io.EOF {
				return r.lines.fail("has no packet in " + expectFile)
			} else if err != nil {
				return err
			}
			*rec = sim.Record{Port: port, Data: r.frame.Data}
			if of != port {
				return r.lines.fail(fmt.Sprintf("is of port %s, but the packet is of %s", l.Port, r.frame.Port))
			}
		}
		rec.Seq, rec.Cause, rec.Key, rec.User, rec.Group = l.Seq, l.Cause, l.Key, l.User, l.Group
		if rec.Need, ok = l.need(); !ok {
			return r.lines.fail(fmt.Sprintf("need %q is none of must, may, one", l.Need))
		}
		return r.from(rec)
	}
}

// from sets the input that the cause of a record counts on: the line names it, unless it is the first.
func (r *Records) from(rec *sim.Record) (err error) {
	name := r.lines.rec.From
	if name == "" {
		return nil
	}
	port, spec := r.set.port(name)
	if spec == nil || !spec.Input {
		return r.lines.fail(fmt.Sprintf("%q is no input of the set", name))
	}
	rec.From, _ = r.set.inputOf(port)
	return nil
}

// atEnd: the capture must end with the lines.
func (r *Records) atEnd() error {
	f, err := r.in.Next()
	if err == nil {
		r.frame = f
		return r.fail("has no line in " + recordsFile)
	}
	return err
}

// LinkOf is the link of a packet that goes into a port of the set with a sideband.
func (s *Set) LinkOf(port sim.Port, user uint32) wire.Link {
	return hca.SidebandLink(s.Ports[port].UserBits, user)
}
