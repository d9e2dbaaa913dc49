// Package verilator holds the simulator's end of the bridge: a C++ header, and the template of the file that binds a
// device's pins to it. Package cocosim builds simulators from them.
package verilator

import _ "embed"

// BridgeHeader is the simulator's end of the bridge; docs/bridge.md describes what it does.
//
//go:embed hca_bridge.h
var BridgeHeader string

// PrintfHeader leads what a Verilated design prints through the bridge.
//
//go:embed hca_printf.h
var PrintfHeader string

// TraceHeader writes waves; only builds of the flavour trace have it.
//
//go:embed hca_trace.h
var TraceHeader string

// BindTemplate is the text/template of the generated file that binds the pins of one device.
//
//go:embed hca_bind.cpp.tmpl
var BindTemplate string
