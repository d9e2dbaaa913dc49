// SPDX-License-Identifier: Apache-2.0
// The golden model of hcacosim for a bench in SystemVerilog: docs/predictor.md, hcacosim.h. Link libhcacosim.so.
package hcacosim_pkg;

  localparam int unsigned VectorBits = 4096;
  typedef bit [VectorBits-1:0] vector_t;  // bit 0 of a record's layout, or byte 0 of a beat, is at the low end
  typedef bit [VectorBits/8-1:0] keep_t;

  // Above 0, or -1: text(-1) says why. settings: "NumQps=64,retry7_forever_i=1".
  import "DPI-C" function int hcacosim_open(input string stage, input string settings);
  import "DPI-C" function int hcacosim_port(input int predictor, input string name);

  // What the device took: a record of so many bits, or a beat of a packet. 0, or -1.
  import "DPI-C" function int hcacosim_push_bits(
    input int predictor, input int port, input longint unsigned cycle, input vector_t data, input int bits);
  import "DPI-C" function int hcacosim_push_beat(
    input int predictor, input int port, input longint unsigned cycle, input vector_t data, input keep_t keep,
    input int bytes, input int last, input int unsigned user);

  // What the device gave: 0 it was due, 1 it was not and text says what is wrong, -1 the call is wrong.
  import "DPI-C" function int hcacosim_got_bits(
    input int predictor, input int port, input longint unsigned cycle, input vector_t data, input int bits);
  import "DPI-C" function int hcacosim_got_beat(
    input int predictor, input int port, input longint unsigned cycle, input vector_t data, input keep_t keep,
    input int bytes, input int last, input int unsigned user);

  // The next record that must come out of a port, up to 512 bytes: 1, 0 there is none yet, -1.
  import "DPI-C" function int hcacosim_expect_bits(
    input int predictor, input int port, output vector_t data, output int bytes, output int unsigned user);

  import "DPI-C" function longint unsigned hcacosim_latest(input int predictor);
  // How much was wrong in all, what never came included.
  import "DPI-C" function int hcacosim_end(input int predictor);
  import "DPI-C" function int hcacosim_close(input int predictor);
  import "DPI-C" function string hcacosim_text(input int predictor);

endpackage
