package vectors

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/zeebo/xxh3"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/scenario"
)

// Source is what a vector set is made from: a stimulus that says why.
type Source interface {
	// Next sets o to the next input, with its Port and Seq, or returns io.EOF. Its Data is valid until the next call.
	Next(o *sim.Offer) error
	// Why is the reason of the input that Next returned last, one line.
	Why() []byte
}

// SetOptions say how WriteSet writes.
type SetOptions struct {
	Force        bool // replace a vector set that is there
	ReadmemhBits int  // data width of $readmemh files; 0 for none
	CHeader      bool
	SVPackage    bool                       // a SystemVerilog package that describes the $readmemh files
	Strict       bool                       // expect what one device gives, also where the rules leave a choice
	Slack        *uint64                    // cycles that a record may come later; nil is DefaultSlack
	Weights      *scenario.Weights          // of the scenario; nil leaves it as it is
	Bins         Follower                   // says what each vector exercises, for a file of that; nil is none
	Settings     sim.Settings               // of the stage, where they are not its manifest's
	Now          func(records uint64) error // called now and then; an error stops; may be nil
}

// WriteSet makes a vector set of everything that source gives, with what the stage m.Dut makes of it. The directory
// appears whole or not at all. Of m the caller fills Name, Dut and where the set comes from.
func WriteSet(dir string, m Manifest, source Source, o SetOptions) (*Set, error) {
	stage, ok := Lookup(m.Dut)
	if !ok {
		return nil, &capture.Error{File: dir, Offset: -1, What: "the golden model has no stage " + m.Dut}
	}
	return writeSet(dir, stage, m, source, o)
}

func writeSet(dir string, stage sim.StageSpec, m Manifest, source Source, o SetOptions) (*Set, error) {
	place, err := claim(dir, o.Force)
	if err != nil {
		return nil, err
	}
	defer place.abandon()
	m.Format, m.Ports, m.Files = SetFormat, manifestPorts(stage), map[string]FileInfo{}
	m.ReadmemhBits = o.ReadmemhBits
	m.Flavour, m.Slack = Strict, DefaultSlack
	if stage.Lenient != nil && !o.Strict {
		m.Flavour = Lenient
	}
	if o.Slack != nil {
		m.Slack = *o.Slack
	}
	m.Configuration = map[string]uint64{} // never null
	maps.Copy(m.Configuration, o.Settings)
	m.Inputs = stage.Inputs(m.Configuration)
	w := &setWriter{name: dir, dir: place.temp, manifest: &m, stage: stage}
	if err := w.open(o); err != nil {
		return nil, errors.Join(err, w.close())
	}
	err = w.fill(source, o.Now)
	if err = errors.Join(err, w.close()); err != nil {
		return nil, err
	}
	if err := writeManifest(place.temp, &m); err != nil {
		return nil, err
	}
	if err := place.publish(); err != nil {
		return nil, err
	}
	return &Set{Dir: dir, Manifest: m}, nil
}

func writeManifest(dir string, m *Manifest) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, manifestFile), append(data, '\n'), 0o666)
}

// setWriter fills the files of a set.
type setWriter struct {
	name     string // of the set, for errors
	dir      string // where it is written
	manifest *Manifest
	stage    sim.StageSpec
	numbers  []uint8 // of the ports: their numbers among the inputs
	inputs   uint64
	seqs     numbering // of what goes in and comes out
	files    []*setFile
	sinks    []sink
	bins     *binWriter         // nil where nobody asked for it
	links    [1 << 16]wire.Link // of the last inputs, so that an output is filed under the link of its cause
	ends     [1 << 16]inputEnd  // and when their last beats went in
	rules    []sim.Rule         // of the output that the sinks are given
	by       uint64             // of the output that the sinks are given: its deadline, 0 where there is none
}

// inputEnd is when the last beat of an input went in.
type inputEnd struct {
	seq, cycle uint64
	from       uint8
}

// place is where links and ends have a record of an input, by the input's number.
func (w *setWriter) place(from uint8, seq uint64) uint64 {
	return (seq*w.inputs + uint64(from)) % uint64(len(w.ends))
}

// number numbers the inputs.
func (w *setWriter) number() {
	w.seqs = make(numbering, len(w.stage.Ports))
	for _, p := range w.stage.Ports {
		w.numbers = append(w.numbers, uint8(w.inputs))
		if p.Input {
			w.inputs++
		}
	}
}

// tells reports whether it is known which input a cause counts on.
func (w *setWriter) tells() bool { return w.inputs == 1 || w.stage.Lenient != nil }

// deadline is how many cycles after the last beat of its cause an output has to have come.
func (w *setWriter) deadline(r *sim.Record) uint64 {
	cause := w.ends[w.place(r.From, r.Cause)]
	if !w.tells() || cause.seq != r.Cause || cause.from != r.From || r.End < cause.cycle || r.Need == sim.May {
		return 0
	}
	return r.End - cause.cycle + w.manifest.Slack
}

