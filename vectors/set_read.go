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

// Records reads one side of a vector set in the order in which it was written.
type Records struct {
	set     *Set
	in      *capture.Reader
	file    *os.File
	lines   recordReader
	frame   capture.Frame
	packets uint64 // that Next returned
	seqs    []uint64
	pending bool // lines holds a line that is not used up (stimulus)
	next    func(*sim.Record) error
}

// Stimulus reads the input records of the set: User has bit 0 set for an IB native packet where the port has a
// sideband.
func (s *Set) Stimulus() (*Records, error) {
	r, err := s.records(stimulusFile)
	if err != nil {
		return nil, err
	}
	r.next = r.nextPacket
	if s.Files[recordsFile].Records > s.ExpectRecords { // else no line is of the stimulus
		r.next = r.nextStimulus
		if err := r.inputLine(); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// Expected reads the records that the device must give.
func (s *Set) Expected() (*Records, error) {
	r, err := s.records(expectFile)
	if err == nil {
		r.next = r.nextExpected
	}
	return r, err
}

func (s *Set) records(name string) (*Records, error) {
	in, err := capture.Open(filepath.Join(s.Dir, name))
	if err != nil {
		return nil, err
	}
	r := &Records{set: s, in: in, seqs: make([]uint64, len(s.Ports))}
	path := filepath.Join(s.Dir, recordsFile)
	if r.file, err = os.Open(path); err != nil {
		in.Close()
		return nil, capture.OpenError(path, err)
	}
	r.lines = newRecordReader(r.file, path)
	return r, nil
}

// Next sets rec to the next record, or returns io.EOF. Its Data is valid until the next call.
func (r *Records) Next(rec *sim.Record) error { return r.next(rec) }

// Why is the comment of the packet that Next returned last: why it is there, or what is expected.
func (r *Records) Why() []byte { return r.frame.Comment }

// Close closes the files.
func (r *Records) Close() error { return errors.Join(r.in.Close(), r.file.Close()) }

// Origin says where record i came from. It reads the set again from its start.
func (r *Records) Origin(i uint64) string {
	again, err := r.set.Stimulus()
	if err != nil {
		return fmt.Sprintf("%s, record %d", r.set.Dir, i)
	}
	defer again.Close()
	var rec sim.Record
	for range i + 1 {
		if err := again.Next(&rec); err != nil {
			return fmt.Sprintf("%s, record %d", r.set.Dir, i)
		}
	}
	return fmt.Sprintf("%s, packet %d: %s", r.in.Name(), again.frame.Number, again.Why())
}

// nextPacket returns the next packet of the capture.
func (r *Records) nextPacket(rec *sim.Record) (err error) {
	if r.frame, err = r.in.Next(); err != nil {
		return err
	}
	port, spec := r.set.port(r.frame.Port)
	if spec == nil || spec.Kind != "axis" {
		return r.fail(fmt.Sprintf("interface %q is no packet port of the set", r.frame.Port))
	}
	*rec = sim.Record{Port: port, Seq: r.seqs[port], User: hca.Sideband(spec.UserBits, r.frame.Link, r.frame.Data),
		Data: r.frame.Data}
	r.seqs[port]++
	r.packets++
	return nil
}

func (r *Records) fail(what string) error {
	return &capture.Error{File: r.in.Name(), Packet: r.frame.Number, Offset: -1, What: what}
}

// nextStimulus puts packets and the records of other ports together again.
func (r *Records) nextStimulus(rec *sim.Record) error {
	l := &r.lines.rec
	port, spec := r.set.port(l.Port)
	if r.pending && spec.Kind != "axis" && l.After == r.packets {
		*rec = sim.Record{Start: l.Start, Port: port, Seq: l.Seq, Key: l.Key, User: l.User, Data: append([]byte(nil),
			r.lines.data...)}
		return r.inputLine()
	}
	if err := r.nextPacket(rec); err != nil {
		return err
	}
	if r.pending && rec.Port == port && rec.Seq == l.Seq {
		rec.User, rec.Key, rec.Start = l.User, l.Key, l.Start
		return r.inputLine()
	}
	return nil
}

// inputLine goes to the next line that is of the stimulus.
func (r *Records) inputLine() (err error) {
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

// nextExpected goes by the lines of records.jsonl; those of packet ports take the next packet of the capture.
func (r *Records) nextExpected(rec *sim.Record) error {
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
			if err := r.nextPacket(rec); err == io.EOF {
				return r.lines.fail("has no packet in " + expectFile)
			} else if err != nil {
				return err
			}
			if rec.Port != port {
				return r.lines.fail(fmt.Sprintf("is of port %s, but the packet is of %s", l.Port, r.frame.Port))
			}
		}
		rec.Seq, rec.Cause, rec.Key, rec.User = l.Seq, l.Cause, l.Key, l.User
		return nil
	}
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

// LinkOf is the link of a packet of the set.
func (s *Set) LinkOf(r *sim.Record) wire.Link {
	return hca.SidebandLink(s.Ports[r.Port].UserBits, r.User)
}
