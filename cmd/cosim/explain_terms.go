package main

import (
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hcacosim/docs"
	"hcacosim/model/ib"
)

// terms are the names that explainTerm knows, without the numbers.
func terms() (all []string) {
	for op := range 256 {
		if i := ib.Lookup(ib.Opcode(op)); i != nil {
			all = append(all, i.Name)
		}
	}
	for h := range ib.AllHeaders() {
		all = append(all, h.String())
		for f := range h.Fields() {
			all = append(all, f.String())
		}
	}
	for _, file := range docs.BlockFiles() {
		for line := range strings.Lines(docs.Block(file)) {
			if m := recordRow.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				for name := range strings.SplitSeq(m[2], ",") {
					all = append(all, strings.TrimSpace(name))
				}
			}
		}
	}
	return all
}

// explainTerm says what a syndrome, an opcode or a field is; it reports whether the term is any.
func explainTerm(w io.Writer, term string) bool {
	if n, ok := byteOf(term); ok {
		explainByte(w, n)
		return true
	}
	some := false
	for op := range 256 {
		if i := ib.Lookup(ib.Opcode(op)); i != nil && (strings.EqualFold(i.Name, term) || hasSuffixFold(i.Name, " "+term)) {
			explainOpcode(w, i)
			some = true
		}
	}
	for h := range ib.AllHeaders() {
		for f := range h.Fields() {
			if strings.EqualFold(f.String(), term) || strings.EqualFold(h.String(), term) {
				explainHeaderField(w, f)
				some = true
			}
		}
	}
	return explainRecordField(w, term) || some
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// byteOf reads 61h or 0x61.
func byteOf(s string) (byte, bool) {
	digits, isHex := strings.CutSuffix(strings.ToLower(s), "h")
	if rest, ok := strings.CutPrefix(digits, "0x"); ok {
		digits, isHex = rest, true
	}
	n, err := strconv.ParseUint(digits, 16, 8)
	return byte(n), isHex && err == nil
}

func explainByte(w io.Writer, n byte) {
	fmt.Fprintf(w, "syndrome %02Xh  %s\n", n, ib.Syndrome(n))
	if i := ib.Lookup(ib.Opcode(n)); i != nil {
		explainOpcode(w, i)
		return
	}
	fmt.Fprintf(w, "opcode %02Xh    unknown (OPC-1)\n", n)
}

func explainOpcode(w io.Writer, i *ib.Info) {
	goes := "requester to responder"
	if i.Response {
		goes = "responder to requester"
	}
	fmt.Fprintf(w, "opcode %02Xh    %s (%s)\n", uint8(i.Opcode), i.Name, goes)
	fmt.Fprintf(w, "  headers     %s\n  payload     %s (bytes without pad, LEN-1)\n",
		strings.TrimSpace("BTH "+i.Headers.String()), i.Length)
	for h := range ib.AllHeaders() {
		if i.Headers.Has(h) {
			for f := range h.Fields() {
				fmt.Fprintf(w, "  %-11s byte %d: %s, %d bits\n", h, i.Offset(h)+f.At(), f, f.Bits())
			}
		}
	}
}

func explainHeaderField(w io.Writer, f ib.Field) {
	last := (8*f.At() + f.Bits() - 1) / 8
	where := fmt.Sprintf("bytes %d to %d", f.At(), last)
	if last == f.At() {
		where = fmt.Sprintf("byte %d", f.At())
	}
	fmt.Fprintf(w, "%s  field of %s, %s, %d bits, high byte first\n", f, f.Header(), where, f.Bits())
}

// recordRow is a row of a record's table in a block's document: bits, field, and what stands behind it.
var recordRow = regexp.MustCompile(`^\| *([0-9][0-9:, ]*) *\| *([a-z0-9_, ]+?) *\|(.*)$`)

// portHead names the port in the head of such a table.
var portHead = regexp.MustCompile("^\\| *`([a-z0-9_]+)` bits")

// explainRecordField finds a field in the documents of the blocks.
func explainRecordField(w io.Writer, term string) (some bool) {
	for _, file := range docs.BlockFiles() {
		text, port := docs.Block(file), ""
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if m := portHead.FindStringSubmatch(line); m != nil {
				port = m[1]
			}
			m := recordRow.FindStringSubmatch(line)
			if m == nil || !slices.ContainsFunc(strings.Split(m[2], ","),
				func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), term) }) {
				continue
			}
			meaning := strings.Join(strings.FieldsFunc(m[3], func(r rune) bool { return r == '|' }), ";")
			fmt.Fprintf(w, "%s  %s, %s, bits %s: %s\n", term, strings.TrimSuffix(path.Base(file), ".md"), port,
				strings.TrimSpace(m[1]), strings.TrimSpace(meaning))
			some = true
		}
	}
	return some
}
