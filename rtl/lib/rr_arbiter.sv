// SPDX-License-Identifier: Apache-2.0
// Round robin over Requests. grant_o says, in the same clock, whose turn it is: one bit of req_i, or none if there is
// no request.
//
// A grant ends with ready_i; until then it stays where it is, so what is chosen by it may stand on a stream port.
// Requests follow the rule of a stream: one that is up stays up until it was granted and ready_i was high. Then a
// request waits for at most Requests - 1 other grants.
module rr_arbiter #(
  parameter int unsigned Requests = 4
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [Requests-1:0] req_i,
  input  logic                ready_i,
  output logic [Requests-1:0] grant_o
);

  if (Requests < 1) begin : gen_bad_requests
    $error("rr_arbiter: Requests must be at least 1");
  end

  // later_q: the requests behind the one that was granted last. They come first, lowest bit first.
  logic [Requests-1:0] later_q, later_req, pick, grant, held_q;
  logic locked_q;

  assign later_req = req_i & later_q;
  assign pick      = later_req != '0 ? later_req & (~later_req + 1'b1) : req_i & (~req_i + 1'b1);
  assign grant     = locked_q ? held_q : pick;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      later_q  <= '0;
      locked_q <= 1'b0;
    end else begin
      locked_q <= (req_i != '0) & ~ready_i;
      if ((req_i != '0) & ready_i) later_q <= ~(grant | (grant - 1'b1));
    end
  end

  always_ff @(posedge clk_i) begin
    held_q <= grant;
  end

  assign grant_o = grant;

endmodule
