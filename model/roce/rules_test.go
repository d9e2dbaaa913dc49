package roce_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	ruleID    = regexp.MustCompile(`\b(PSN|ICRC|OPC|LEN|END|CRD|TMR|RSP|REQ|ADM|CNP|SEL|FAL|DMA|ECC|RATE)-([A-Z]?\d+)\b`)
	ruleRange = regexp.MustCompile(`\b((?:PSN|ICRC|TMR|RSP|REQ|ADM|DMA|ECC|RATE)-|FAL-[A-Z])(\d+) to ` +
		`(?:(?:PSN|ICRC|TMR|RSP|REQ|ADM|DMA|ECC|RATE)-|FAL-[A-Z])(\d+)\b`)
	decides = regexp.MustCompile(`(?m)^// Decides .*$`)
	ruleDef = regexp.MustCompile(`(?m)^\| ([A-Z]+-[A-Z]?\d+)(?:, in part)? \|`)
)

// covered collects, by rule, the symbols that cite it in the model and the tests that name it.
type covered struct {
	symbols, tests map[string]map[string]bool
	mute           []string            // tests and pages that name no rule
	deciders       map[string][]string // the files that say that they decide it
}

func (c *covered) note(to map[string]map[string]bool, text, what string) bool {
	ids := ruleID.FindAllString(text, -1)
	for _, m := range ruleRange.FindAllStringSubmatch(text, -1) {
		from, _ := strconv.Atoi(m[2])
		last, _ := strconv.Atoi(m[3])
		for n := from; n <= last; n++ {
			ids = append(ids, fmt.Sprintf("%s%d", m[1], n))
		}
	}
	for _, id := range ids {
		if to[id] == nil {
			to[id] = map[string]bool{}
		}
		to[id][what] = true
	}
	return len(ids) > 0
}

// aboutPages are the tests that hold a page against its source and prove no rule by themselves.
var aboutPages = map[string]bool{"roce.TestScenarios": true, "roce.TestDeviationsPage": true,
	"roce.TestCoverageOfRules": true,
	"roce.TestOneDecisionCore": true, "roce.TestOneDecisionCoreFinds": true, "roce.TestComponents": true}

// Every rule has Go code that cites it and a test that names it, and every test and page of this package names a rule.
// docs/coverage-of-rules.md is made from it.
func TestCoverageOfRules(t *testing.T) {
	c := covered{symbols: map[string]map[string]bool{}, tests: map[string]map[string]bool{},
		deciders: map[string][]string{}}
	falcon, err := filepath.Glob("../falcon/*")
	require.NoError(t, err)
	for _, dir := range append([]string{"../psn", "../ib", "../wire", ".", "onwire", "../falcon"}, falcon...) {
		c.files(t, filepath.Join(dir, "*.go"))
	}
	c.files(t, "../hca/rx_dma*.go") // blocks that decide rules by themselves
	c.files(t, "../hca/atomic_engine*.go")
	c.files(t, "../hca/read_engine*.go")
	c.files(t, "../hca/ecc*.go")
	c.files(t, "../hca/pacing*.go")
	c.files(t, "../hca/hca_tx_pace*.go")
	c.files(t, "../hca/hca_tx_share*.go")
	pages, err := filepath.Glob("testdata/scenarios/*.txt")
	require.NoError(t, err)
	for _, p := range pages {
		raw, err := os.ReadFile(p)
		require.NoError(t, err)
		comments := strings.Join(regexp.MustCompile(`(?m)^#.*`).FindAllString(string(raw), -1), "\n")
		name := "page " + strings.TrimSuffix(filepath.Base(p), ".txt")
		if !c.note(c.tests, comments, name) {
			c.mute = append(c.mute, name)
		}
	}
	require.Empty(t, c.mute, "these name no rule")

	rules, err := os.ReadFile("../../docs/rules.md")
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString("# Coverage of the rules\n\nMade by `go test ./model/roce -run TestCoverageOfRules -update`: for " +
		"every rule of [rules.md](rules.md) the Go code of the model that\n" +
		"cites it and the tests that name it; a page is a scenario under model/roce/testdata/scenarios. Each rule is " +
		"decided in the one file that says so; other code\n" +
		"applies what is decided there, or judges a device by it.\n\n| rule | decided in | code | tests " +
		"|\n|---|---|---|---|\n")
	known := map[string]bool{}
	for _, m := range ruleDef.FindAllStringSubmatch(string(rules), -1) {
		id := m[1]
		known[id] = true
		require.NotEmpty(t, c.symbols[id], "no code cites %s", id)
		require.NotEmpty(t, c.tests[id], "no test names %s", id)
		require.Len(t, c.deciders[id], 1, "%s: the files that decide it", id)
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", id, c.deciders[id][0], list(c.symbols[id]), list(c.tests[id]))
	}
	for id := range maps.Keys(c.symbols) {
		require.True(t, known[id], "%s is cited and is not in docs/rules.md", id)
	}
	for id := range maps.Keys(c.tests) {
		require.True(t, known[id], "%s is tested and is not in docs/rules.md", id)
	}
	require.GreaterOrEqual(t, len(known), 45)
	generated(t, "../../docs/coverage-of-rules.md", b.String())
}

func list(set map[string]bool) string {
	names := slices.Sorted(maps.Keys(set))
	if len(names) > 8 {
		names = append(names[:8], fmt.Sprintf("and %d more", len(names)-8))
	}
	return strings.Join(names, ", ")
}

// files reads files of a package: every declaration with its comments is a symbol or, in a test file, a test.
func (c *covered) files(t *testing.T, pattern string) {
	dir := filepath.Dir(pattern)
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	for _, path := range files {
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, src, parser.ParseComments)
		require.NoError(t, err)
		isTest := strings.HasSuffix(path, "_test.go")
		if line := decides.FindString(string(src)); !isTest {
			for _, id := range ruleID.FindAllString(line, -1) {
				c.deciders[id] = append(c.deciders[id], filepath.ToSlash(filepath.Join("model/roce", path)))
			}
		}
		for _, d := range f.Decls {
			from := d.Pos()
			if doc := docOf(d); doc != nil {
				from = doc.Pos()
			}
			text := string(src[set.Position(from).Offset:set.Position(d.End()).Offset])
			name := nameOfDecl(f.Name.Name, d)
			in := "" // two packages are called wire
			if strings.HasPrefix(dir, "../falcon/") {
				in = "falcon/"
			}
			switch {
			case !isTest:
				c.note(c.symbols, text, in+name)
			case aboutPages[name]:
			case strings.HasPrefix(name, strings.TrimSuffix(f.Name.Name, "_test")+".Test"):
				name = strings.Replace(name, "_test.", ".", 1)
				if !c.note(c.tests, text, in+name) && dir == "." {
					c.mute = append(c.mute, name)
				}
			}
		}
	}
}

func docOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

func nameOfDecl(pkg string, d ast.Decl) string {
	pkg = strings.TrimSuffix(pkg, "_test")
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil && len(d.Recv.List) > 0 {
			typ := d.Recv.List[0].Type
			if star, ok := typ.(*ast.StarExpr); ok {
				typ = star.X
			}
			return fmt.Sprintf("%s.%v.%s", pkg, typ, d.Name.Name)
		}
		return pkg + "." + d.Name.Name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				return pkg + "." + s.Name.Name
			case *ast.ValueSpec:
				return pkg + "." + s.Names[0].Name
			}
		}
	}
	return pkg
}
