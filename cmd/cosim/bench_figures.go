package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
)

// figure is something that was measured, several times where the clock decides.
type figure struct {
	Name   string  `json:"name"`
	Unit   string  `json:"unit"` // ns: less is better; ratio, packets/s: more is
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// benchOut is where a benchmark prints, and collects its figures.
type benchOut struct {
	io.Writer
	section string
	repeats int // of what takes a second each
	figures []figure
}

func (w *benchOut) record(name, unit string, all []float64) {
	w.figures = append(w.figures, figure{w.section + ": " + name, unit, median(all), slices.Min(all), slices.Max(all)})
}

// benchFile is what --json prints and --against reads.
type benchFile struct {
	Figures []figure `json:"figures"`
}

func bench(c *cli.Context) error {
	var before benchFile
	if file := c.String("against"); file != "" { // before half an hour is spent
		text, err := os.ReadFile(file)
		if err != nil {
			return cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
		if err := json.Unmarshal(text, &before); err != nil || len(before.Figures) == 0 {
			return cocosim.Errorf(cocosim.BadInput, "%s: not what `cosim bench --json` writes", file)
		}
	}
	w := &benchOut{Writer: c.App.Writer, repeats: 1}
	if c.Bool("json") {
		w.Writer = c.App.ErrWriter
	}
	if c.Bool("json") || c.IsSet("against") {
		w.repeats = 3
	}
	sections, err := benchSections(c.StringSlice("only"))
	if err != nil {
		return err
	}
	for _, s := range sections {
		w.section = s.name
		if err := s.run(c, w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if c.Bool("json") {
		enc := json.NewEncoder(c.App.Writer)
		enc.SetIndent("", "  ")
		if err := enc.Encode(benchFile{w.figures}); err != nil {
			return err
		}
	}
	if !c.IsSet("against") {
		return nil
	}
	text, slower := compareFigures(before.Figures, w.figures)
	fmt.Fprint(w, text)
	if slower {
		return command.Silent(cocosim.Mismatch)
	}
	return nil
}

// benchSection is a part of the measurements.
type benchSection struct {
	name string
	run  func(*cli.Context, *benchOut) error
}

// benchSections are those of these names, in their own order; all without a name.
func benchSections(only []string) ([]benchSection, error) {
	all := []benchSection{{"bridge", benchBridge}, {"model", benchModel}, {"devices", benchDevices},
		{"alone", benchAlone}, {"codec", benchCodec}, {"vecgen", benchVecgen}}
	for _, name := range only {
		if !slices.ContainsFunc(all, func(s benchSection) bool { return s.name == name }) {
			return nil, cocosim.Errorf(cocosim.BadInput, "--only %s: no such section; `cosim bench --help` lists them", name)
		}
	}
	return slices.DeleteFunc(all, func(s benchSection) bool {
		return len(only) > 0 && !slices.Contains(only, s.name)
	}), nil
}

// compareFigures says what got slower: the best of now is worse than the worst of before.
func compareFigures(before, now []figure) (text string, slower bool) {
	var b bytes.Buffer
	for _, n := range now {
		at := slices.IndexFunc(before, func(f figure) bool { return f.Name == n.Name && f.Unit == n.Unit })
		if at < 0 {
			fmt.Fprintf(&b, "new     %s: %.4g %s\n", n.Name, n.Median, n.Unit)
			continue
		}
		o := before[at]
		worse, better := n.Min > o.Max, n.Max < o.Min
		if n.Unit != "ns" {
			worse, better = better, worse
		}
		slower = slower || worse
		if worse || better {
			fmt.Fprintf(&b, "%-7s %s: %.4g %s (%.4g to %.4g), was %.4g (%.4g to %.4g)\n", map[bool]string{true: "slower",
				false: "faster"}[worse],
				n.Name, n.Median, n.Unit, n.Min, n.Max, o.Median, o.Min, o.Max)
		}
	}
	for _, o := range before {
		if !slices.ContainsFunc(now, func(f figure) bool { return f.Name == o.Name && f.Unit == o.Unit }) {
			fmt.Fprintf(&b, "gone    %s\n", o.Name)
		}
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "%d figures: none is slower or faster by more than the spread\n", len(now))
	}
	return b.String(), slower
}
