package main

import (
	"os"

	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

// annotator copies a capture and comments each packet with its verdict.
type annotator struct {
	file   *os.File
	w      *capture.Writer
	ifaces map[annotatorPort]int
}

type annotatorPort struct {
	name     string
	linkType uint16
}

func newAnnotator(path string) (*annotator, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &annotator{file: f, w: capture.NewWriter(f, "cosim check"), ifaces: map[annotatorPort]int{}}, nil
}

func (a *annotator) add(f *vectors.Frame, comment string) {
	port := annotatorPort{f.Port, f.LinkType}
	n, ok := a.ifaces[port]
	if !ok {
		n = a.w.Interface(f.Port, f.LinkType)
		a.ifaces[port] = n
	}
	a.w.Packet(n, f.TimeNS, f.Data, []byte(comment))
}

func (a *annotator) close() error {
	err := a.w.Flush()
	if bad := a.file.Close(); err == nil {
		err = bad
	}
	return err
}
