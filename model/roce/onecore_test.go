package roce_test

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// outside are the packages that use the decisions of model/psn, model/ib and model/roce and make none.
var outside = []string{"hcacosim/model/hca", "hcacosim/cocosim/flow", "hcacosim/vectors", "hcacosim/vectors/scenario"}

// What a line can do that the core should.
const (
	comparesPSN      = "compares PSNs"
	comparesSyndrome = "compares a syndrome"
	comparesOpcode   = "compares an opcode"
	namesSyndrome    = "names a syndrome"
	namesOpcode      = "names an opcode"
)

// exception says which file may do what, and why.
type exception struct{ file, what, why string }

// allowed are the exceptions. One that nothing needs fails the test.
var allowed = []exception{
	{"model/hca/psn_window.go", comparesPSN, "the stage is the arithmetic of model/psn and nothing else"},
	{"cocosim/flow/neighbours.go", comparesOpcode, "whether two frames are of the same kind, whatever that is"},
	{"vectors/scenario/parse.go", namesOpcode, "makes packets of any opcode"},
	{"vectors/scenario/shape.go", namesSyndrome, "makes packets with any syndrome"},
	{"vectors/scenario/req.go", namesOpcode, "makes responses"},
	{"vectors/scenario/req.go", namesSyndrome, "makes responses"},
	{"vectors/scenario/req_answer.go", namesOpcode, "makes responses"},
	{"vectors/scenario/req_tour.go", namesOpcode, "makes responses"},
	{"vectors/scenario/req_tour.go", namesSyndrome, "makes responses"},
	{"vectors/scenario/req_walks.go", namesOpcode, "makes responses"},
	{"vectors/scenario/resp_edges.go", namesOpcode, "makes requests"},
	{"vectors/scenario/classify_alone.go", namesOpcode, "makes packets of any class"},
	{"vectors/scenario/tx_frame.go", namesOpcode, "makes requests of any opcode"},
	{"vectors/scenario/resp_tour.go", namesOpcode, "makes requests"},
	{"vectors/scenario/resp_long.go", namesOpcode, "makes requests"},
	{"vectors/scenario/req.go", comparesOpcode, "which of its own answers have a payload"},
	{"vectors/scenario/resp_checks.go", comparesOpcode, "which of its own requests are FLUSHes"},
	{"vectors/scenario/retry.go", namesSyndrome, "bits of a syndrome that is wrong"},
	{"vectors/scenario/classify.go", namesOpcode, "makes packets of any class"},
	{"vectors/scenario/hca_rx.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_send.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_full.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_long.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_meets.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_vast.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_full_ways.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_fails.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_fails.go", comparesPSN, "where its own PSNs carry"},
	{"vectors/scenario/hca_rx_full_meets.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_narrow.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_reads.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_tx_place.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_tx_long.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_tx_jams.go", namesSyndrome, "makes responses"},
	{"vectors/scenario/hca_tx_jams.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_top_meets.go", namesOpcode, "makes requests and responses"},
	{"vectors/scenario/hca_top_meets.go", namesSyndrome, "makes responses"},
	{"vectors/scenario/hca_top_meets_local.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_top_meets_jam.go", namesOpcode, "makes requests and responses"},
	{"vectors/scenario/hca_top_crowd.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_top_streams.go", namesOpcode, "makes requests and responses"},
	{"vectors/scenario/hca_tx_meets.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_tx_meets_clock.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_tx_meets_ends.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_tx_meets_many.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_top_sends.go", namesOpcode, "makes responses and CNPs that arrive"},
	{"vectors/scenario/hca_top_sends_serve.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_top_sends_jam.go", namesOpcode, "makes requests and responses"},
	{"vectors/scenario/hca_tx_peer.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_tx_peer.go", namesSyndrome, "makes responses"},
	{"vectors/scenario/hca_tx_peer.go", comparesPSN, "a plain peer: what it makes of a packet is stimulus"},
	{"vectors/scenario/hca_tx_peer.go", comparesSyndrome, "which of its own answers are ACKs"},
	{"vectors/scenario/resp_directed.go", namesOpcode, "makes requests"},
	{"vectors/scenario/retry_directed.go", namesSyndrome, "makes responses"},
	{"model/hca/ack_gen.go", namesOpcode, "makes ACKs"},
	{"vectors/scenario/hca_tx_bad.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_tx_meet.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_tx_bad.go", namesSyndrome, "makes responses"},
	{"vectors/scenario/hca_tx_alone.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_tx_alone.go", namesSyndrome, "makes responses"},
	{"vectors/scenario/hca_tx_alone.go", comparesSyndrome, "where its own answers lie"},
	{"vectors/scenario/req_bad.go", namesOpcode, "makes responses"},
	{"vectors/scenario/req_bad.go", namesSyndrome, "makes responses"},
	{"vectors/scenario/resp.go", namesOpcode, "makes requests"},
	{"vectors/scenario/resp_make.go", namesOpcode, "makes requests"},
	{"vectors/scenario/resp_any.go", namesOpcode, "makes requests"},
	{"vectors/scenario/cnp.go", namesOpcode, "makes CNPs that arrive"},
	{"vectors/scenario/ack.go", namesOpcode, "makes READ responses"},
	{"vectors/scenario/resp_reads.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_top_jam.go", namesOpcode, "makes requests"},
	{"vectors/scenario/resp_checks.go", namesOpcode, "makes requests"},
	{"vectors/scenario/resp_spoil.go", namesOpcode, "makes requests"},
	{"vectors/scenario/hca_rx_reads.go", comparesPSN, "which of its own requests make up for others"},
	{"vectors/scenario/hca_tx_place.go", namesSyndrome, "makes responses"},
	{"vectors/scenario/hca_tx_long.go", namesSyndrome, "makes responses"},
	{"vectors/scenario/hca_tx_races.go", namesOpcode, "makes responses"},
	{"vectors/scenario/hca_tx_quiet.go", namesOpcode, "makes responses"},
}

