// Where an answer's PSN lies for a requester: one of three flags, a clock later. No backpressure, fields in an order of their own.
module psn_req (
    input             clk,
    input             rst,
    input             ans_vld,
    input      [23:0] ans_una,   // oldest PSN that is not acknowledged
    input      [23:0] ans_psn,   // of the answer
    input      [23:0] ans_nxt,   // first PSN that was not sent
    output reg        res_vld,
    output reg        res_open,  // the PSN waits for its answer
    output reg        res_done,  // it was acknowledged before
    output reg        res_ghost  // it was never sent
);
    wire [23:0] ahead = ans_psn - ans_una;
    wire [23:0] sent = ans_nxt - ans_una;
    wire [23:0] behind = ans_nxt - ans_psn;

    always @(posedge clk) begin
        res_vld <= ans_vld && !rst;
        res_open <= ahead < sent;
        res_done <= ahead >= sent && behind != 24'd0 && behind <= 24'h800000;
        res_ghost <= ahead >= sent && (behind == 24'd0 || behind > 24'h800000);
    end
endmodule
