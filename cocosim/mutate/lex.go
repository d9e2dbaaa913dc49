// Package mutate breaks SystemVerilog on purpose, in many small ways, and counts how many of them a set of runs finds.
// What stays unfound is a hole in the stimulus or in the checks, or no fault at all.
//
// Mutants are made from the text: a lexer and a scan for assignments and conditions, no elaboration. Hundreds share one
// build: each place that is mutated chooses, by a number that the simulator reads from the environment when it starts,
// which of its texts counts.
package mutate

import (
	"fmt"
	"regexp"
	"strings"
)

// kind is the kind of a token.
type kind uint8

const (
	ident  kind = iota // and keywords, and system names
	number             // 12, 4'h3, '0; the size of a cast is one too
	text               // a string
	op                 // an operator or a bracket
	cast               // the quote of a cast
	ends               // behind the last
)

// token is a word of a source. at and end are byte offsets.
type token struct {
	kind    kind
	text    string
	at, end int
}

// operators by length, the longest first.
var operators = [][]string{
	{"<<<=", ">>>="},
	{"<<<", ">>>", "===", "!==", "==?", "!=?", "<<=", ">>="},
	{"'{", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "->", "::", "++", "--", "+=", "-=", "*=", "/=", "&=", "|=",
		"^=", "**", "+:", "-:",
		"~&", "~|", "~^", "^~"},
}

var (
	based = regexp.MustCompile(`^(?:[0-9][0-9_]*)?\s*'s?[bodhBODH]\s*[0-9a-fA-F_xXzZ?]+|` +
		`^'[01xXzZ]|^[0-9][0-9_]*(?:\.[0-9]+)?`)
	directives = regexp.MustCompile("^`(?:ifdef|ifndef|elsif|else|endif|define|include|undef|timescale|" +
		"default_nettype)[^\\n]*")
)

// lex cuts a source into tokens. Comments and directives are left out; what stands between `ifdef and `endif is not.
func lex(source string) ([]token, error) {
	var all []token
	for at := 0; at < len(source); {
		k, n := lexeme(source[at:])
		if n == 0 {
			return nil, fmt.Errorf("line %d: %q is not understood", lineOf(source, at), source[at:min(len(source), at+12)])
		}
		if k != ends {
			all = append(all, token{k, source[at : at+n], at, at + n})
		}
		at += n
	}
	return append(all, token{ends, "", len(source), len(source)}), nil
}

// lexeme is the kind and length of the token that s begins with; ends is what is passed over.
func lexeme(s string) (kind, int) {
	c := s[0]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
		return ends, 1
	case strings.HasPrefix(s, "//"):
		return ends, upTo(s, "\n")
	case strings.HasPrefix(s, "/*"):
		return ends, upTo(s, "*/")
	case c == '`' && directives.MatchString(s):
		return ends, upTo(s, "\n")
	case c == '$' || c == '`' || isLetter(c):
		n := 1
		for n < len(s) && (isLetter(s[n]) || s[n] == '$' || s[n] >= '0' && s[n] <= '9') {
			n++
		}
		return ident, n
	case c == '\\':
		return ident, strings.IndexAny(s+" ", " \t\n")
	case c == '"':
		for n := 1; n < len(s); n++ {
			if s[n] == '\\' {
				n++
			} else if s[n] == '"' {
				return text, n + 1
			}
		}
		return text, 0
	case c == '\'' || c >= '0' && c <= '9':
		if m := based.FindStringIndex(s[:min(len(s), 200)]); m != nil {
			return number, m[1]
		}
	}
	for i, list := range operators {
		for _, o := range list {
			if len(o) == 4-i && strings.HasPrefix(s, o) {
				return op, len(o)
			}
		}
	}
	if c == '\'' {
		return cast, 1
	}
	if strings.IndexByte("-+*/%&|^~!<>=?:;,.(){}[]#@", c) >= 0 {
		return op, 1
	}
	return ends, 0
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// upTo is the length of s up to a text, that included; all of it where there is none.
func upTo(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

func lineOf(source string, at int) int { return 1 + strings.Count(source[:at], "\n") }

// close is the index of the bracket that closes the one at i; the last token if there is none.
func closing(t []token, i int) int {
	depth := 0
	for ; i < len(t)-1; i++ {
		switch t[i].text {
		case "(", "[", "{", "'{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(t) - 1
}