// A rule is decided once (CONTRIBUTING.md): outside of the core no Go file compares PSNs, or compares or names a
// syndrome or an opcode.
func TestOneDecisionCore(t *testing.T) {
	used := make([]bool, len(allowed))
	for _, x := range decisionsOutside(t) {
		i := slices.IndexFunc(allowed, func(a exception) bool { return a.file == x.file && a.what == x.what })
		if i >= 0 {
			used[i] = true
		} else {
			t.Errorf("%s:%d %s: %s", x.file, x.line, x.what, x.text)
		}
	}
	for i, a := range allowed {
		if !used[i] {
			t.Errorf("%s %s no more: take it off the list", a.file, a.what)
		}
	}
}

// The reader of Go files finds what it looks for: a file with one line of each kind.
func TestOneDecisionCoreFinds(t *testing.T) {
	set, imp := token.NewFileSet(), exported(t)
	for line, what := range map[string]string{
		"_ = p.Diff(q) < 0":                    comparesPSN,
		"_ = psn.Arrive":                       comparesPSN,
		"_ = psn.Respond(p, q, q)":             comparesPSN,
		"_ = p < q":                            comparesPSN,
		"_ = uint32(p) - uint32(q)":            comparesPSN,
		"_ = s == t":                           comparesSyndrome,
		"_ = uint8(s) >= 0x60":                 comparesSyndrome,
		"_ = s.Kind() == t.Kind()":             comparesSyndrome,
		"switch s.Kind() {\ncase t.Kind():\n}": comparesSyndrome,
		"_ = ib.NAKSequence":                   namesSyndrome,
		"_ = ib.Syndrome(0x62)":                namesSyndrome,
		"s = 0x20":                             namesSyndrome,
		"_ = op == ib.OpcodeCNP":               comparesOpcode,
		"_ = uint8(op) > 3":                    comparesOpcode,
		"_ = op & ib.Opcode(n)":                comparesOpcode,
		"switch ib.Operation(op) {\ncase ib.Operation(n):\n}": comparesOpcode,
		"_ = ib.Join(ib.RC, ib.Ack)":                          namesOpcode,
		"_ = ib.Opcode(0x11)":                                 namesOpcode,
		"op = 0x11":                                           namesOpcode,
		"_ = p == q":                                          "",
		"_ = uint32(p) % 64":                                  "",
		"_ = ib.Lookup(op).Transport == ib.UC":                "",
		"_ = op.Shape().Verb == ib.VerbSend":                  "",
		"_ = p.Before(q)":                                     "",
	} {
		text := "package x\nimport (\"hcacosim/model/ib\"; \"hcacosim/model/psn\")\n" +
			"func f(p, q psn.PSN, s, t ib.Syndrome, op ib.Opcode, n int) {\n" + line + "\n_, _, _ = psn.Half, ib.RC, n\n}\n"
		f, err := parser.ParseFile(set, "x.go", text, 0)
		require.NoError(t, err, line)
		kinds := map[string]bool{}
		for _, x := range readDecisions(t, set, imp, "x", []*ast.File{f}) {
			kinds[x.what] = true
		}
		if what == "" {
			require.Empty(t, kinds, line)
		} else {
			require.True(t, kinds[what], "%s: %v", line, slices.Collect(maps.Keys(kinds)))
		}
	}
}

// decision is a line that decides something about a packet.
type decision struct {
	file string
	line int
	what string
	text string
}

