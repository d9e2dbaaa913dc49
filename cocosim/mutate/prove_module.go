package mutate

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A mutant often does what its module did, whatever the rest of the device is: an index whose higher bits are cut, a
// term that another one implies. To show that takes seconds where the whole device takes minutes.

var derived = regexp.MustCompile(`(?m)^\s+(\\?\S+)$`)

// byModule compares the mutant's module with the design's, under all parameters with which the device has it: outputs
// and what registers and memories take, from the same inputs and the same state. Equal in every state is equal without
// a bound of depth. "" is no proof: states that the device never reaches may differ.
func (v *prover) byModule(ctx context.Context, module string) (how string, err error) {
	ctx, cancel := context.WithTimeout(ctx, v.o.Timeout)
	defer cancel()
	var lists [2][]string
	var netlists [2]string
	for side := range netlists {
		netlists[side] = filepath.Join(v.dir, fmt.Sprintf("side%d.il", side))
		text, err := v.yosys(ctx, fmt.Sprintf("read_verilog -sv%s %s; hierarchy -check -top %s; write_rtlil %s; "+
			"tee -o %[4]s.txt ls", v.with, strings.Join(v.list[side], " "), v.top, netlists[side]))
		if err != nil {
			return "", noTime(err)
		}
		for _, m := range derived.FindAllStringSubmatch(text[max(0, strings.LastIndex(text, "modules:")):], -1) {
			if isOf(m[1], module) {
				lists[side] = append(lists[side], m[1])
			}
		}
	}
	if len(lists[0]) == 0 || !slices.Equal(lists[0], lists[1]) {
		return "", nil // a mutant that changes a parameter
	}
	for _, name := range lists[0] {
		text, err := v.yosys(ctx, readModule(netlists[0], name, "gold")+readModule(netlists[1], name, "gate")+bothSides+
			v.pair(nil)+"equiv_simple -seq 1; equiv_status")
		if err != nil || !allShown.MatchString(text) {
			return "", noTime(err)
		}
	}
	return "its module does the same from every state", nil
}

// isOf reports whether a module of a netlist is one of the sources, maybe with parameters: \name, or
// $paramod\name\W=8, or $paramod$0123\name.
func isOf(name, module string) bool {
	name = strings.TrimPrefix(name, "\\")
	return name == module || strings.HasPrefix(name, "$paramod") && slices.Contains(strings.Split(name, "\\"), module)
}

// readModule are the commands that make a flat design of one module of a netlist.
func readModule(netlist, name, as string) string {
	return fmt.Sprintf("read_rtlil %s; hierarchy -top %s; proc; flatten; opt_expr; opt_clean; memory_collect; "+
		"rename -top %s; %s design -stash %[3]s; ", netlist, name, as, tidy)
}

// moduleOf is the module that a mutant lies in; "" in a package, and in a netlist, which is flat.
func (d *Design) moduleOf(m *Mutant) (module string) {
	if d.netlist != "" {
		return ""
	}
	s := &d.files[m.file]
	for i, t := range s.t[:s.sites[m.site].from] {
		switch t.text {
		case "module":
			module = s.t[i+1].text
		case "endmodule", "package":
			module = ""
		}
	}
	return module
}
