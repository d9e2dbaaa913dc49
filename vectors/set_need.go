package vectors

import (
	_ "embed"

	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// matchHeader is the judge of a lenient set in C: a Matcher for those who compile the vectors in.
//
//go:embed match.h
var matchHeader []byte

// matchHeaderFile is its name in a set.
const matchHeaderFile = "hcacosim_match.h"

// needSink writes for each output of a lenient set how binding its records are: PORT.need.memh beside PORT.memh,
// PORT.need.h beside PORT.h. Either may be missing.
type needSink struct {
	set   *setWriter
	words []*text // by port; nil of inputs, and where there are no $readmemh files
	array []*text // the same for C
	memh  *readmemhSink
}

// newNeedSink opens the files: memh is the sink of the words, nil for none.
func newNeedSink(w *setWriter, memh *readmemhSink, header bool) (*needSink, error) {
	n := len(w.stage.Ports)
	s := &needSink{set: w, words: make([]*text, n), array: make([]*text, n), memh: memh}
	for i, p := range w.stage.Ports {
		if p.Input {
			continue
		}
		if memh != nil {
			t, err := newText(w, p.Name+".need.memh")
			if err != nil {
				return nil, err
			}
			t.printf("// %s of %s, for each word of %[1]s.memh: %[3]sneed, by, cause, key, group\n", p.Name, w.stage.Name,
				map[bool]string{true: "from, "}[w.inputs > 1])
			s.words[i] = t
		}
		if header {
			t, err := newText(w, p.Name+".need.h")
			if err != nil {
				return nil, err
			}
			t.printf("/* %s of %s, for each of %[1]s_records: need, cause, key, group, by, from. */\n#include \"%[3]s\"\n"+
				"static const struct hcacosim_need %[1]s_needs[] = {\n", p.Name, w.stage.Name, matchHeaderFile)
			s.array[i] = t
		}
	}
	if !header {
		return s, nil
	}
	f, err := w.create(matchHeaderFile)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(matchHeader)
	return s, err
}

func (s *needSink) input(*sim.Offer, wire.Link, []byte) {}

// maxNeedField is the most that a field of PORT.need.memh holds: what does not fit says this.
const maxNeedField = 1<<32 - 1

// output writes what binds a record, for each of its words. It comes behind the sink of the words.
func (s *needSink) output(r *sim.Record, _ wire.Link) {
	by, cause := min(s.set.by, maxNeedField), min(r.Cause, maxNeedField)
	if t := s.words[r.Port]; t != nil {
		t.file.records++
		for total := s.memh.files[r.Port].file.lines; t.file.lines < total; t.file.lines++ {
			if s.set.inputs > 1 {
				t.printf("%02x_", r.From)
			}
			t.printf("%x_%08x_%08x_%08x_%08x\n", uint8(r.Need), by, cause, r.Key, r.Group)
		}
		t.flushAt(capture.FlushBytes)
	}
	if t := s.array[r.Port]; t != nil {
		t.file.records++
		t.printf("{%d,%d,%d,%d,%d,%d},\n", r.Need, cause, r.Key, r.Group, by, r.From)
		t.flushAt(capture.FlushBytes)
	}
}

func (s *needSink) flush() error {
	for _, t := range s.array {
		if t != nil {
			if t.file.records == 0 {
				t.printf("{0,0,0,0,0,0} /* of no record */\n")
			}
			t.printf("};\n")
			t.flushAt(0)
		}
	}
	for _, t := range s.words {
		if t != nil {
			t.flushAt(0)
		}
	}
	return nil
}
