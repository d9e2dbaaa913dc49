package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim/cover"
	"hcacosim/cocosim/guide"
	"hcacosim/cocosim/loop"
	"hcacosim/docs"
	"hcacosim/model/stages"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

var update = flag.Bool("update", false, "write the pages anew")

// behaviour is an entry of verbs.yaml or areas.yaml, which say what its fields are.
type behaviour struct {
	Says, Rule, Names, Not, Note string

	Bins, Directed, Pages, Tests, Scenarios, Rogues []string
}

type verbs struct {
	Reasons map[string]string
	Entries []behaviour
}

type areas struct {
	Reasons map[string]string
	Areas   []struct {
		Area    string
		Entries []behaviour
	}
}

func load(t *testing.T, file string, into any) {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	require.NoError(t, dec.Decode(into), file)
}

func (a *areas) all() (all []behaviour) {
	for _, area := range a.Areas {
		all = append(all, area.Entries...)
	}
	return all
}

// TestVerbs: every behaviour of the suite is shown where verbs.yaml says, or has a reason, and each name occurs once.
func TestVerbs(t *testing.T) {
	var v verbs
	load(t, "verbs.yaml", &v)
	hold(t, v.Entries, v.Reasons)
	seen := map[string]bool{}
	for _, b := range v.Entries {
		require.NotEmpty(t, strings.Fields(b.Names), b.Says)
		for _, name := range strings.Fields(b.Names) {
			require.False(t, seen[name], "%s stands twice", name)
			seen[name] = true
		}
	}
	page := verbsHead + "\n" + legend(v.Reasons) + "\n| behaviour | shown by | names |\n|---|---|---|\n"
	for _, b := range v.Entries {
		page += fmt.Sprintf("| %s | %s | %s |\n", b.what(), b.where(), strings.Join(strings.Fields(b.Names), ", "))
	}
	generated(t, "verbs.md", page+directedPage())
	t.Run("OfTheSuite", func(t *testing.T) {
		raw, err := os.ReadFile("../../shared/facts/verbs-test-names.md")
		if os.IsNotExist(err) {
			t.Skip("the list of names is not beside the project: verbs.yaml has its own")
		}
		require.NoError(t, err)
		names := regexp.MustCompile(`\b[A-Z]\w*Test\.\w+`).FindAllString(string(raw), -1)
		require.Greater(t, len(names), 300)
		for _, name := range names {
			require.True(t, seen[name], "verbs.yaml does not say where %s shows", name)
			delete(seen, name)
		}
		require.Empty(t, seen, "the suite has no such test")
	})
}

// TestAreas: every area in which devices have had bugs has several situations, and each is there.
func TestAreas(t *testing.T) {
	var a areas
	load(t, "areas.yaml", &a)
	hold(t, a.all(), a.Reasons)
	page := areasHead + "\n" + legend(a.Reasons)
	listed := map[string]bool{}
	for _, area := range a.Areas {
		require.Greater(t, len(area.Entries), 3, area.Area)
		page += fmt.Sprintf("\n## %s\n\n| behaviour | shown by |\n|---|---|\n", area.Area)
		listed[area.Area] = true
		for _, b := range area.Entries {
			page += fmt.Sprintf("| %s | %s |\n", b.what(), b.where())
		}
	}
	generated(t, "areas.md", page)
	t.Run("OfTheFacts", func(t *testing.T) {
		raw, err := os.ReadFile("../../shared/facts/bugs.md")
		if os.IsNotExist(err) {
			t.Skip("the list of bugs is not beside the project: areas.yaml has its own areas")
		}
		require.NoError(t, err)
		lines := strings.Split(string(raw), "\n")
		found := 0
		for i := range len(lines) - 1 {
			if strings.HasPrefix(lines[i+1], "- ") && !strings.HasPrefix(lines[i], "- ") && !strings.HasPrefix(lines[i], " ") {
				found++
				require.True(t, listed[lines[i]], "areas.yaml has no area %q", lines[i])
			}
		}
		require.Equal(t, len(listed), found)
	})
}

// TestDirectedCasesAreNamed: none is played that neither page asks for.
func TestDirectedCasesAreNamed(t *testing.T) {
	var v verbs
	var a areas
	load(t, "verbs.yaml", &v)
	load(t, "areas.yaml", &a)
	named := map[string]bool{}
	for _, b := range append(v.Entries, a.all()...) {
		for _, name := range b.Directed {
			named[name] = true
		}
	}
	for _, c := range scenario.AllDirected() {
		require.True(t, named[c.Name], c.Name)
	}
}

// hold holds what entries name against the product.
func hold(t *testing.T, entries []behaviour, reasons map[string]string) {
	t.Helper()
	sheets := map[string]*cover.Sheet{}
	used := map[string]bool{}
	for _, b := range entries {
		shown := len(b.Bins) + len(b.Directed) + len(b.Pages) + len(b.Tests) + len(b.Scenarios) + len(b.Rogues)
		require.True(t, b.Not != "" || shown > 0, "%s: neither shown nor a reason", b.Says)
		require.True(t, b.Not == "" || reasons[b.Not] != "", "%s: no reason %q", b.Says, b.Not)
		used[b.Not] = true
		require.True(t, b.Rule != "" || shown == 0, "%s: no rule", b.Says)
		for _, rule := range strings.Fields(b.Rule) {
			require.Regexp(t, `(?m)^\| `+rule+`(, in part)? \|`, docs.Rules, b.Says)
		}
		for _, bin := range b.Bins {
			holdBin(t, sheets, bin)
		}
		holdNames(t, &b)
	}
	for reason := range reasons {
		require.True(t, used[reason], "no entry has the reason %q", reason)
	}
}