// sink takes the records of a set in order; link is that of the packet, for an output that of its cause.
type sink interface {
	input(o *sim.Offer, link wire.Link, why []byte)
	output(r *sim.Record, link wire.Link)
	flush() error
}

func (w *setWriter) open(o SetOptions) error {
	w.number()
	captures, err := newCaptureSink(w)
	if err != nil {
		return err
	}
	records, err := newRecordSink(w)
	if err != nil {
		return err
	}
	w.sinks = []sink{captures, records}
	if o.Bins != nil {
		if w.bins, err = newBinWriter(w, o.Bins); err != nil {
			return err
		}
	}
	var words *readmemhSink
	if o.ReadmemhBits > 0 {
		if words, err = newReadmemhSink(w, o.ReadmemhBits); err != nil {
			return err
		}
		w.sinks = append(w.sinks, words)
	}
	if o.SVPackage {
		s, err := newPackageSink(w, o.ReadmemhBits, words)
		if err != nil {
			return err
		}
		w.sinks = append(w.sinks, s)
	}
	if o.CHeader {
		s, err := newHeaderSink(w)
		if err != nil {
			return err
		}
		w.sinks = append(w.sinks, s)
	}
	if w.manifest.Flavour == Strict || words == nil && !o.CHeader {
		return nil
	}
	s, err := newNeedSink(w, words, o.CHeader)
	w.sinks = append(w.sinks, s)
	return err
}

func (w *setWriter) fill(source Source, now func(uint64) error) error {
	model := newReference(w.stage, w.manifest.Configuration, w.manifest.Flavour)
	var o sim.Offer
	for {
		err := source.Next(&o)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		w.input(&o, source.Why())
		out := model.feed(&o)
		from := w.numbers[o.Port]
		w.ends[w.place(from, o.Seq)] = inputEnd{o.Seq, model.in[0].End, from}
		if err := w.outputs(out, &model.in[0]); err != nil {
			return err
		}
		if err := w.exercise(&model.in[0], out); err != nil {
			return err
		}
		if w.manifest.StimulusRecords&0x3fff != 0 {
			continue
		}
		if w.failed() {
			return nil // close says why
		}
		if now != nil {
			if err := now(w.manifest.StimulusRecords); err != nil {
				return err
			}
		}
	}
	if w.manifest.StimulusRecords == 0 {
		return &capture.Error{File: w.name, Offset: -1, What: "nothing to write: no packet for " + w.stage.Name}
	}
	rest := model.finish()
	if err := errors.Join(w.outputs(rest, nil), w.exercise(nil, rest)); err != nil {
		return err
	}
	for _, s := range w.sinks {
		if err := s.flush(); err != nil {
			return err
		}
	}
	return nil
}

// exercise notes what an input, nil at the end, and what the stage said meanwhile exercise.
func (w *setWriter) exercise(in *sim.Record, out []sim.Record) error {
	if w.bins == nil {
		return nil
	}
	return w.bins.step(in, out)
}

func (w *setWriter) input(o *sim.Offer, why []byte) {
	link := hca.SidebandLink(w.stage.Ports[o.Port].UserBits, o.User)
	w.links[w.place(w.numbers[o.Port], o.Seq)] = link
	w.manifest.StimulusRecords++
	for _, s := range w.sinks {
		s.input(o, link, why)
	}
}

// outputs gives the sinks what the stage said when it was given in, which is nil at the end.
func (w *setWriter) outputs(out []sim.Record, in *sim.Record) error {
	for i := range out {
		r := &out[i]
		if want := w.seqs.next(r.Port); r.Seq != want {
			return &capture.Error{File: w.name, Offset: -1, What: fmt.Sprintf("the model numbers record %d of %s as %d",
				want, w.stage.Ports[r.Port].Name, r.Seq)}
		}
		w.manifest.ExpectRecords++
		w.by = w.deadline(r)
		w.rules = hca.RulesOf(w.stage.Name, causeOf(r, in), r, w.rules[:0])
		for _, s := range w.sinks {
			s.output(r, w.links[w.place(r.From, r.Cause)])
		}
	}
	return nil
}

// causeOf is in if it led to an output, else nil: the record that did is past.
func causeOf(out, in *sim.Record) *sim.Record {
	if in == nil || in.Seq != out.Cause {
		return nil
	}
	return in
}

func (w *setWriter) failed() bool {
	return slices.ContainsFunc(w.files, func(f *setFile) bool { return f.failed.Load() })
}

func (w *setWriter) close() (err error) {
	for _, f := range w.files {
		err = errors.Join(err, f.close())
		w.manifest.Files[f.name] = FileInfo{digest(f.sum), f.size, f.records, f.lines}
	}
	return err
}

// digest is the XXH3-128 of a file in hex, high half first, as `xxhsum -H128` prints it. It guards against damage, not
// against people: a cryptographic hash cost as much as making the packets.
func digest(h *xxh3.Hasher) string {
	sum := h.Sum128().Bytes()
	return hex.EncodeToString(sum[:])
}

