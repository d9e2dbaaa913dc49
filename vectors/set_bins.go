package vectors

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
)

// binsFile says what each vector exercises.
const binsFile = "bins.jsonl"

// Follower is told what goes into a stage and what comes out, and says what that exercises.
type Follower interface {
	Taken(in *sim.Record)
	Tap(out *sim.Record)
	// Exercised is what the records since the last call exercise. It is valid until the next one.
	Exercised() []Exercise
}

// Exercise is what a record of the stimulus exercises: the names of bins, and the rules that they show.
type Exercise struct {
	Port  string   `json:"port"`
	Seq   uint64   `json:"seq"`
	Bins  []string `json:"bins"`
	Rules []string `json:"rules,omitempty"`
}

// binLines makes the lines of the file: of a record that goes in, and of what it leads to, when that is known.
type binLines struct {
	by  Follower
	buf bytes.Buffer
}

// step returns the lines of an input, nil at the end, and of what the stage said meanwhile.
func (b *binLines) step(in *sim.Record, out []sim.Record) (lines []byte, count uint64, err error) {
	b.buf.Reset()
	if in != nil {
		b.by.Taken(in)
	}
	for i := range out {
		b.by.Tap(&out[i])
	}
	enc := json.NewEncoder(&b.buf)
	enc.SetEscapeHTML(false)
	all := b.by.Exercised()
	for i := range all {
		err = errors.Join(err, enc.Encode(&all[i]))
	}
	return b.buf.Bytes(), uint64(len(all)), err
}

// binWriter writes the file of a set that is being made.
type binWriter struct {
	lines binLines
	file  *setFile
	buf   []byte
}

func newBinWriter(w *setWriter, by Follower) (*binWriter, error) {
	f, err := w.create(binsFile)
	return &binWriter{lines: binLines{by: by}, file: f}, err
}

func (w *binWriter) step(in *sim.Record, out []sim.Record) error {
	lines, n, err := w.lines.step(in, out)
	w.file.records += n
	if w.buf = append(w.buf, lines...); len(w.buf) >= capture.FlushBytes || in == nil {
		w.buf = w.file.swap(w.buf)
	}
	return err
}

// binChecker holds the file of a set against what a follower says.
type binChecker struct {
	lines binLines
	file  *os.File
	have  *bufio.Reader
	at    uint64 // lines that agree
}

// binsOf opens the file of a set; nil where it has none or nobody asks.
func (s *Set) binsOf(by Follower) (*binChecker, error) {
	if _, ok := s.Files[binsFile]; !ok || by == nil {
		return nil, nil
	}
	path := filepath.Join(s.Dir, binsFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, capture.OpenError(path, err)
	}
	return &binChecker{lines: binLines{by: by}, file: f, have: bufio.NewReader(f)}, nil
}

// step compares the lines of an input, nil at the end, behind which the file must end.
func (c *binChecker) step(in *sim.Record, out []sim.Record) error {
	if c == nil {
		return nil
	}
	want, _, err := c.lines.step(in, out)
	if err != nil {
		return err
	}
	for len(want) > 0 {
		end := bytes.IndexByte(want, '\n') + 1
		got, err := c.have.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if !bytes.Equal(got, want[:end]) {
			return c.fail(fmt.Sprintf("says %q, the model exercises %q", bytes.TrimSpace(got), bytes.TrimSpace(want[:end])))
		}
		want = want[end:]
		c.at++
	}
	if _, err := c.have.Peek(1); in == nil && err != io.EOF {
		return c.fail("the set has a line more than the model exercises")
	}
	return nil
}

func (c *binChecker) fail(what string) error {
	return &capture.Error{File: c.file.Name(), Offset: -1, What: fmt.Sprintf("line %d: %s", c.at+1, what)}
}

func (c *binChecker) close() {
	if c != nil {
		c.file.Close()
	}
}
