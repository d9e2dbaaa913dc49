package vectors

import (
	"errors"
	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
	"io/fs"
	"os"
	"path/filepath"
)

// numbering counts the records of each port from 0.
type numbering []uint64

// next is the number of the next record of a port.
func (n numbering) next(port sim.Port) uint64 {
	n[port]++
	return n[port] - 1
}

// recordSink writes records.jsonl: of every expected record what a capture does not hold, and of the stimulus the
// records that are no packets or whose sideband says more than the link.
type recordSink struct {
	set     *setWriter
	file    *setFile
	ports   []sim.PortSpec
	packets uint64 // of the stimulus
	buf     []byte
}

func newRecordSink(w *setWriter) (*recordSink, error) {
	f, err := w.create(recordsFile)
	return &recordSink{set: w, file: f, ports: w.stage.Ports, buf: make([]byte, 0, capture.FlushBytes+maxLineBytes)}, err
}

func (s *recordSink) input(o *sim.Offer, link wire.Link, _ []byte) {
	p := &s.ports[o.Port]
	isPacket := p.Kind == sim.Axis
	if isPacket {
		s.packets++
		if o.NotBefore == 0 && o.User == hca.Sideband(p.UserBits, link, o.Data) {
			return
		}
	}
	s.buf = appendOfferLine(s.buf, p.Name, o, s.packets, !isPacket)
	s.wrote()
}

func (s *recordSink) output(r *sim.Record, _ wire.Link) {
	p := &s.ports[r.Port]
	s.buf = appendRecordLine(s.buf, p.Name, r, s.set, p.Kind != sim.Axis)
	s.wrote()
}

func (s *recordSink) wrote() {
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
		if err := onlySet(dir, entries); err != nil {
			return nil, err
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

// onlySet holds that a directory has nothing but the files that its manifest lists.
func onlySet(dir string, entries []fs.DirEntry) error {
	old, err := OpenSet(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, ok := old.Files[e.Name()]; !ok && e.Name() != manifestFile {
			return &capture.Error{File: filepath.Join(dir, e.Name()), Offset: -1,
				What: "is no file of the vector set there: not replaced"}
		}
	}
	return nil
}

// Free says why no set can be written to a directory, or nothing. It looks before the work that a set takes.
func Free(dir string, force bool) error {
	p, err := claim(dir, force)
	if err == nil {
		p.abandon()
	}
	return err
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
