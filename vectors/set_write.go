package vectors

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// Source is what a vector set is made from: a stimulus that says why.
type Source interface {
	// Next sets r to the next record, with its Port and Seq, or returns io.EOF. Its Data is valid until the next call.
	Next(r *sim.Record) error
	// Why is the reason of the record that Next returned last, one line.
	Why() []byte
}

// SetOptions say how WriteSet writes.
type SetOptions struct {
	Force        bool // replace a vector set that is there
	ReadmemhBits int  // data width of $readmemh files; 0 for none
	CHeader      bool
	Settings     sim.Settings               // of the stage, where they are not its manifest's
	Now          func(records uint64) error // called now and then; an error stops; may be nil
}

// WriteSet makes a vector set of everything that source gives, with what the stage m.Dut makes of it. The directory
// appears whole or not at all. Of m the caller fills Name, Dut and where the set comes from.
func WriteSet(dir string, m Manifest, source Source, o SetOptions) (*Set, error) {
	stage, ok := stages.Lookup(m.Dut)
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
	m.Configuration = map[string]uint64{} // never null
	maps.Copy(m.Configuration, o.Settings)
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
	files    []*setFile
	sinks    []sink
	links    [1 << 16]wire.Link // of the last inputs by Seq, so that an output is filed under the link of its cause
}

// sink takes the records of a set in order: input says which side, link is that of the packet.
type sink interface {
	record(r *sim.Record, input bool, link wire.Link, why []byte)
	flush() error
}

func (w *setWriter) open(o SetOptions) error {
	captures, err := newCaptureSink(w)
	if err != nil {
		return err
	}
	records, err := newRecordSink(w)
	if err != nil {
		return err
	}
	w.sinks = []sink{captures, records}
	if o.ReadmemhBits > 0 {
		s, err := newReadmemhSink(w, o.ReadmemhBits)
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
	return nil
}

func (w *setWriter) fill(source Source, now func(uint64) error) error {
	model := newReference(w.stage, w.manifest.Configuration)
	var r sim.Record
	for {
		err := source.Next(&r)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		w.input(&r, source.Why())
		w.outputs(model.feed(r))
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
	w.outputs(model.finish())
	for _, s := range w.sinks {
		if err := s.flush(); err != nil {
			return err
		}
	}
	return nil
}

func (w *setWriter) input(r *sim.Record, why []byte) {
	link := hca.SidebandLink(w.stage.Ports[r.Port].UserBits, r.User)
	w.links[r.Seq%uint64(len(w.links))] = link
	w.manifest.StimulusRecords++
	for _, s := range w.sinks {
		s.record(r, true, link, why)
	}
}

func (w *setWriter) outputs(out []sim.Record) {
	for i := range out {
		r := &out[i]
		w.manifest.ExpectRecords++
		for _, s := range w.sinks {
			s.record(r, false, w.links[r.Cause%uint64(len(w.links))], nil)
		}
	}
}

func (w *setWriter) failed() bool {
	return slices.ContainsFunc(w.files, func(f *setFile) bool { return f.failed.Load() })
}

func (w *setWriter) close() (err error) {
	for _, f := range w.files {
		err = errors.Join(err, f.close())
		w.manifest.Files[f.name] = FileInfo{hex.EncodeToString(f.sum.Sum(nil)), f.size, f.records, f.lines}
	}
	return err
}

// setFile is a file of the set. A goroutine of its own hashes and writes what comes, so that making packets does not
// wait: the hash costs about as much as the packet.
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
	sum  hash.Hash
	size int64
}

func (w *setWriter) create(name string) (*setFile, error) {
	f, err := os.Create(filepath.Join(w.dir, name))
	if err != nil {
		return nil, err
	}
	const buffers = 3
	s := &setFile{name: name, f: f, sum: sha256.New(),
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

func (c *captureSink) record(r *sim.Record, input bool, link wire.Link, why []byte) {
	s, at := &c.stimulus, r.Seq
	if !input {
		s, at, why = &c.expect, r.Cause, c.verdict(r.User)
	}
	iface := s.ifaces[r.Port][link]
	if iface < 0 {
		return
	}
	s.w.Packet(iface, int64(at)*recordIntervalNS, r.Data, why)
	s.file.records++
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

// recordSink writes records.jsonl: of every expected record what a capture does not hold, and of the stimulus the
// records that are no packets or whose sideband says more than the link.
type recordSink struct {
	file    *setFile
	ports   []sim.PortSpec
	packets uint64 // of the stimulus
	buf     []byte
}

func newRecordSink(w *setWriter) (*recordSink, error) {
	f, err := w.create(recordsFile)
	return &recordSink{file: f, ports: w.stage.Ports, buf: make([]byte, 0, capture.FlushBytes+maxLineBytes)}, err
}

func (s *recordSink) record(r *sim.Record, input bool, _ wire.Link, _ []byte) {
	p := &s.ports[r.Port]
	isPacket := p.Kind == sim.Axis
	if input && isPacket {
		s.packets++
		if r.Start == 0 && r.User == hca.Sideband(p.UserBits, hca.SidebandLink(p.UserBits, r.User), r.Data) {
			return
		}
	}
	s.buf = appendRecord(s.buf, p.Name, r, input, s.packets, !isPacket)
	s.file.records++
	if len(s.buf) >= capture.FlushBytes {
		s.flush()
	}
}

func (s *recordSink) flush() error {
	s.buf = s.file.swap(s.buf)
	return nil
}

// place is where a set will be: written beside its name, renamed at the end.
type place struct {
	dir, temp string
	old       bool // something is to be replaced
}

// claim looks whether dir may be written and makes the temporary directory. Only a vector set is ever replaced.
func claim(dir string, force bool) (*place, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	p := &place{dir: dir, old: err == nil}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, capture.OpenError(dir, err)
	case len(entries) > 0 && !force:
		return nil, &capture.Error{File: dir, Offset: -1, What: "is not empty", Do: "--force replaces a vector set"}
	case len(entries) > 0:
		if _, err := os.Stat(filepath.Join(dir, manifestFile)); err != nil {
			return nil, &capture.Error{File: dir, Offset: -1, What: "is neither empty nor a vector set: not replaced"}
		}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, capture.OpenError(filepath.Dir(dir), err)
	}
	if p.temp, err = os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".tmp"); err != nil {
		return nil, capture.OpenError(filepath.Dir(dir), err)
	}
	return p, os.Chmod(p.temp, 0o755)
}

// publish puts the finished set in its place.
func (p *place) publish() error {
	if !p.old {
		return os.Rename(p.temp, p.dir)
	}
	aside := p.temp + ".old"
	if err := os.Rename(p.dir, aside); err != nil {
		return capture.OpenError(p.dir, err)
	}
	if err := os.Rename(p.temp, p.dir); err != nil {
		return errors.Join(err, os.Rename(aside, p.dir))
	}
	return os.RemoveAll(aside)
}

// abandon removes what was not published.
func (p *place) abandon() { os.RemoveAll(p.temp) }
