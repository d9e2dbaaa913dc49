// SPDX-License-Identifier: Apache-2.0
// rr_arbiter grants one of its requests, keeps the grant while it is not taken, and lets none wait for more than one
// turn of every other: for every behaviour of requests that stay until they are served.
//
// Check selects assertions: bit 0 all that induction needs, then one bit a property of rr_arbiter.go.
module rr_arbiter_proof #(
  parameter int unsigned Requests = 5,
  parameter logic [4:0] Check = '1
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [Requests-1:0] req_i,
  input logic                ready_i,
  input logic [2:0]          watch_i
);

  localparam logic [2:0] N = 3'(Requests);

  logic [Requests-1:0] grant;

  rr_arbiter #(
    .Requests(Requests)
  ) dut (
    .clk_i,
    .rst_ni,
    .req_i,
    .ready_i,
    .grant_o(grant)
  );

  // Registers of the block, joined by name when the design is flattened.
  (* hierconn *) wire [Requests-1:0] \dut.later_q ;
  (* hierconn *) wire [Requests-1:0] \dut.held_q ;
  (* hierconn *) wire \dut.locked_q ;

  // Who was served last, as a number: at first the highest.
  logic [2:0] last_q, granted;

  always_comb begin
    granted = '0;
    for (int unsigned i = 0; i < Requests; i++) begin
      if (grant[i]) granted = 3'(i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= N - 3'd1;
    else if (ready_i && req_i != '0) last_q <= granted;
  end

  // How often others were served while the request `watch` was up.
  logic initial_q = 1'b1;
  logic was_stalled_q = 1'b0;
  logic [2:0] watch_q, waited_q;
  logic [Requests-1:0] grant_q, unserved_q;

  always_ff @(posedge clk_i) begin
    initial_q     <= 1'b0;
    watch_q       <= initial_q ? watch_i : watch_q;
    was_stalled_q <= rst_ni && req_i != '0 && !ready_i;
    grant_q       <= grant;
    if (!rst_ni) unserved_q <= '0;
    else unserved_q <= req_i & ~(ready_i ? grant : '0);
    if (!rst_ni || !req_i[watch_q] || (ready_i && grant[watch_q])) waited_q <= '0;
    else if (ready_i && req_i != '0 && waited_q != 3'd7) waited_q <= waited_q + 3'd1;
  end

  // How far the turn is from `watch`: 1 is next.
  logic [2:0] distance;
  assign distance = watch_q > last_q ? watch_q - last_q : N - last_q + watch_q;

  always_ff @(posedge clk_i) begin
    if (initial_q) assume (!rst_ni && watch_i < N);
    if (!initial_q && rst_ni) begin
      assume ((unserved_q & ~req_i) == '0);
      if (Check[0]) begin
        assert (watch_q < N && last_q < N);
        for (int unsigned i = 0; i < Requests; i++) assert (\dut.later_q [i] == (i > 32'(last_q)));
        assert ({1'b0, waited_q} + {1'b0, distance} <= {1'b0, N});
        assert (\dut.locked_q == was_stalled_q);
        if (\dut.locked_q ) begin
          assert (\dut.held_q == grant_q);
          assert (\dut.held_q != '0 && (\dut.held_q & (\dut.held_q - 1'b1)) == '0 && (\dut.held_q & ~unserved_q) == '0);
          if (waited_q != 3'd0 && !\dut.held_q [watch_q])
            assert (distance > (granted > last_q ? granted - last_q : N - last_q + granted));
        end
      end
      if (Check[1]) begin
        assert ((grant & ~req_i) == '0);
        assert ((grant & (grant - 1'b1)) == '0);
        assert ((grant != '0) == (req_i != '0));
      end
      if (Check[2] && was_stalled_q) assert (grant == grant_q);
      if (Check[3]) assert (waited_q < N);
    end
  end

endmodule
