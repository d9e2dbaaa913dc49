package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// The rules of docs/rtl.md that a netlist shows.

var (
	clockPin  = regexp.MustCompile(`^(C|CLK|WCLK|CLKARDCLK|CLKBWRCLK)$`)
	clearPins = []string{"CLR", "PRE"} // of registers with an asynchronous reset
)

// spareReach is how many registers besides a block's output may follow an input pin in its clock.
const spareReach = 256

// drivers is the cell behind every net.
func (n *netlist) drivers() map[int]*cell {
	d := map[int]*cell{}
	for i := range n.cells {
		for _, net := range n.cells[i].out {
			d[net] = &n.cells[i]
		}
	}
	return d
}

// sources are the input ports and, where registers is set, the registers that a net follows without a clock between.
func (n *netlist) sources(from int, driver map[int]*cell, registers bool) (all []string) {
	seen := map[int]bool{}
	var walk func(net int)
	walk = func(net int) {
		if seen[net] {
			return
		}
		seen[net] = true
		if port, ok := n.inputs[net]; ok {
			all = append(all, port)
			return
		}
		c := driver[net]
		switch {
		case c == nil:
		case c.isLUTMemory():
			for _, in := range c.address {
				walk(in)
			}
		case c.isRegister():
			if registers {
				all = append(all, n.called(net, c))
			}
		default:
			for _, in := range c.in {
				walk(in)
			}
		}
	}
	walk(from)
	slices.Sort(all)
	return slices.Compact(all)
}

func (n *netlist) called(net int, c *cell) string {
	if name := n.name[net]; name != "" {
		return name
	}
	return c.name
}

// enables counts the registers that one clock enable moves at most, and those that one input pin reaches without a
// register between, by enable, data or reset: an enable may also be made as a multiplexer before the register.
func (n *netlist) enables() (most, reach int) {
	driver := n.drivers()
	moved, reached := map[int]int{}, map[int]int{}
	known := map[int]map[int]bool{}
	for i := range n.cells {
		c := &n.cells[i]
		if !strings.HasPrefix(c.kind, "FD") {
			continue
		}
		for _, net := range c.pins["CE"] {
			moved[net]++
		}
		inputs := map[int]bool{}
		for pin, nets := range c.pins {
			if pin == "Q" || clockPin.MatchString(pin) || slices.Contains(clearPins, pin) {
				continue
			}
			for _, net := range nets {
				maps.Copy(inputs, n.inputsOf(net, driver, known))
			}
		}
		for net := range inputs {
			reached[net]++
		}
	}
	for _, count := range moved {
		most = max(most, count)
	}
	for _, count := range reached {
		reach = max(reach, count)
	}
	return most, reach
}

// inputsOf is every input pin's net that a net follows without a register between.
func (n *netlist) inputsOf(net int, driver map[int]*cell, known map[int]map[int]bool) map[int]bool {
	if all, ok := known[net]; ok {
		return all
	}
	all := map[int]bool{}
	known[net] = all
	if _, ok := n.inputs[net]; ok {
		all[net] = true
		return all
	}
	c := driver[net]
	if c == nil || c.isRegister() && !c.isLUTMemory() {
		return all
	}
	through := c.in
	if c.isLUTMemory() {
		through = c.address
	}
	for _, in := range through {
		maps.Copy(all, n.inputsOf(in, driver, known))
	}
	return all
}

// broken tells every rule that the netlist breaks, one line each.
func (n *netlist) broken() (all []string) {
	driver := n.drivers()
	all = append(all, n.brokenCells(driver)...)
	all = append(all, n.brokenPaths(driver)...)
	if _, reach := n.enables(); reach > len(n.outputs)+spareReach {
		all = append(all, fmt.Sprintf("an input reaches %d registers in its clock, more than the %d bits of the output and "+
			"%d",
			reach, len(n.outputs), spareReach))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// brokenCells: one clock, its rising edge, straight from a pin; no latch; asynchronous resets from one pin, at most
// inverted.
func (n *netlist) brokenCells(driver map[int]*cell) (all []string) {
	clocks, resets := map[string]bool{}, map[string]bool{}
	for i := range n.cells {
		c := &n.cells[i]
		if strings.HasPrefix(c.kind, "LD") {
			all = append(all, "a latch: "+n.called(c.out[0], c))
		}
		if !c.isRegister() {
			continue
		}
		for pin, nets := range c.pins {
			if !clockPin.MatchString(pin) || len(nets) == 0 {
				continue
			}
			port, ok := n.inputs[nets[0]]
			if !ok {
				all = append(all, "a clock that is no pin, of "+n.called(c.out[0], c))
			}
			clocks[port] = true
			if strings.HasSuffix(c.kind, "_1") || strings.HasSuffix(c.inverted["IS_"+pin+"_INVERTED"], "1") {
				all = append(all, "a falling clock edge, of "+n.called(c.out[0], c))
			}
		}
		for _, pin := range clearPins {
			if nets := c.pins[pin]; strings.HasPrefix(c.kind, "FD") && len(nets) > 0 {
				all = append(all, n.brokenReset(nets[0], n.called(c.out[0], c), driver, resets)...)
			}
		}
	}
	if len(clocks) > 1 {
		all = append(all, fmt.Sprintf("%d clocks", len(clocks)))
	}
	if len(resets) > 1 {
		all = append(all, fmt.Sprintf("%d resets", len(resets)))
	}
	return all
}

func (n *netlist) brokenReset(net int, register string, driver map[int]*cell, resets map[string]bool) (all []string) {
	from := n.sources(net, driver, true)
	for _, s := range from {
		if !n.isInput(s) {
			return []string{"a register as asynchronous reset: " + s + " resets " + register}
		}
		resets[s] = true
	}
	if len(from) != 1 {
		return []string{"a reset out of logic, of " + register}
	}
	return nil
}

func (n *netlist) isInput(name string) bool {
	for _, port := range n.inputs {
		if port == name {
			return true
		}
	}
	return false
}

// brokenPaths: no output follows an input without a register between, and no data follows the reset.
func (n *netlist) brokenPaths(driver map[int]*cell) (all []string) {
	resets := map[string]bool{}
	for i := range n.cells {
		for _, pin := range clearPins {
			if nets := n.cells[i].pins[pin]; strings.HasPrefix(n.cells[i].kind, "FD") && len(nets) > 0 {
				for _, s := range n.sources(nets[0], driver, false) {
					resets[s] = true
				}
			}
		}
	}
	for _, net := range n.outputs {
		for _, port := range n.sources(net, driver, false) {
			all = append(all, "the output "+n.name[net]+" follows the input "+port+" without a register between")
		}
	}
	for i := range n.cells {
		c := &n.cells[i]
		if !strings.HasPrefix(c.kind, "FD") || len(c.pins["D"]) == 0 {
			continue
		}
		for _, s := range n.sources(c.pins["D"][0], driver, false) {
			if resets[s] {
				all = append(all, "data out of the reset "+s+", of "+n.called(c.out[0], c))
			}
		}
	}
	return all
}
