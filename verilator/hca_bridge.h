// The simulator's end of the bridge, in headers that depend on nothing but C++17 and POSIX. docs/bridge.md is the
// contract: frames, the meaning of RUN, the generator behind backpressure and idle cycles.
//
// A simulator is put behind it by a small class, here called Dut, that binds pins: for Verilator it is generated from
// hca_bind.cpp.tmpl, and only that file sees the Verilated class. A simulator that owns its clock (DPI, VPI) calls
// Session::drive before and Session::sample after the pins of a cycle have settled, and needs nothing else from here.
#ifndef HCA_BRIDGE_H_
#define HCA_BRIDGE_H_

#include "hca_program.h"
#include "hca_session.h"

#endif  // HCA_BRIDGE_H_
