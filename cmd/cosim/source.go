package main

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/known"
)

// capturePart plays one capture. It is open only while it is being read: a run may be given hundreds.
type capturePart struct {
	open  func() (*vectors.Capture, error)
	stage hca.StageSpec
	s     *vectors.Played
}

func (p *capturePart) Next(r *sim.Record) (err error) {
	if p.s == nil {
		if p.s, err = vectors.NewPlayed(p.open, p.stage); err != nil {
			return err
		}
	}
	if err = p.s.Next(r); err != nil {
		p.s.Close()
	}
	return err
}

func (p *capturePart) Origin(i uint64) string { return p.s.Origin(i) }

type opener struct {
	name string
	open func() (*vectors.Capture, error)
}

func openers(files []string) (list []opener) {
	for _, f := range files {
		list = append(list, opener{f, func() (*vectors.Capture, error) { return vectors.OpenCapture(f) }})
	}
	return list
}

func knownCaptures() (list []opener) {
	for _, f := range known.Files() {
		list = append(list, opener{f.Name, func() (*vectors.Capture, error) { return known.Open(f.Name) }})
	}
	return list
}