// holdBin: the default scenario of the stage reaches the bin.
func holdBin(t *testing.T, sheets map[string]*cover.Sheet, text string) {
	t.Helper()
	part := strings.SplitN(text, " | ", 3)
	require.Len(t, part, 3, text)
	sheet := sheets[part[0]]
	if sheet == nil {
		sheet = counted(t, part[0])
		sheets[part[0]] = sheet
	}
	g := slices.IndexFunc(sheet.Groups, func(g *cover.Group) bool { return g.Name == part[1] })
	require.GreaterOrEqual(t, g, 0, "%s: no such group", text)
	i := slices.IndexFunc(sheet.Groups[g].Bins, func(b cover.Bin) bool { return b.Name == part[2] })
	require.GreaterOrEqual(t, i, 0, "%s: no such bin", text)
	b := sheet.Groups[g].Bins[i]
	require.Empty(t, b.Illegal, text)
	require.NotZero(t, b.Hits, "%s: the default scenario does not reach it", text)
}

// counted plays the default scenario of a stage on the golden model.
func counted(t *testing.T, stage string) *cover.Sheet {
	t.Helper()
	spec, ok := stages.Lookup(stage)
	require.True(t, ok, "no stage %q", stage)
	sc := scenario.Default(stage)
	source, err := vectors.NewGenerated(sc, spec, 1, sc.Count)
	require.NoError(t, err)
	sheet, err := guide.Count(guide.Target{Spec: spec}, source, "")
	require.NoError(t, err)
	return sheet
}

func holdNames(t *testing.T, b *behaviour) {
	t.Helper()
	for _, name := range b.Directed {
		require.True(t, slices.ContainsFunc(scenario.AllDirected(), func(c scenario.Directed) bool { return c.Name == name }),
			"no directed case %q", name)
	}
	for _, name := range b.Pages {
		require.FileExists(t, "../model/roce/testdata/scenarios/"+name+".txt")
	}
	for _, name := range b.Tests {
		requireTest(t, name)
	}
	for _, name := range b.Scenarios {
		_, err := scenario.Lookup(name)
		require.NoError(t, err)
	}
	for _, name := range b.Rogues {
		_, err := loop.FindRogue(name)
		require.NoError(t, err)
	}
}

// requireTest holds "package.TestName" against the files of the package.
func requireTest(t *testing.T, name string) {
	t.Helper()
	pkg, test, ok := strings.Cut(name, ".")
	require.True(t, ok, name)
	files, err := filepath.Glob("../" + pkg + "/*_test.go")
	require.NoError(t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		if bytes.Contains(raw, []byte("\nfunc "+test+"(t *testing.T)")) {
			return
		}
	}
	require.Fail(t, "no such test", name)
}

func (b *behaviour) what() string {
	text := b.Says
	if b.Rule != "" {
		text += " (" + strings.Join(strings.Fields(b.Rule), ", ") + ")"
	}
	if b.Note != "" {
		text += ". " + b.Note
	}
	return text
}

func (b *behaviour) where() string {
	var parts []string
	add := func(kind string, names []string) {
		if len(names) > 0 {
			parts = append(parts, kind+" "+strings.Join(names, ", "))
		}
	}
	if b.Not != "" {
		parts = append(parts, "not here: "+b.Not)
	}
	for _, bin := range b.Bins {
		part := strings.SplitN(bin, " | ", 3)
		parts = append(parts, fmt.Sprintf("`%s` %s: %s", part[0], strings.TrimPrefix(part[1], "rule: "), part[2]))
	}
	add("directed", b.Directed)
	add("page", b.Pages)
	add("test", b.Tests)
	add("scenario", b.Scenarios)
	add("rogue", b.Rogues)
	return strings.Join(parts, "; ")
}

func legend(reasons map[string]string) string {
	var b strings.Builder
	b.WriteString("| not here | because |\n|---|---|\n")
	var names []string
	for name := range reasons {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "| %s | %s |\n", name, reasons[name])
	}
	return b.String()
}

func directedPage() string {
	page := "\n## Directed cases\n\n| scenario | name | rule | what |\n|---|---|---|---|\n"
	for _, c := range scenario.AllDirected() {
		page += fmt.Sprintf("| `%s` | %s | %s | %s |\n", c.Scenario, c.Name, c.Rule, c.Says)
	}
	return page
}

const verbsHead = `# Behaviours that a public suite tests

Made from verbs.yaml by ` + "`go test ./docs -run TestVerbs -update`" + `: the tests of google/rdma-unit-test (Apache-2.0, state of 2025-09-24), by name
only, and where their behaviour shows here. "shown by": a stage with a group and a bin of its sheet (coverage-by-rule.md), which the default scenario of the
stage reaches; a directed case (below); a page of model/roce/testdata/scenarios; a Go test; a scenario as a whole; a rogue of ` + "`cosim link`" + `.
`

const areasHead = `# Areas in which devices have had bugs

Made from areas.yaml by ` + "`go test ./docs -run TestAreas -update`" + `: what is looked for in each area, and by what. "shown by" is as in verbs.md, where
the directed cases stand too. An area is never complete: scenarios draw around each of these.
`

// generated holds a page against what it is made from.
func generated(t *testing.T, path, page string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(page), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, page, string(have), "out of date: go test ./docs -update")
}
