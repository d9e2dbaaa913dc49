package scenario

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"hcacosim/vectors/capture"
)

// Weights say how often a scenario does what, and in which ranges, where it leaves a choice: docs/vectors.md, Weights.
// The zero value leaves everything as it is.
type Weights struct {
	File, Text string // that they were read from
	scenario   string
	settings   map[*knob]setting
}

// setting is what takes the place of a knob's own.
type setting struct {
	weights   []int // of a choice
	total     int
	limit     uint64 // of a share: so many of 2^53
	low, high int    // of a range
}

// knobKind says how a knob is set.
type knobKind uint8

const (
	isShare  knobKind = iota // a number from 0 to the most that there may be
	isChoice                 // a weight for each value
	isRange                  // [LOW, HIGH]
)

// knob is a choice that scenarios leave.
type knob struct {
	name, what string
	kind       knobKind
	scenarios  []string

	oneIn     int     // share: once in so many
	most      float64 // share: at most
	values    []string
	weights   []int // of values
	total     int
	low, high int // range: what it is, and its bounds
}

// mostWeight is the most that a value may weigh: turns of mix are written out.
const mostWeight = 1000

// knobs are all that there are, in the order of their declaration.
var knobs []*knob

func newKnob(k knob) *knob {
	for _, n := range k.weights {
		k.total += n
	}
	knobs = append(knobs, &k)
	return &k
}

// shareOf declares what happens once in so many times, and how large a share of all it may have.
func shareOf(name string, oneIn int, most float64, what string, scenarios ...string) *knob {
	return newKnob(knob{name: name, what: what, kind: isShare, scenarios: scenarios, oneIn: oneIn, most: most})
}

// choiceOf declares a choice among values, "NAME WEIGHT" each.
func choiceOf(name, what string, values []string, scenarios ...string) *knob {
	k := knob{name: name, what: what, kind: isChoice, scenarios: scenarios}
	for _, v := range values {
		value, weight, _ := strings.Cut(v, " ")
		n, err := strconv.Atoi(weight)
		if err != nil {
			panic(name + ": " + v + " has no weight")
		}
		k.values, k.weights = append(k.values, value), append(k.weights, n)
	}
	return newKnob(k)
}

// rangeOf declares numbers from low to high.
func rangeOf(name string, low, high int, what string, scenarios ...string) *knob {
	return newKnob(knob{name: name, what: what, kind: isRange, scenarios: scenarios, low: low, high: high})
}

// oneIn draws whether what a share is of happens.
func (g *Generator) oneIn(r *Rand, k *knob) bool {
	if is, ok := g.happens(r, k); ok {
		return is
	}
	return r.OneIn(k.oneIn)
}

// happens draws that, where a share is set.
func (g *Generator) happens(r *Rand, k *knob) (is, ok bool) {
	if s, ok := g.settingOf(k); ok {
		return r.Uint64()>>11 < s.limit, true
	}
	return false, false
}

// pick draws the number of a value.
func (g *Generator) pick(r *Rand, k *knob) int {
	if i, ok := g.picked(r, k); ok {
		return i
	}
	return pickOf(r, k.weights, k.total)
}

func pickOf(r *Rand, weights []int, total int) int {
	n := r.Below(total)
	for i, w := range weights {
		if n < w {
			return i
		}
		n -= w
	}
	panic("weights and their sum")
}

// before is the sum of the weights of the values before one.
func (k *knob) before(i int) (n int) {
	for _, w := range k.weights[:i] {
		n += w
	}
	return n
}

// picked draws the number of a value, where weights are set.
func (g *Generator) picked(r *Rand, k *knob) (int, bool) {
	if s, ok := g.settingOf(k); ok {
		return pickOf(r, s.weights, s.total), true
	}
	return 0, false
}

// settingOf is what takes the place of a knob's own, mostly nothing.
func (g *Generator) settingOf(k *knob) (s setting, ok bool) {
	if len(g.tuned) > 0 { // a look-up in no map is a call too
		s, ok = g.tuned[k]
	}
	return s, ok
}

// between draws from a range, where one is set.
func (g *Generator) between(r *Rand, k *knob) (int, bool) {
	if s, ok := g.settingOf(k); ok {
		return r.Between(s.low, s.high), true
	}
	return 0, false
}

