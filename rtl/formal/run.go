package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// group is properties of a block that are proved together, in one run of the solver: the same is cut out for all.
type group []*task

// task is a property on its way. The row is there when waiting has given as many answers as it has jobs: its group's
// proof, and the rejection of its fault.
type task struct {
	bench
	property
	row
	answers chan error
}

const jobsOfTask = 2

// run proves what matches, atOnce runs of the solver side by side, and tells the rows in order, each as soon as it and
// all before it are known.
func run(rtlDir, work string, only *regexp.Regexp, atOnce int, tell func(row) error) (ok bool, err error) {
	var tasks []*task
	var jobs []func()
	for _, p := range proofs {
		for _, g := range groups(p, rtlDir, work, only) {
			tasks = append(tasks, g...)
			jobs = append(jobs, g.prove)
			for _, t := range g {
				jobs = append(jobs, t.refuse)
			}
		}
	}
	go inOrder(jobs, atOnce)
	ok = true
	fmt.Printf("%-14s %-62s %-30s %7s  %s\n", "block", "property", "proved", "seconds", "planted fault")
	for _, t := range tasks {
		for range jobsOfTask {
			if err := <-t.answers; err != nil {
				return false, err
			}
		}
		if err := tell(t.row); err != nil {
			return false, err
		}
		ok = ok && t.good()
	}
	return ok, nil
}

// groups are the properties of a proof that match, neighbours together that can be.
func groups(p proof, rtlDir, work string, only *regexp.Regexp) []group {
	var all []group
	for i, prop := range p.properties {
		if !only.MatchString(p.block + ": " + prop.says) {
			continue
		}
		dir := filepath.Join(work, fmt.Sprintf("%s-%d", p.name()+strings.ReplaceAll(p.parameters, " ", ""), i))
		t := &task{bench: bench{rtlDir: rtlDir, dir: dir, proof: p}, property: prop,
			row: row{block: p.block, says: prop.says, why: prop.fault.why}, answers: make(chan error, jobsOfTask)}
		if last := len(all) - 1; last >= 0 && together(all[last][0].property, prop) {
			all[last] = append(all[last], t)
		} else {
			all = append(all, group{t})
		}
	}
	return all
}

// together tells whether one run of the solver can prove both. What is covered is by itself: its harness assumes the
// run that is looked for, and the others are to hold in every run.
func together(a, b property) bool {
	alone := func(p property) bool { return p.bounded || p.covered || p.exam != nil }
	if (a.apart || b.apart) && a.check != b.check {
		return false
	}
	return a.plain == b.plain && slices.Equal(a.free, b.free) && !alone(a) && !alone(b)
}

// prove proves all at once. When that fails each is tried by itself, to tell which it is.
func (g group) prove() {
	first := g[0]
	proved, counterexample, err := first.bench.prove(g.properties()...)
	if len(g) > 1 && proved == "" && err == nil {
		for _, t := range g {
			group{t}.prove()
		}
		return
	}
	first.seconds = first.spent.Seconds()
	for _, t := range g {
		t.proved, t.counterexample = proved, counterexample
		t.answers <- err
	}
}

func (g group) properties() []property {
	var all []property
	for _, t := range g {
		all = append(all, t.property)
	}
	return all
}

// refuse plants the fault.
func (t *task) refuse() {
	b := t.bench // time spent here is not the proof's
	var err error
	t.rejected, t.depth, err = b.reject(t.property)
	t.answers <- err
}

// inOrder runs jobs, so many side by side.
func inOrder(jobs []func(), atOnce int) {
	free := make(chan struct{}, atOnce)
	for _, job := range jobs {
		free <- struct{}{}
		go func() {
			job()
			<-free
		}()
	}
}
