package mutate

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/rtl"
)

// Mutant is one way in which a design was broken.
type Mutant struct {
	ID       int    `json:"id"` // from 1
	File     string `json:"file"`
	Line     int    `json:"line"`
	Operator string `json:"operator"`
	Old      string `json:"old"` // the expression
	New      string `json:"new"` // in its place

	file, site int
	change     change
}

// source is a file of a design with its sites.
type source struct {
	path    string
	text    string
	t       []token
	sites   []site
	modules []module
	used    bool // by the top module
}

// Design is a device with all mutants that there are of it.
type Design struct {
	Manifest *manifest.Manifest
	Mutants  []Mutant
	Sites    int // that were found
	Constant int // sites of functions that constants are made with: they cannot be chosen at run time and are left out

	files   []source
	unread  map[int]bool // mutants that Yosys does not read
	netlist string       // with all mutants in it, in place of files; "" is none (ReadNetlist)
	watched map[int]bool // mutants of the netlist of which a run says whether they were active
}

// Read finds the mutants of a device: of every module and function that its top module uses.
func Read(m *manifest.Manifest) (*Design, error) {
	list, _, err := m.ReadSources()
	if err != nil {
		return nil, err
	}
	d := &Design{Manifest: m}
	for _, f := range list {
		s := source{path: f.Path, text: string(f.Text)}
		if s.t, err = lex(s.text); err != nil {
			return nil, cocosim.Errorf(cocosim.BadInput, "%s: %v", f.Path, err)
		}
		d.files = append(d.files, s)
	}
	d.reach()
	n := declared(d.files)
	constant, called := d.constantFunctions(), d.usedFunctions()
	for f := range d.files {
		s := &d.files[f]
		if !s.used {
			continue
		}
		for _, x := range scanSource(s.t) {
			if x.inFunction != "" && !called[x.inFunction] {
				continue
			}
			d.Sites++
			if x.inFunction != "" && constant[x.inFunction] {
				d.Constant++
				continue
			}
			s.sites = append(s.sites, x)
		}
	}
	w := d.wire()
	d.find(func(s *source, at int) []change {
		if x := s.sites[at]; !x.plain {
			return changes(x, s.t, s.text, n)
		}
		return nil
	})
	d.find(func(s *source, at int) []change { return w.changes(s, at, n) }) // behind all others, whose numbers stay
	for i := range d.Mutants {
		d.Mutants[i].ID = i + 1
	}
	return d, nil
}

// find adds what some operators make of each site.
func (d *Design) find(of func(s *source, at int) []change) {
	for f := range d.files {
		s := &d.files[f]
		for i := range s.sites {
			for _, c := range of(s, i) {
				d.Mutants = append(d.Mutants, newMutant(s, f, i, c))
			}
		}
	}
}

// wire reads how the modules are connected, and leaves out connections without an operator that are no place: those of
// outputs, of clocks, of modules that only watch.
func (d *Design) wire() *wiring {
	clocks := []string{d.Manifest.Clock}
	for _, c := range d.Manifest.Clocks {
		clocks = append(clocks, c.Pin)
	}
	w := newWiring(d.files, clocks)
	for f := range d.files {
		s := &d.files[f]
		all := len(s.sites)
		s.sites = slices.DeleteFunc(s.sites, func(x site) bool { return x.plain && !w.isPlace(s, x) })
		d.Sites -= all - len(s.sites)
	}
	return w
}