// SetWeights has a generator use weights. It is called before the first Make.
func (g *Generator) SetWeights(w *Weights) error {
	if w == nil || w.scenario == "" {
		return nil
	}
	if w.scenario != g.scenario.Name {
		return &capture.Error{File: "weights", Offset: -1, What: fmt.Sprintf("they are for scenario %s, not %s", w.scenario,
			g.scenario.Name)}
	}
	g.tuned = w.settings
	if s, ok := w.settings[mixParts]; ok {
		g.turns = turnsOf(s.weights)
	}
	return nil
}

// knobsOf are those of a scenario.
func knobsOf(scenario string) (some []*knob) {
	for _, k := range knobs {
		if slices.Contains(k.scenarios, scenario) {
			some = append(some, k)
		}
	}
	return some
}

// DescribeWeights is a file of the weights of a scenario as they are, a comment above each.
func DescribeWeights(s *Scenario) string {
	var b strings.Builder
	fmt.Fprintf(&b, "scenario: %s\n", s.Name)
	for _, k := range knobsOf(s.Name) {
		fmt.Fprintf(&b, "\n# %s\n%s: %s\n", k.what, k.name, k.text())
	}
	return b.String()
}

func (k *knob) share() string { return fmt.Sprintf("%.4g", 1/float64(k.oneIn)) }

