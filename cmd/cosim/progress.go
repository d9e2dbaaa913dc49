package main

import (
	"fmt"
	"io"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress draws a bar on a terminal and nothing elsewhere.
type progress struct {
	bars *mpb.Progress
	bar  *mpb.Bar
}

func newProgress(w io.Writer, total uint64) *progress { return newProgressOf(w, "packets", total) }

func newProgressOf(w io.Writer, what string, total uint64) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	p := mpb.New(mpb.WithOutput(w), mpb.WithWidth(60))
	bar := p.AddBar(int64(total), mpb.BarRemoveOnComplete(), mpb.PrependDecorators(decor.Name(what+" "),
		decor.CountersNoUnit("%d / %d")),
		mpb.AppendDecorators(decor.AverageETA(decor.ET_STYLE_GO)))
	return &progress{p, bar}
}

// tell adds packets, or takes the bar off the screen.
func (p *progress) tell(packets uint64, ended bool) {
	switch {
	case p.bar == nil:
	case ended:
		p.bar.Abort(true)
		p.bars.Wait()
	default:
		p.bar.IncrBy(int(packets))
	}
}

// printf prints a line above the bar, or where there is none.
func (p *progress) printf(w io.Writer, format string, args ...any) {
	if p.bars != nil {
		w = p.bars
	}
	fmt.Fprintf(w, format, args...)
}
