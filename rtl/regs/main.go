package main

import (
	"fmt"
	"os"
	"strings"
)

const (
	mapPath     = "ctx/qp_ctl.regs.yaml"
	headerPath  = "ctx/qp_ctl.h"
	packagePath = "pkg/qpc_regs_pkg.sv"
	docPath     = "../docs/blocks/qp_ctl.md"

	tableBegin = "<!-- registers -->\n"
	tableEnd   = "<!-- end of registers -->"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "regs:", err)
		os.Exit(2)
	}
}

// write makes the files of the map in a folder rtl.
func write(rtl string) error {
	files, err := made(rtl)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(rtl+"/"+name, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// made is what is made from the map, by its path: two files, and the document with its table.
func made(rtl string) (map[string]string, error) {
	text, err := os.ReadFile(rtl + "/" + mapPath)
	if err != nil {
		return nil, err
	}
	m, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", mapPath, err)
	}
	doc, err := os.ReadFile(rtl + "/" + docPath)
	if err != nil {
		return nil, err
	}
	before, rest, ok := strings.Cut(string(doc), tableBegin)
	_, after, ends := strings.Cut(rest, tableEnd)
	if !ok || !ends {
		return nil, fmt.Errorf("%s: no place between %q and %q", docPath, tableBegin, tableEnd)
	}
	return map[string]string{headerPath: m.Header(), packagePath: m.Package(),
		docPath: before + tableBegin + m.Table() + tableEnd + after}, nil
}
