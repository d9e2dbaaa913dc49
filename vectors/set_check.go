package vectors

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
)

// Check proves a vector set intact: every file is there and unchanged, and nothing else is; every record can be read
// and is counted; scenario, seed and weights of the manifest give its inputs (MadeAgain says where not); and the golden
// model still expects what the set expects.
func (s *Set) Check() error { return s.CheckBins(nil) }

// CheckBins proves that and, of a set that says what each vector exercises, that a follower says so too; nil looks at
// the file's digest alone.
func (s *Set) CheckBins(by Follower) error {
	if err := s.checkFiles(); err != nil {
		return err
	}
	stage, err := s.Stage()
	if err != nil {
		return err
	}
	if err := s.checkInputs(stage); err != nil {
		return err
	}
	stimulus, err := s.Stimulus()
	if err != nil {
		return err
	}
	defer stimulus.Close()
	expected, err := s.Expected()
	if err != nil {
		return err
	}
	defer expected.Close()
	bins, err := s.binsOf(by)
	if err != nil {
		return err
	}
	defer bins.close()
	c := checker{set: s, expected: expected, seqs: make(numbering, len(s.Ports))}
	made, err := s.again(stage)
	if err != nil {
		return err
	}
	model := newReference(stage, s.Configuration, s.Flavour)
	var o sim.Offer
	for {
		err := stimulus.Next(&o)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		c.inputs++
		if err := errors.Join(c.numbered(o.Port, o.Seq), made.holds(&o)); err != nil {
			return err
		}
		out := model.feed(&o)
		if err := errors.Join(c.compare(out, &model.in[0]), bins.step(&model.in[0], out)); err != nil {
			return err
		}
	}
	rest := model.finish()
	if err := errors.Join(c.compare(rest, nil), bins.step(nil, rest)); err != nil {
		return err
	}
	return c.finish()
}

func (s *Set) checkFiles() error {
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		path := filepath.Join(s.Dir, name)
		if name != filepath.Base(name) {
			return &capture.Error{File: s.Dir, Offset: -1, What: "lists a file outside of the set: " + name}
		}
		sum, size, err := hashFile(path)
		if err != nil {
			return capture.OpenError(path, err)
		}
		want := s.Files[name]
		switch {
		case size != want.Bytes:
			return &capture.Error{File: path, Offset: -1, What: fmt.Sprintf("has %d bytes, the manifest says %d", size,
				want.Bytes)}
		case sum != want.XXH3:
			return &capture.Error{File: path, Offset: -1, What: "has been changed: its XXH3-128 is not the manifest's"}
		}
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return capture.OpenError(s.Dir, err)
	}
	for _, e := range entries {
		if _, ok := s.Files[e.Name()]; !ok && e.Name() != manifestFile {
			return &capture.Error{File: filepath.Join(s.Dir, e.Name()), Offset: -1, What: "is not listed in the manifest"}
		}
	}
	for _, name := range []string{stimulusFile, expectFile, recordsFile} {
		if _, ok := s.Files[name]; !ok {
			return &capture.Error{File: s.Dir, Offset: -1, What: "the manifest does not list " + name}
		}
	}
	return nil
}

// checkInputs holds the configuration inputs that the set states, where it does, against those of its records.
func (s *Set) checkInputs(stage sim.StageSpec) error {
	of := stage.Inputs(s.Configuration)
	if len(s.Inputs) == 0 || maps.Equal(s.Inputs, of) {
		return nil
	}
	return &capture.Error{File: s.Dir, Offset: -1, What: fmt.Sprintf("states%s as its inputs, and its records are of%s",
		textOfSettings(s.Inputs), textOfSettings(of))}
}

func textOfSettings(all sim.Settings) (text string) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text += fmt.Sprintf(" %s=%d", name, all[name])
	}
	return text
}

func hashFile(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := xxh3.New()
	size, err = io.Copy(h, f)
	return digest(h), size, err
}

// checker compares what the model says with what the set expects.
type checker struct {
	set             *Set
	expected        *Records
	inputs, outputs uint64
	seqs            numbering
	rules           []sim.Rule
}

// numbered holds the number of the next record of a port against its place there.
func (c *checker) numbered(port sim.Port, seq uint64) error {
	if want := c.seqs.next(port); seq != want {
		return c.fail(fmt.Sprintf("record %d of %s has seq %d", want, c.set.Ports[port].Name, seq))
	}
	return nil
}

// listOf is the text of a list of rules between its brackets.
func listOf(rules []sim.Rule) string {
	return strings.TrimSuffix(strings.TrimPrefix(string(appendRules(nil, rules)), rulesBegin), "]")
}

func (c *checker) compare(out []sim.Record, in *sim.Record) error {
	for i := range out {
		var want sim.Record
		err := c.expected.Next(&want)
		if err == io.EOF {
			return c.fail("the model gives a record more: " + c.describe(&out[i]))
		}
		if err != nil {
			return err
		}
		c.outputs++
		if !sameRecord(&want, &out[i]) {
			return c.fail(fmt.Sprintf("the set expects %s, the model gives %s", c.describe(&want), c.describe(&out[i])))
		}
		if err := c.numbered(want.Port, want.Seq); err != nil {
			return err
		}
		c.rules = hca.RulesOf(c.set.Dut, causeOf(&out[i], in), &out[i], c.rules[:0])
		if got := listOf(c.rules); got != c.expected.Rules() {
			return c.fail(fmt.Sprintf("%s: the set names rules [%s], the model [%s]", c.describe(&want), c.expected.Rules(),
				got))
		}
	}
	return nil
}

func sameRecord(a, b *sim.Record) bool {
	return a.Port == b.Port && a.Seq == b.Seq && a.Cause == b.Cause && a.Key == b.Key && a.User == b.User &&
		a.Need == b.Need && a.Group == b.Group && a.From == b.From &&
		bytes.Equal(a.Data, b.Data)
}

func (c *checker) describe(r *sim.Record) string {
	return fmt.Sprintf("%s %d (cause %d, user %xh, %d bytes)", c.set.Ports[r.Port].Name, r.Seq, r.Cause, r.User,
		len(r.Data))
}

func (c *checker) fail(what string) error {
	return &capture.Error{File: c.set.Dir, Offset: -1, What: fmt.Sprintf("after stimulus record %d: %s", c.inputs, what)}
}

func (c *checker) finish() error {
	var r sim.Record
	switch err := c.expected.Next(&r); {
	case err == nil:
		return c.fail("the set expects a record more: " + c.describe(&r))
	case err != io.EOF:
		return err
	}
	if c.inputs != c.set.StimulusRecords || c.outputs != c.set.ExpectRecords {
		return c.fail(fmt.Sprintf("%d and %d records were read, the manifest says %d and %d", c.inputs, c.outputs,
			c.set.StimulusRecords, c.set.ExpectRecords))
	}
	return nil
}