func newMutant(s *source, f, at int, c change) Mutant {
	x := s.sites[at]
	old := s.text[s.t[x.from].at:s.t[x.to-1].end]
	if c.whole {
		old = s.text[s.t[x.left].at:s.t[x.to-1].end]
	}
	return Mutant{File: s.path, Line: lineOf(s.text, s.t[c.at].at), Operator: c.operator, Old: oneLine(old),
		New:  oneLine(c.text),
		file: f, site: at, change: c}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// reach marks the files whose modules and packages the top module uses. A module without outputs only watches.
func (d *Design) reach() {
	where := map[string]int{}
	for f, s := range d.files {
		for i, t := range s.t {
			if (t.text == "module" || t.text == "package") && s.t[i+1].kind == ident {
				where[s.t[i+1].text] = f
			}
		}
	}
	var visit func(name string)
	visit = func(name string) {
		f, ok := where[name]
		if !ok || d.files[f].used {
			return
		}
		s := &d.files[f]
		isModule, gives := false, false
		for _, t := range s.t {
			isModule = isModule || t.text == "module"
			gives = gives || t.text == "output" || t.text == "inout"
		}
		if isModule && !gives {
			return
		}
		s.used = true
		for _, t := range s.t {
			if t.kind == ident {
				visit(t.text)
			}
		}
	}
	visit(d.Manifest.Top)
}

// declared reads the packed structs and enumerations of a design.
func declared(files []source) *names {
	n := &names{fields: map[string]string{}, members: map[string]string{}}
	for _, s := range files {
		for i := range s.t {
			switch s.t[i].text {
			case "struct":
				n.addStruct(s.t, i)
			case "enum":
				n.addEnum(s.t, i)
			}
		}
	}
	for a, b := range n.fields {
		if b == "?" {
			delete(n.fields, a)
		}
	}
	return n
}

func (n *names) addStruct(t []token, i int) {
	for ; i < len(t)-1 && t[i].text != "{"; i++ {
	}
	byType := map[string][]string{}
	end := closing(t, i)
	for k := i + 1; k < end; {
		from := k
		for k < end && t[k].text != ";" {
			k++
		}
		if k > from+1 {
			kind := ""
			for _, x := range t[from : k-1] {
				kind += x.text + " "
			}
			byType[kind] = append(byType[kind], t[k-1].text)
		}
		k++
	}
	for _, same := range byType {
		for k, name := range same {
			other := same[(k+1)%len(same)]
			if have, ok := n.fields[name]; other == name || ok && have != other {
				other = "?" // not the same everywhere
			}
			n.fields[name] = other
		}
	}
}

func (n *names) addEnum(t []token, i int) {
	for ; i < len(t)-1 && t[i].text != "{"; i++ {
	}
	end := closing(t, i)
	var members []string
	for k := i + 1; k < end; k++ {
		if t[k].kind == ident && (t[k-1].text == "{" || t[k-1].text == ",") {
			members = append(members, t[k].text)
		}
	}
	for k, name := range members {
		if len(members) > 1 {
			n.members[name] = members[(k+1)%len(members)]
		}
	}
}

// In is the design with the mutants only of files whose path begins with one of some texts, to draw from; itself where
// there are none.
func (d *Design) In(paths []string) *Design {
	if len(paths) == 0 {
		return d
	}
	some := *d
	some.Mutants = nil
	for _, m := range d.Mutants {
		if slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(m.File, path) }) {
			some.Mutants = append(some.Mutants, m)
		}
	}
	return &some
}

// Sample draws n mutants, every one as likely, in their order; all of them where n is 0 or more than there are.
func (d *Design) Sample(n int, seed uint64) []Mutant {
	all := slices.Clone(d.Mutants)
	if n <= 0 || n >= len(all) {
		return all
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:n]
	slices.SortFunc(all, func(a, b Mutant) int { return a.ID - b.ID })
	return all
}

// EverySite draws one mutant of each site that has some, each of its mutants as likely, in their order.
func (d *Design) EverySite(seed uint64) (some []Mutant) {
	rng := rand.New(rand.NewPCG(seed, 1))
	type place struct{ file, site int }
	at := map[place]int{}  // in some
	met := map[place]int{} // how many mutants of it were seen
	for _, m := range d.Mutants {
		here := place{m.file, m.site}
		met[here]++
		if met[here] == 1 {
			at[here] = len(some)
			some = append(some, m)
		} else if rng.IntN(met[here]) == 0 {
			some[at[here]] = m
		}
	}
	slices.SortFunc(some, func(a, b Mutant) int { return a.ID - b.ID })
	return some
}

// Numbered are the mutants of some numbers, in their order.
func (d *Design) Numbered(ids []int) (some []Mutant, err error) {
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if id < 1 || id > len(d.Mutants) {
			return nil, cocosim.Errorf(cocosim.BadInput, "%s has mutants 1 to %d, not %d", d.Manifest.Name, len(d.Mutants), id)
		}
		some = append(some, d.Mutants[id-1])
	}
	return some, nil
}

// Selector is the environment variable that says which mutant a simulator is; none where it is not set.
const Selector = "HCACOSIM_MUTANT"

const selectorPackage = "package hca_mutant; int id = $c32(\"(std::getenv(\\\"" + Selector +
	"\\\") ? std::atoi(std::getenv(\\\"" + Selector +
	"\\\")) : 0)\"); endpackage "

