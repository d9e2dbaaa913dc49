package report

import (
	"fmt"
	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"io"
	"strings"
)

// fieldValue is a field of a record in hex.
type fieldValue struct{ name, value string }

// fieldsOf takes a record apart by the layout of its port; nil for a port without one.
func fieldsOf(m *manifest.Manifest, port string, data []byte) (fields []fieldValue) {
	if m == nil {
		return nil
	}
	for i := range m.Ports {
		p := &m.Ports[i]
		if p.Name != port {
			continue
		}
		bit := 0
		for _, f := range p.Layout {
			fields = append(fields, fieldValue{f.Name, hexBits(data, bit, f.Width.Bits)})
			bit += f.Width.Bits
		}
	}
	return fields
}

// Field is a field of a record, its value in hex with an "h" behind it.
type Field struct{ Name, Value string }

// Fields takes a record apart by the layout of its port; nil for a port without one.
func (r *Report) Fields(port string, data []byte) (all []Field) {
	for _, f := range fieldsOf(r.Manifest, port, data) {
		all = append(all, Field{f.name, f.value})
	}
	return all
}

// hexBits is a run of bits as a number, without leading zeros; bits that data does not have are marked.
func hexBits(data []byte, from, width int) string {
	if from+width > 8*len(data) {
		return "missing"
	}
	var digits []byte
	for low := (width - 1) &^ 3; low >= 0; low -= 4 {
		v := 0
		for b := min(low+4, width) - 1; b >= low; b-- {
			v = v<<1 | int(data[(from+b)/8]>>((from+b)%8)&1)
		}
		if v > 0 || len(digits) > 0 || low == 0 {
			digits = append(digits, "0123456789abcdef"[v])
		}
	}
	return string(digits) + "h"
}

// difference is a field of which the device gave another value.
type difference struct{ Name, Want, Got string }

// differences are the fields of a record port in which the device and the model differ.
func (r *Report) differences(v *cocosim.Violation) (all []difference) {
	if v.Want == nil || v.Got == nil {
		return nil
	}
	want, got := fieldsOf(r.Manifest, v.Port, v.Want.Data), fieldsOf(r.Manifest, v.Port, v.Got.Data)
	for i := range want {
		if want[i].value != got[i].value {
			all = append(all, difference{want[i].name, want[i].value, got[i].value})
		}
	}
	return all
}

// Differences are the fields of a record port in which what the device gave is not what was wanted.
func (r *Report) Differences(v *cocosim.Violation) (all []FieldJSON) {
	for _, d := range r.differences(v) {
		all = append(all, FieldJSON(d))
	}
	return all
}

// printRecords prints what was wanted and given on a record port, and the fields that differ first; false on another
// port.
func (r *Report) printRecords(w io.Writer, v *cocosim.Violation) bool {
	known := false
	for _, d := range r.differences(v) {
		fmt.Fprintf(w, "    differs   %s: want %s, got %s\n", d.Name, d.Want, d.Got)
	}
	if v.Want != nil {
		known = printFields(w, "want", fieldsOf(r.Manifest, v.Port, v.Want.Data))
	}
	if v.Got != nil {
		known = printFields(w, "got", fieldsOf(r.Manifest, v.Port, v.Got.Data)) || known
	}
	return known
}

// printFields prints a record as name=value, folded; false if it has no fields.
func printFields(w io.Writer, what string, fields []fieldValue) bool {
	const most = 110
	line := ""
	for _, f := range fields {
		part := f.name + "=" + f.value
		if line != "" && len(line)+1+len(part) > most {
			fmt.Fprintf(w, "    %-9s %s\n", what, line)
			what, line = "", ""
		}
		line = strings.TrimPrefix(line+" "+part, " ")
	}
	if line != "" {
		fmt.Fprintf(w, "    %-9s %s\n", what, line)
	}
	return len(fields) > 0
}
