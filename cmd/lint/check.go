package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	mostLines         = 500 // of a file
	mostFunctionLines = 60  // from its name to its closing brace
	mostColumns       = 120 // a tab is one
)

// longFunctions are functions that are still to be divided, as "path/to/file.go:name". The list only gets shorter: a
// name that stands here and is not too long is a finding.
var longFunctions = map[string]bool{}

// kind is how a file is looked at.
type kind int

const (
	other  kind = iota // not at all
	plain              // lines and columns
	golang             // and functions
	verilog
	cpp
)

var kinds = map[string]kind{".go": golang, ".sv": verilog, ".svh": verilog, ".v": verilog, ".h": cpp, ".cpp": cpp,
	".cc": cpp, ".sh": plain, ".py": plain}

func kindOf(name string) kind { return kinds[path.Ext(name)] }

// exemptions are files that are not held to the sizes, each with its reason.
var exemptions = []struct{ under, reason string }{
	{"cmd/cosim/testdata/", "designs as others write them"},
	{"cocosim/mutate/testdata/", "designs as others write them"},
	{"docs/examples/", "designs as others write them"},
}

func exempt(name string) bool {
	return slices.ContainsFunc(exemptions, func(e struct{ under, reason string }) bool {
		return strings.HasPrefix(name, e.under)
	})
}

// check returns a line for each size that a file exceeds, with its place as compilers name it.
func check(name, text string) (problems []string) {
	say := func(line int, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%s:%d: ", name, line)+fmt.Sprintf(format, args...))
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > mostLines {
		say(mostLines+1, "%d lines, over %d", len(lines), mostLines)
	}
	var k = kindOf(name)
	var g goFile
	if k == golang {
		g = parseGo(text)
	}
	for i, line := range lines {
		if n := utf8.RuneCountInString(line); n > mostColumns && !g.raw[i+1] {
			say(i+1, "%d columns, over %d", n, mostColumns)
		}
	}
	for _, f := range append(functions(k, text), g.functions...) {
		n, known := f.last-f.first+1-f.table, longFunctions[name+":"+f.name]
		switch {
		case n > mostFunctionLines && !known:
			say(f.first, "%s has %d lines, over %d", f.name, n, mostFunctionLines)
		case n <= mostFunctionLines && known:
			say(f.first, "%s is not too long any more: take it from the list in cmd/lint", f.name)
		}
	}
	return problems
}

// function is a function of a file with the numbers of its first and last line, from 1.
type function struct {
	name        string
	first, last int
	table       int // lines of the tables in it, which are data
}

func functions(k kind, text string) []function {
	switch k {
	case verilog:
		return verilogFunctions(text)
	case cpp:
		return cppFunctions(text)
	}
	return nil
}

// goFile is what is to be known of a file of Go.
type goFile struct {
	functions []function
	raw       map[int]bool // lines of raw strings that go over several: their text is not the file's to break
}

func parseGo(text string) (g goFile) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return g // the compiler says so
	}
	span := func(n ast.Node) (first, last int) { return files.Position(n.Pos()).Line, files.Position(n.End()).Line }
	g.raw = map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && s.Value[0] == '`' {
			for first, last := span(s); first < last; first++ {
				g.raw[first], g.raw[first+1] = true, true
			}
		}
		return true
	})
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			first, last := span(d)
			g.functions = append(g.functions, function{d.Name.Name, first, last, tableLines(d, span)})
		}
	}
	return g
}

// tableLines are the lines of the tables in a function: lists of lists, without the first line and the last.
func tableLines(d *ast.FuncDecl, span func(ast.Node) (int, int)) (n int) {
	ast.Inspect(d, func(node ast.Node) bool {
		t, ok := node.(*ast.CompositeLit)
		if !ok || len(t.Elts) < 3 || !slices.ContainsFunc(t.Elts, isList) {
			return true
		}
		first, last := span(t)
		n += max(0, last-first-1)
		return false
	})
	return n
}

func isList(e ast.Expr) bool {
	if kv, ok := e.(*ast.KeyValueExpr); ok {
		e = kv.Value
	}
	_, ok := e.(*ast.CompositeLit)
	return ok
}

var verilogFunction = regexp.MustCompile(`^\s*(?:virtual |local )?(?:function|task)\b[^;(]*?(\w+)\s*[;(]`)

// verilogFunctions are functions and tasks; each begins and ends on a line of its own.
func verilogFunctions(text string) (list []function) {
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if m := verilogFunction.FindStringSubmatch(line); m != nil {
			list = append(list, function{name: m[1], first: i + 1})
		}
		if n := len(list); n > 0 && len(words) > 0 && (words[0] == "endfunction" || words[0] == "endtask") {
			list[n-1].last = i + 1
		}
	}
	return list
}

var (
	cppText  = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'`)
	cppScope = regexp.MustCompile(`^\s*(?:template\s*<[^>]*>\s*)?(?:namespace|struct|class|union|enum|extern)\b`)
	cppName  = regexp.MustCompile(`(~?\w+)\s*\(`)
)

// cppFunctions are the outermost braces behind a parenthesis that open no scope.
func cppFunctions(text string) (list []function) {
	text = cppText.ReplaceAllStringFunc(text, func(s string) string {
		return strings.Repeat("\n", strings.Count(s, "\n"))
	})
	line, begun, depth, inside := 1, 0, 0, -1 // inside: the depth of the function that is open
	begunLine := 1
	for i := range len(text) {
		switch text[i] {
		case '\n':
			line++
		case ';':
			begun, begunLine = i+1, line
		case '{':
			head := text[begun:i]
			if name := cppName.FindStringSubmatch(head); inside < 0 && name != nil && !cppScope.MatchString(head) {
				blank := len(head) - len(strings.TrimLeft(head, " \t\n"))
				list = append(list, function{name: name[1], first: begunLine + strings.Count(head[:blank], "\n")})
				inside = depth
			}
			depth++
			begun, begunLine = i+1, line
		case '}':
			if depth--; depth == inside {
				list[len(list)-1].last, inside = line, -1
			}
			begun, begunLine = i+1, line
		}
	}
	return list
}