// Write writes the design into a directory with all these mutants in it, and returns the path of its manifest.
func (d *Design) Write(dir string, mutants []Mutant) (string, error) {
	if d.netlist != "" {
		name := filepath.Join(dir, netlistSource)
		var text string
		text, d.watched = watched(d.netlist, d.Manifest)
		if err := writeFile(name, selectorPackage+text); err != nil {
			return "", err
		}
		return d.writeManifest(dir, []string{name})
	}
	if _, err := d.writeSources(dir, mutants); err != nil {
		return "", err
	}
	var list []string
	for f := range d.files {
		list = append(list, d.writtenAs(dir, f))
	}
	return d.writeManifest(dir, list)
}

func writeFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

// writeManifest writes the manifest with other sources.
func (d *Design) writeManifest(dir string, sources []string) (string, error) {
	var text []byte
	var err error
	if name, ok := strings.CutPrefix(d.Manifest.Path(), "rtl/"); ok && d.Manifest.Embedded() {
		text, err = fs.ReadFile(rtl.FS, name)
	} else {
		text, err = os.ReadFile(d.Manifest.Path())
	}
	if err != nil {
		return "", err
	}
	var all map[string]any
	if err := yaml.Unmarshal(text, &all); err != nil {
		return "", err
	}
	_, include, err := d.Manifest.ReadSources()
	if err != nil {
		return "", err
	}
	delete(all, "filelist")
	all["sources"], all["include"] = sources, include
	if len(include) == 0 {
		delete(all, "include")
	}
	if text, err = yaml.Marshal(all); err != nil {
		return "", err
	}
	name := filepath.Join(dir, d.Manifest.Name+".yaml")
	return name, writeFile(name, string(text))
}

// mutated is the text of a source in which each site chooses. Lines stay where they were.
func (s *source) mutated(of func(site int) []Mutant) string { return s.placed(of).text }

// placed is that text with the places of the mutants.
func (s *source) placed(of func(site int) []Mutant) (p placed) {
	var b strings.Builder
	done := 0
	for i, x := range s.sites {
		list := of(i)
		if len(list) == 0 {
			continue
		}
		from, to := s.t[x.from].at, s.t[x.to-1].end
		if x.use == blocking || x.use == nonblocking {
			from, to = s.t[x.left].at, s.t[x.stop-1].end
		}
		b.WriteString(s.text[done:from])
		p.spans = append(p.spans, s.choice(&b, x, list, s.text[from:to])...)
		done = to
	}
	b.WriteString(s.text[done:])
	p.text = b.String()
	return p
}

// choice writes what stands in place of a site.
func (s *source) choice(b *strings.Builder, x site, list []Mutant, old string) (spans []span) {
	first, last := list[0].ID, list[len(list)-1].ID
	among := fmt.Sprintf("(hca_mutant::id >= %d && hca_mutant::id <= %d)", first, last)
	write := func(id int, text string) {
		from := b.Len()
		b.WriteString(oneLine(noComments(text)))
		spans = append(spans, span{id, from, b.Len()})
	}
	if x.use == blocking || x.use == nonblocking {
		target := s.text[s.t[x.left].at:s.t[x.from-1].at]
		fmt.Fprintf(b, "begin if (%s) begin case (hca_mutant::id) ", among)
		for _, m := range list {
			text := m.change.text
			if !m.change.whole {
				text = fmt.Sprintf("%s %s %s;", target, x.operatorText, m.change.text)
			}
			fmt.Fprintf(b, "%d: ", m.ID)
			write(m.ID, text)
			b.WriteByte(' ')
		}
		fmt.Fprintf(b, "default: %s endcase end else %s end", oneLine(noComments(old)), old)
		return spans
	}
	if x.implicit {
		fmt.Fprintf(b, "%s ", old)
	}
	fmt.Fprintf(b, "(%s ? (", among)
	for _, m := range list {
		fmt.Fprintf(b, "(hca_mutant::id == %d) ? (", m.ID)
		write(m.ID, m.change.text)
		b.WriteString(") : ")
	}
	fmt.Fprintf(b, "(%s)) : (%s))", oneLine(noComments(old)), old)
	return spans
}

// noComments takes comments out, for text that is to stand on a line.
func noComments(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		switch {
		case strings.HasPrefix(s, "//"):
			i := strings.IndexByte(s, '\n')
			if i < 0 {
				i = len(s)
			}
			s = s[i:]
		case strings.HasPrefix(s, "/*"):
			i := strings.Index(s, "*/")
			if i < 0 {
				return b.String()
			}
			s = s[i+2:]
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String()
}
