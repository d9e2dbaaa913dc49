// Encodings that the blocks of the adapter share: the verdict on m_axis_tuser (docs/blocks/icrc_check.md).
package hca_pkg;

  // tuser[1:0]: a CRC's verdict.
  localparam logic [1:0] CrcNone = 2'd0;
  localparam logic [1:0] CrcGood = 2'd1;
  localparam logic [1:0] CrcBad = 2'd2;

  // tuser[6:4]: encapsulation.
  localparam logic [2:0] EncapNone = 3'd0;
  localparam logic [2:0] EncapRocev1 = 3'd1;
  localparam logic [2:0] EncapRocev2Ipv4 = 3'd2;
  localparam logic [2:0] EncapRocev2Ipv6 = 3'd3;
  localparam logic [2:0] EncapIbLocal = 3'd4;
  localparam logic [2:0] EncapIbGlobal = 3'd5;
  localparam logic [2:0] EncapIbRaw = 3'd6;

  // tuser[11:8]: why a packet is malformed.
  localparam logic [3:0] ReasonNone = 4'd0;
  localparam logic [3:0] ReasonRunt = 4'd1;
  localparam logic [3:0] ReasonHeader = 4'd2;
  localparam logic [3:0] ReasonFragment = 4'd3;
  localparam logic [3:0] ReasonShort = 4'd4;
  localparam logic [3:0] ReasonLength = 4'd5;
  localparam logic [3:0] ReasonTruncated = 4'd6;
  localparam logic [3:0] ReasonTrailer = 4'd7;

  // Width of m_axis_tuser, and END-1: how many bytes may follow the packet's end.
  localparam int unsigned VerdictWidth = 12;
  localparam int unsigned MaxTrailerBytes = 46;

endpackage