// decisionsOutside reads every Go file of the packages outside that is no test.
func decisionsOutside(t *testing.T) (list []decision) {
	imp := exported(t)
	for _, path := range outside {
		dir := filepath.Join("..", "..", strings.TrimPrefix(path, "hcacosim/"))
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		set := token.NewFileSet()
		var parsed []*ast.File
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(set, name, nil, 0)
			require.NoError(t, err)
			parsed = append(parsed, f)
		}
		list = append(list, readDecisions(t, set, imp, path, parsed)...)
	}
	return list
}

// exported imports packages as the compiler left them.
func exported(t *testing.T) types.Importer {
	args := append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, outside...)
	out, err := exec.Command("go", args...).Output()
	require.NoError(t, err, "go list")
	files := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		path, file, _ := strings.Cut(lines.Text(), "\t")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("%s: not built", path)
		}
		return os.Open(files[path])
	})
}

// decisionReader walks the files of a package.
type decisionReader struct {
	set  *token.FileSet
	info types.Info
	list []decision
}

func readDecisions(t *testing.T, set *token.FileSet, imp types.Importer, path string, files []*ast.File) []decision {
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	r := decisionReader{set: set, info: info}
	config := types.Config{Importer: imp}
	_, err := config.Check(path, set, files, &r.info)
	require.NoError(t, err)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			r.node(n)
			return true
		})
	}
	return r.list
}

func (r *decisionReader) add(n ast.Node, what string) {
	at := r.set.Position(n.Pos())
	file, _ := filepath.Rel(filepath.Join("..", ".."), at.Filename)
	text := fmt.Sprintf("%T", n)
	if x, ok := n.(ast.Expr); ok {
		text = types.ExprString(x)
	}
	r.list = append(r.list, decision{filepath.ToSlash(file), at.Line, what, text})
}

func (r *decisionReader) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		r.function(n)
	case *ast.BinaryExpr:
		r.binary(n)
	case *ast.SwitchStmt:
		if n.Tag != nil {
			r.compared(n.Tag, n.Tag)
		}
	case *ast.Ident:
		if c, ok := r.info.Uses[n].(*types.Const); ok {
			r.named(n, c.Type())
		}
	case *ast.BasicLit:
		r.named(n, r.info.Types[n].Type)
	}
}

// function finds the functions that compare PSNs.
func (r *decisionReader) function(n *ast.SelectorExpr) {
	f, ok := r.info.Uses[n.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "hcacosim/model/psn" {
		return
	}
	switch f.Name() {
	case "Diff", "Arrive", "Respond":
		r.add(n, comparesPSN)
	}
}

func (r *decisionReader) binary(n *ast.BinaryExpr) {
	equality := n.Op == token.EQL || n.Op == token.NEQ
	order := n.Op == token.LSS || n.Op == token.GTR || n.Op == token.LEQ || n.Op == token.GEQ
	for _, x := range []ast.Expr{n.X, n.Y} {
		typ := r.bare(x)
		switch {
		case typ == "psn.PSN" && (order || n.Op == token.SUB):
			r.add(n, comparesPSN)
			return
		case equality || order:
			if r.compared(x, n) {
				return
			}
		case typ == "ib.Opcode" && n.Op == token.AND:
			r.add(n, comparesOpcode)
			return
		}
	}
}

// compared notes a comparison of a syndrome or an opcode.
func (r *decisionReader) compared(x, whole ast.Expr) bool {
	switch r.bare(x) {
	case "ib.Syndrome", "ib.SyndromeKind":
		r.add(whole, comparesSyndrome)
	case "ib.Opcode", "ib.Operation":
		r.add(whole, comparesOpcode)
	default:
		return false
	}
	return true
}

// named notes a constant that is a syndrome or an opcode.
func (r *decisionReader) named(n ast.Expr, t types.Type) {
	switch short(t) {
	case "ib.Syndrome", "ib.SyndromeKind":
		r.add(n, namesSyndrome)
	case "ib.Opcode", "ib.Operation":
		r.add(n, namesOpcode)
	}
}

// bare is the type of an expression before it was converted to a number.
func (r *decisionReader) bare(x ast.Expr) string {
	typ := short(r.info.Types[x].Type)
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.bare(x.X)
	case *ast.CallExpr:
		if len(x.Args) == 1 && r.info.Types[x.Fun].IsType() && !strings.Contains(typ, ".") {
			return r.bare(x.Args[0])
		}
	}
	return typ
}

// short names a type of model/psn or model/ib.
func short(t types.Type) string {
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	switch named.Obj().Pkg().Path() {
	case "hcacosim/model/psn", "hcacosim/model/ib":
		return named.Obj().Pkg().Name() + "." + named.Obj().Name()
	}
	return "other." + named.Obj().Name()
}
