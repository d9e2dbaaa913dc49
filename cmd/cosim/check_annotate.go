package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"hcacosim/cocosim/flow"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

// annotator copies a capture and comments each packet with its verdict.
type annotator struct {
	path string
	// regular: the copy can be read again and another put in its place, as a pipe or a device cannot.
	regular bool
	file    *os.File
	w       *capture.Writer
	ifaces  map[annotatorPort]int
	// said is whether a violation was called certain, by packet.
	said map[uint64]bool
}

type annotatorPort struct {
	name     string
	linkType uint16
}

// maxSaid bounds the packets whose comments are mended.
const maxSaid = 1 << 16

func newAnnotator(path string) (*annotator, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		path, err = filepath.EvalSymlinks(path) // what is put in its place must not take the place of a link
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &annotator{path: path, regular: info.Mode().IsRegular(), file: f, w: capture.NewWriter(f, "cosim check"),
		ifaces: map[annotatorPort]int{}, said: map[uint64]bool{}}, nil
}

const (
	certainComment  = "violation "
	possibleComment = "possible violation "
)

func (a *annotator) add(f *vectors.Frame, comment string) {
	port := annotatorPort{f.Port, f.LinkType}
	n, ok := a.ifaces[port]
	if !ok {
		n = a.w.Interface(f.Port, f.LinkType)
		a.ifaces[port] = n
	}
	certain := strings.HasPrefix(comment, certainComment)
	if len(a.said) < maxSaid && (certain || strings.HasPrefix(comment, possibleComment)) {
		a.said[f.Number] = certain
	}
	a.w.Packet(n, f.TimeNS, f.Whole(), []byte(comment))
}

func (a *annotator) close() error {
	err := a.w.Flush()
	if bad := a.file.Close(); err == nil {
		err = bad
	}
	return err
}

// settle mends the comments of violations that turned out to be surer, or less sure, at the end of the capture. A
// copy that is a file is written anew where there are any; a stream keeps what was said by then.
func (a *annotator) settle(t *tally) error {
	final := map[uint64]map[string]bool{} // whether certain, by packet and rule
	mend := false
	for _, list := range [][]flow.Finding{t.Possible, t.Violation} {
		for i := range list {
			x := &list[i]
			certain, known := a.said[x.Packet]
			if !known {
				continue
			}
			if final[x.Packet] == nil {
				final[x.Packet] = map[string]bool{}
			}
			final[x.Packet][string(x.Rule)] = x.Certain()
			mend = mend || certain != x.Certain()
		}
	}
	if !mend || !a.regular {
		return nil
	}
	in, err := capture.Open(a.path)
	if err != nil {
		return err
	}
	defer in.Close()
	defer os.Remove(a.path + ".part") // where it could not be put in place
	out, err := newAnnotator(a.path + ".part")
	if err != nil {
		return err
	}
	for {
		f, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.Join(err, out.close())
		}
		out.add(&f, mended(string(f.Comment), final[f.Number]))
	}
	if err := out.close(); err != nil {
		return err
	}
	return os.Rename(out.path, a.path)
}

// mended is a comment with the certainty that its rule has at last.
func mended(comment string, certain map[string]bool) string {
	text := strings.TrimPrefix(comment, "possible ")
	rule, _, _ := strings.Cut(strings.TrimPrefix(text, certainComment), ":")
	switch is, known := certain[rule]; {
	case !known || !strings.HasPrefix(text, certainComment):
		return comment
	case is:
		return text
	}
	return "possible " + text
}
