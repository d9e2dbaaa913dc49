// Command regs makes what software, RTL and people read of a register map from the one file that says it:
//
//	go run ./regs        in rtl: the table of the block's document, its C header, its SystemVerilog package
package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hcacosim/cocosim/strict"
)

// Map is a register map: rtl/ctx/qp_ctl.regs.yaml.
type Map struct {
	Name      string
	Registers []Register
}

// Register is one, or Count alike, Step bytes apart.
type Register struct {
	Name    string
	Address uint32
	Access  Access
	Count   uint32
	Step    uint32
	Reset   uint32
	Text    string
	Fields  []Field
}

// Access is who may write a register or a field: rw, ro, wo, config or w1c.
type Access string

// Field is a part of a register.
type Field struct {
	Name   string
	Bits   Bits
	Access Access // where it differs from the register's
	Text   string
}

// Bits are the highest and the lowest.
type Bits struct{ High, Low int }

// UnmarshalText reads them as 31:0.
func (b *Bits) UnmarshalText(text []byte) (err error) {
	high, low, ok := strings.Cut(string(text), ":")
	if !ok {
		return fmt.Errorf("bits %s: not HIGH:LOW", text)
	}
	if b.High, err = strconv.Atoi(high); err != nil {
		return err
	}
	b.Low, err = strconv.Atoi(low)
	return err
}

// Mask has the bits set.
func (b Bits) Mask() uint32 { return uint32((uint64(1)<<(b.High+1) - 1) >> b.Low << b.Low) }

// Parse reads a map and holds it to what a map is: fields within words that overlap nothing, registers that overlap
// none.
func Parse(text []byte) (*Map, error) {
	m := new(Map)
	if err := strict.Decode(text, m); err != nil {
		return nil, err
	}
	taken := map[uint32]string{}
	for i := range m.Registers {
		r := &m.Registers[i]
		r.Count, r.Step = max(r.Count, 1), cmp.Or(r.Step, 4)
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		for n := range r.Count {
			at := r.At(n)
			if other, is := taken[at]; is {
				return nil, fmt.Errorf("%s: address %03X is that of %s", r.Name, at, other)
			}
			taken[at] = r.Name
		}
	}
	return m, nil
}

func (r *Register) check() error {
	if r.Address%4 != 0 || r.Step%4 != 0 {
		return fmt.Errorf("not a whole word")
	}
	if !slices.Contains([]Access{"rw", "ro", "wo", "config"}, r.Access) {
		return fmt.Errorf("access %q is none of rw, ro, wo, config", r.Access)
	}
	var used uint32
	for _, f := range r.Fields {
		switch {
		case f.Bits.High > 31 || f.Bits.Low < 0 || f.Bits.High < f.Bits.Low:
			return fmt.Errorf("%s: bits %d:%d of a word", f.Name, f.Bits.High, f.Bits.Low)
		case used&f.Bits.Mask() != 0:
			return fmt.Errorf("%s: bits of another field", f.Name)
		case f.Access != "" && f.Access != "w1c":
			return fmt.Errorf("%s: access %q of a field is w1c or the register's", f.Name, f.Access)
		}
		used |= f.Bits.Mask()
	}
	return nil
}

// At is the address of the n-th.
func (r *Register) At(n uint32) uint32 { return r.Address + n*r.Step }

// Mask has the bits that fields have.
func (r *Register) Mask() (mask uint32) {
	for _, f := range r.Fields {
		mask |= f.Bits.Mask()
	}
	return mask
}

// Table is the table of the document.
func (m *Map) Table() string {
	var b strings.Builder
	b.WriteString("| address | register | access | what | field | at | what |\n|---|---|---|---|---|---|---|\n")
	for i := range m.Registers {
		r := &m.Registers[i]
		where, name := fmt.Sprintf("%03Xh", r.Address), r.Name
		if r.Count > 1 {
			where, name = fmt.Sprintf("%s + %d n", where, r.Step), fmt.Sprintf("%s, n below %d", name, r.Count)
		}
		for n, f := range r.Fields {
			access := cmp.Or(f.Access, r.Access)
			if n > 0 {
				where, name = "", ""
			}
			text := r.Text
			if n > 0 {
				text = ""
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", where, name, access, text, f.Name, f.Bits, f.Text)
		}
	}
	return b.String()
}

// String is 31:0, or one number.
func (b Bits) String() string {
	if b.High == b.Low {
		return strconv.Itoa(b.Low)
	}
	return fmt.Sprintf("%d:%d", b.High, b.Low)
}

// Header is the C header.
func (m *Map) Header() string {
	var b strings.Builder
	guard := strings.ToUpper(m.Name) + "_H"
	fmt.Fprintf(&b,
		"/* SPDX-License-Identifier: Apache-2.0 */\n/* The registers of %s. Made from %s.regs.yaml by go generate "+
			"./rtl. */\n#ifndef %s\n#define %s\n\n", m.Name, m.Name, guard, guard)
	for i := range m.Registers {
		r := &m.Registers[i]
		name := strings.ToUpper(m.Name + "_" + r.Name)
		if r.Count > 1 {
			fmt.Fprintf(&b, "#define %s(n) (0x%03Xu + %du * (n)) /* n below %d */\n", name, r.Address, r.Step, r.Count)
		} else {
			fmt.Fprintf(&b, "#define %s 0x%03Xu\n", name, r.Address)
		}
		for _, f := range r.Fields {
			field := name + "_" + strings.ToUpper(f.Name)
			fmt.Fprintf(&b, "#define %s_SHIFT %d\n#define %s_MASK 0x%08Xu\n", field, f.Bits.Low, field, f.Bits.Mask())
		}
	}
	b.WriteString("\n#endif\n")
	return b.String()
}

// Package is the SystemVerilog package: word addresses, and which bits of a register there are.
func (m *Map) Package() string {
	var b strings.Builder
	b.WriteString("// SPDX-License-Identifier: Apache-2.0\n// The registers of " + m.Name + ": made from " + m.Name +
		".regs.yaml by go generate ./rtl.\npackage qpc_regs_pkg;\n\n")
	for i := range m.Registers {
		r := &m.Registers[i]
		name := camel(r.Name)
		fmt.Fprintf(&b, "  localparam logic [11:0] At%s = 12'h%03X;\n", name, r.Address)
		fmt.Fprintf(&b, "  localparam logic [31:0] Bits%s = 32'h%08X;\n", name, r.Mask())
		if r.Reset != 0 {
			fmt.Fprintf(&b, "  localparam logic [31:0] Reset%s = 32'h%08X;\n", name, r.Reset)
		}
	}
	b.WriteString("\nendpackage\n")
	return b.String()
}

// camel is CfgMacLow for CFG_MAC_LOW.
func camel(name string) (all string) {
	for word := range strings.SplitSeq(name, "_") {
		all += word[:1] + strings.ToLower(word[1:])
	}
	return all
}