// text is the knob as it is, in YAML.
func (k *knob) text() string {
	switch k.kind {
	case isShare:
		return fmt.Sprintf("%s   # at most %.4g", k.share(), k.most)
	case isRange:
		return fmt.Sprintf("[%d, %d]", k.low, k.high)
	}
	var parts []string
	for i, v := range k.values {
		parts = append(parts, fmt.Sprintf("%s: %d", v, k.weights[i]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// ReadWeights reads a file of weights. What cannot be is refused with its line.
func ReadWeights(file string) (*Weights, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, capture.OpenError(file, err)
	}
	return ParseWeights(file, text)
}

// ParseWeights is ReadWeights of a text.
func ParseWeights(file string, text []byte) (*Weights, error) {
	var doc, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&doc); err != nil && err != io.EOF {
		return nil, &capture.Error{File: file, Offset: -1, What: err.Error()}
	}
	p := weightsParser{file: file, w: &Weights{File: file, Text: string(text), settings: map[*knob]setting{}}}
	if dec.Decode(&second) != io.EOF {
		return nil, p.fail(&second, "a second document begins", "a file has one")
	}
	if doc.Kind != yaml.DocumentNode || doc.Content[0].Kind != yaml.MappingNode {
		return nil, p.fail(&doc, "no map of weights", "scenario: NAME, then a line for each")
	}
	return p.w, p.parse(doc.Content[0])
}

type weightsParser struct {
	file string
	w    *Weights
}

func (p *weightsParser) fail(at *yaml.Node, what, do string) error {
	return &capture.Error{File: fmt.Sprintf("%s:%d", p.file, max(1, at.Line)), Offset: -1, What: what, Do: do}
}

func (p *weightsParser) parse(m *yaml.Node) error {
	for i := 0; i < len(m.Content); i += 2 {
		if m.Content[i].Value == "scenario" {
			s, err := Lookup(m.Content[i+1].Value)
			if err != nil {
				return p.fail(m.Content[i+1], fmt.Sprintf("no scenario %q", m.Content[i+1].Value), "vecgen list")
			}
			p.w.scenario = s.Name
		}
	}
	if p.w.scenario == "" {
		return p.fail(m, "no scenario is named", "scenario: NAME")
	}
	all, seen := knobsOf(p.w.scenario), map[string]bool{}
	if len(all) == 0 {
		return p.fail(m, "scenario "+p.w.scenario+" has no weights", "")
	}
	for i := 0; i < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		if seen[key.Value] {
			return p.fail(key, key.Value+" is there twice", "")
		}
		if seen[key.Value] = true; key.Value == "scenario" {
			continue
		}
		at := slices.IndexFunc(all, func(k *knob) bool { return k.name == key.Value })
		if at < 0 {
			verb := "has"
			if slices.ContainsFunc(knobs, func(k *knob) bool { return k.name == key.Value }) { // others do
				verb = "draws"
			}
			return p.fail(key, fmt.Sprintf("scenario %s %s no %q", p.w.scenario, verb, key.Value), "it has "+names(all))
		}
		if err := p.set(all[at], value); err != nil {
			return err
		}
		if all[at].isOwn(p.w.settings[all[at]]) {
			delete(p.w.settings, all[at])
		}
	}
	return nil
}

// isOwn reports whether a setting is what DescribeWeights prints: it leaves the scenario as it is, draw for draw.
func (k *knob) isOwn(s setting) bool {
	switch k.kind {
	case isShare:
		printed, _ := strconv.ParseFloat(k.share(), 64)
		return s.limit == limitOf(printed) || s.limit == limitOf(1/float64(k.oneIn))
	case isRange:
		return s.low == k.low && s.high == k.high
	}
	return slices.Equal(s.weights, k.weights)
}

func limitOf(share float64) uint64 { return uint64(share * (1 << 53)) }

func names(all []*knob) string {
	var list []string
	for _, k := range all {
		list = append(list, k.name)
	}
	return strings.Join(list, ", ")
}

func (p *weightsParser) set(k *knob, v *yaml.Node) error {
	switch k.kind {
	case isShare:
		return p.setShare(k, v)
	case isRange:
		return p.setRange(k, v)
	}
	return p.setChoice(k, v)
}

func (p *weightsParser) setShare(k *knob, v *yaml.Node) error {
	var share float64
	if v.Kind != yaml.ScalarNode || v.Decode(&share) != nil || math.IsNaN(share) {
		return p.fail(v, k.name+" is a share: a number", "")
	}
	if share < 0 || share > k.most {
		return p.fail(v, fmt.Sprintf("%s %v: a share from 0 to %v, with more of which the scenario would not come to what "+
			"it is for", k.name, share, k.most), "")
	}
	p.w.settings[k] = setting{limit: limitOf(share)}
	return nil
}

// isWhole reports whether nodes are whole numbers: decoding cuts 1.5 to 1.
func isWhole(all ...*yaml.Node) bool {
	return !slices.ContainsFunc(all, func(n *yaml.Node) bool { return n.Tag != "!!int" })
}

func (p *weightsParser) setRange(k *knob, v *yaml.Node) error {
	var ends []int
	if v.Kind != yaml.SequenceNode || !isWhole(v.Content...) || v.Decode(&ends) != nil || len(ends) != 2 {
		return p.fail(v, k.name+" is a range: [LOW, HIGH]", "")
	}
	switch low, high := ends[0], ends[1]; {
	case low > high:
		return p.fail(v, fmt.Sprintf("%s [%d, %d]: nothing lies between", k.name, low, high), "")
	case low < k.low || high > k.high:
		return p.fail(v, fmt.Sprintf("%s [%d, %d]: it lies within [%d, %d]", k.name, low, high, k.low, k.high), "")
	default:
		p.w.settings[k] = setting{low: low, high: high}
	}
	return nil
}

func (p *weightsParser) setChoice(k *knob, v *yaml.Node) error {
	if v.Kind != yaml.MappingNode {
		return p.fail(v, k.name+" is a choice: {VALUE: WEIGHT}", "values: "+strings.Join(k.values, ", "))
	}
	s, seen := setting{weights: make([]int, len(k.values))}, map[string]bool{}
	for i := 0; i < len(v.Content); i += 2 {
		name, weight := v.Content[i], v.Content[i+1]
		at := slices.Index(k.values, name.Value)
		if at < 0 {
			return p.fail(name, fmt.Sprintf("%s has no value %q", k.name, name.Value),
				"values: "+strings.Join(k.values, ", "))
		}
		if seen[name.Value] {
			return p.fail(name, fmt.Sprintf("%s of %s is there twice", name.Value, k.name), "")
		}
		seen[name.Value] = true
		n := 0
		if !isWhole(weight) || weight.Decode(&n) != nil || n < 0 || n > mostWeight {
			return p.fail(weight, fmt.Sprintf("%s of %s: a weight is a whole number from 0 to %d", name.Value, k.name,
				mostWeight), "")
		}
		s.weights[at] = n
		s.total += n
	}
	if s.total == 0 {
		return p.fail(v, k.name+": all weights are 0, so that nothing is left to choose", "")
	}
	p.w.settings[k] = s
	return nil
}
