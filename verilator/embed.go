// Package verilator holds the simulator's end of the bridge: C++ headers, and the template of the file that binds a
// device's pins to it. Package cocosim/verilated builds simulators from them.
package verilator

import (
	"embed"
	"io/fs"
)

//go:embed *.h
var headers embed.FS

// Header is a file that a simulator is built with.
type Header struct {
	Name string // without a folder
	Text []byte
}

// Headers are the simulator's end of the bridge, hca_bridge.h and what it includes, and hca_printf.h, which leads what
// a Verilated design prints through the bridge; sorted by name. docs/bridge.md describes what the bridge does.
func Headers() (list []Header) {
	names, _ := fs.Glob(headers, "*.h") // the pattern is right, and nothing else can go wrong in memory
	for _, name := range names {
		text, _ := headers.ReadFile(name)
		list = append(list, Header{name, text})
	}
	return list
}

// BindTemplate is the text/template of the generated file that binds the pins of one device.
//
//go:embed hca_bind.cpp.tmpl
var BindTemplate string