// setFile is a file of the set. A goroutine of its own writes what comes, so that making packets does not wait.
type setFile struct {
	name    string
	f       *os.File
	records uint64
	lines   uint64      // words of a $readmemh file
	full    chan []byte // to the goroutine, which ends when it is closed
	empty   chan []byte // and back
	done    chan error  // what writing came to
	failed  atomic.Bool // writing has come to nothing: no use in going on

	// The goroutine's own until done.
	sum  *xxh3.Hasher
	size int64
}

func (w *setWriter) create(name string) (*setFile, error) {
	f, err := os.Create(filepath.Join(w.dir, name))
	if err != nil {
		return nil, err
	}
	const buffers = 3
	s := &setFile{name: name, f: f, sum: xxh3.New(),
		full: make(chan []byte, buffers), empty: make(chan []byte, buffers), done: make(chan error, 1)}
	for range buffers {
		s.empty <- nil
	}
	go s.write()
	w.files = append(w.files, s)
	return s, nil
}

func (f *setFile) write() {
	var err error
	for b := range f.full {
		f.sum.Write(b)
		f.size += int64(len(b))
		if err == nil {
			_, err = f.f.Write(b)
			f.failed.Store(err != nil)
		}
		f.empty <- b
	}
	f.done <- errors.Join(err, f.f.Close())
}

// swap takes a buffer and returns an empty one. What becomes of the full one, close says.
func (f *setFile) swap(full []byte) (empty []byte) {
	f.full <- full
	return (<-f.empty)[:0]
}

// Write takes a copy of b.
func (f *setFile) Write(b []byte) (int, error) {
	f.full <- append((<-f.empty)[:0], b...)
	return len(b), nil
}

func (f *setFile) close() error {
	close(f.full)
	return <-f.done
}

// application names the writer in the captures of a set, without a version: the same seed gives the same bytes.
const application = "vecgen"

// recordIntervalNS is the distance of records in time in the captures: there is none, so they stand a microsecond
// apart.
const recordIntervalNS = 1000

// captureSink writes the packets of both sides. An output stands at the time of its cause.
type captureSink struct {
	dut              string
	stimulus, expect side
	said             map[uint32][]byte // verdicts in words
}

// side is one capture: an interface per port and link.
type side struct {
	file   *setFile
	w      *capture.Writer
	ifaces [][2]int // by port and link; -1 where there is none
}

func newCaptureSink(w *setWriter) (*captureSink, error) {
	c := &captureSink{dut: w.stage.Name, said: map[uint32][]byte{}}
	for _, s := range []struct {
		side  *side
		name  string
		input bool
	}{{&c.stimulus, stimulusFile, true}, {&c.expect, expectFile, false}} {
		f, err := w.create(s.name)
		if err != nil {
			return nil, err
		}
		*s.side = side{file: f, w: capture.NewWriter(f, application)}
		for _, p := range w.stage.Ports {
			s.side.addPort(p, p.Input == s.input && p.Kind == sim.Axis, hasEthernet(w.stage))
		}
	}
	return c, nil
}

// hasEthernet: a stage whose input has no sideband for the link is an IB one.
func hasEthernet(stage sim.StageSpec) bool {
	for _, p := range stage.Ports {
		if p.Input && p.Kind == sim.Axis && p.UserBits > 0 {
			return true
		}
	}
	return false
}

func (s *side) addPort(p sim.PortSpec, here, ethernet bool) {
	ids := [2]int{-1, -1}
	if here && ethernet {
		ids[wire.LinkEthernet] = s.w.Interface(p.Name, capture.LinkTypeEthernet)
	}
	if here {
		ids[wire.LinkIB] = s.w.Interface(p.Name, capture.LinkTypeInfiniBand)
	}
	s.ifaces = append(s.ifaces, ids)
}

func (c *captureSink) input(o *sim.Offer, link wire.Link, why []byte) {
	c.stimulus.packet(o.Port, link, o.Seq, o.Data, why)
}

func (c *captureSink) output(r *sim.Record, link wire.Link) {
	c.expect.packet(r.Port, link, r.Cause, r.Data, c.verdict(r.User))
}

// packet writes a packet under the time of input at; records of other ports are in no capture.
func (s *side) packet(port sim.Port, link wire.Link, at uint64, data, comment []byte) {
	if iface := s.ifaces[port][link]; iface >= 0 {
		s.w.Packet(iface, int64(at)*recordIntervalNS, data, comment)
		s.file.records++
	}
}

// verdict says what the sideband of an output means, once for each value.
func (c *captureSink) verdict(user uint32) []byte {
	text, ok := c.said[user]
	if !ok {
		text = []byte(hca.VerdictText(c.dut, user))
		c.said[user] = text
	}
	return text
}

func (c *captureSink) flush() error { return errors.Join(c.stimulus.w.Flush(), c.expect.w.Flush()) }
