// SPDX-License-Identifier: Apache-2.0
// What retry_ctl makes of a record by the state of its QP: docs/blocks/retry_ctl.md.
module retry_decide (
  input  retry_pkg::rec_t   rec_i,
  input  logic              known_i,   // there is a QP of the record's number
  input  logic              retry7_forever_i,
  input  retry_pkg::state_t state_i,

  output retry_pkg::state_t state_o,
  output retry_pkg::out_t   result_o
);

  // ---------------------------------------------------------------------------------------------------------------
  // What the record is.

  logic live, responds, starts, opens, closes, expires, expired_rnr, expired, waits, resumes;

  assign live     = known_i & state_i.open;
  assign responds = live & (rec_i.op == retry_pkg::OpResponse);
  assign opens    = known_i & ~state_i.open & (rec_i.op == retry_pkg::OpConfigure);
  assign closes   = live & (rec_i.op == retry_pkg::OpClose);
  assign expires  = live & (rec_i.op == retry_pkg::OpExpiry);
  assign waits    = state_i.state == timer_pkg::StateRnr;

  // TMR-2: an expiry counts for the timer that is armed, by its generation.
  assign expired     = expires & (rec_i.gen == state_i.gen) & ~rec_i.rnr & (state_i.state == timer_pkg::StateTransport);
  assign expired_rnr = expires & (rec_i.gen == state_i.gen) & rec_i.rnr & waits;
  assign resumes     = expired_rnr;

  logic [4:0] code;
  logic off;
  assign code   = ((rec_i.op == retry_pkg::OpResponse) | (rec_i.op == retry_pkg::OpSent)) & rec_i.idle ? 5'd0 :
                                                                                                 state_i.code;
  assign off    = code == 5'd0;
  assign starts = live & (rec_i.op == retry_pkg::OpSent) & (state_i.state == timer_pkg::StateIdle) & ~off;

  // ---------------------------------------------------------------------------------------------------------------
  // A response: what it ends comes before what it calls for (TMR-5).

  logic progress, ended, waiting, retrying, stops_first, again, rnr, fatal, bad;
  logic [2:0] retries, rnr_retries;

  assign progress    = responds & rec_i.progress;
  assign ended       = responds & waits &
                       (rec_i.progress | (state_i.any_answer & (rec_i.region == req_pkg::RegionUnacked)));
  assign stops_first = ended & ~progress;
  assign waiting     = waits & ~ended;
  assign retrying    = state_i.retrying & ~progress;
  assign retries     = progress ? state_i.retry_cnt : state_i.retries;
  assign rnr_retries = progress ? state_i.rnr_retry : state_i.rnr_retries;

  assign again = responds & ((rec_i.action == req_pkg::ActionSequence) | (rec_i.action == req_pkg::ActionImplied));
  assign rnr   = responds & (rec_i.action == req_pkg::ActionRnr);
  assign fatal = responds & (rec_i.action == req_pkg::ActionFatal);
  assign bad   = responds & (rec_i.action == req_pkg::ActionBad);

  // ---------------------------------------------------------------------------------------------------------------
  // A retry (TMR-3) or a wait (TMR-4), or none is left.

  logic nak, retry, retry_fails, wait_asked, wait_fails, for_ever, fails, restarts;

  assign nak         = again & ~waiting & ~retrying;
  assign retry       = nak | expired;
  assign retry_fails = retry & (retries == 3'd0);
  assign wait_asked  = rnr & ~waiting;
  assign wait_fails  = wait_asked & (rnr_retries == 3'd0);
  assign fails       = retry_fails | wait_fails | fatal | bad;
  assign for_ever    = retry7_forever_i & (state_i.retry_cnt == timer_pkg::Forever);
  // A wait that an answer ended without progress: the transport timer runs from now on.
  assign restarts    = stops_first & ~retry & ~wait_asked & ~fatal & ~bad & ~off;

  // ---------------------------------------------------------------------------------------------------------------
  // What the timer is told.

  logic timer;
  logic [2:0] timer_op;

  always_comb begin
    timer    = 1'b1;
    timer_op = timer_pkg::OpConfigure;
    if (nak) timer_op = timer_pkg::OpNak;
    else if (expired) timer_op = timer_pkg::OpTimeout;
    else if (wait_asked) timer_op = timer_pkg::OpWait;
    else if (resumes) timer_op = timer_pkg::OpResume;
    else if (fatal | bad | closes) timer_op = timer_pkg::OpStop;
    else if (starts | restarts) timer_op = timer_pkg::OpStart;
    else if (!opens) timer = 1'b0;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The new word: what the timer has behind its operations (retx_ops). Where a QP is closed that state means nothing:
  // configure sets it.

  logic first, runs, rests;  // two operations; the transport timer is armed; none is

  assign first = progress | stops_first;
  assign runs  = retry | resumes | starts | restarts | progress;
  assign rests = fatal | bad | closes | opens | stops_first;

  always_comb begin
    state_o             = state_i;
    state_o.gen         = state_i.gen + 8'(timer) + 8'(first);
    state_o.retries     = retries;
    state_o.rnr_retries = rnr_retries;
    state_o.retrying    = (retrying | (retry & ~retry_fails)) & ~wait_asked;
    if (rests) state_o.state = timer_pkg::StateIdle;
    if (runs) state_o.state = off ? timer_pkg::StateIdle : timer_pkg::StateTransport;
    if (wait_asked & ~wait_fails) state_o.state = timer_pkg::StateRnr;
    if (retry & ~retry_fails & ~for_ever) state_o.retries = retries - 3'd1;
    if (wait_asked & ~wait_fails & (state_i.rnr_retry != timer_pkg::Forever)) begin
      state_o.rnr_retries = rnr_retries - 3'd1;
    end
    if (progress) state_o.una = rec_i.una;
    if (fails | closes) begin
      state_o.open     = 1'b0;
      state_o.retrying = 1'b0;
    end
    if (opens) begin
      state_o.open        = 1'b1;
      state_o.retrying    = 1'b0;
      state_o.una         = rec_i.una;
      state_o.code        = rec_i.code;
      state_o.any_answer  = rec_i.any_answer;
      state_o.retry_cnt   = rec_i.retry_cnt;
      state_o.rnr_retry   = rec_i.rnr_retry;
      state_o.retries     = rec_i.retry_cnt;
      state_o.rnr_retries = rec_i.rnr_retry;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What is said.

  logic [2:0] order, cause, why;
  logic [3:0] status;

  always_comb begin
    order = retry_pkg::OrderNone;
    cause = req_pkg::ActionNone;
    if (ended | resumes) order = retry_pkg::OrderGoOn;
    if (resumes) cause = req_pkg::ActionGoOn;
    if (expired) cause = req_pkg::ActionTimer;
    if (nak | wait_asked | fatal | bad) cause = rec_i.action;
    if (retry) order = retry_pkg::OrderGoBack;
    if (wait_asked) order = retry_pkg::OrderWait;
    if (fails) order = retry_pkg::OrderFail;
  end

  always_comb begin
    status = retry_pkg::StatusSuccess;
    if (retry_fails) status = retry_pkg::StatusRetryExceeded;
    if (wait_fails) status = retry_pkg::StatusRnrExceeded;
    if (bad) status = rec_i.why == req_pkg::WhyLength ? retry_pkg::StatusLocalLength : retry_pkg::StatusBadResponse;
    if (fatal) begin
      case (rec_i.syndrome)
        retry_pkg::NakInvalidRequest: status = retry_pkg::StatusInvalidRequest;
        retry_pkg::NakRemoteAccess: status = retry_pkg::StatusRemoteAccess;
        default: status = retry_pkg::StatusRemoteOperation;
      endcase
    end
  end

  always_comb begin
    why = retry_pkg::WhyNone;
    if (expires & ~expired & ~expired_rnr) why = retry_pkg::WhyStale;
    if (again & retrying) why = retry_pkg::WhyRetrying;
    if ((again | rnr) & waiting) why = retry_pkg::WhyWaiting;
    if (live & (rec_i.op == retry_pkg::OpConfigure)) why = retry_pkg::WhyOpen;
    if (!live & !opens) why = retry_pkg::WhyNoQp;
  end

  always_comb begin
    result_o     = '0;
    result_o.qpn = rec_i.qpn;
    result_o.op  = rec_i.op;
    result_o.why = why;
    if (live | opens) begin
      result_o.una         = state_o.una;
      result_o.order       = order;
      result_o.cause       = cause;
      result_o.status      = status;
      result_o.progress    = progress;
      result_o.first       = progress ? retry_pkg::FirstProgress :
                             stops_first ? retry_pkg::FirstStop : retry_pkg::FirstNone;
      result_o.timer       = timer;
      result_o.timer_op    = timer ? timer_op : 3'd0;
      result_o.code        = opens ? rec_i.code : code;
      result_o.wait_code   = wait_asked ? rec_i.syndrome[4:0] : 5'd0;
      result_o.gen         = state_i.gen;
      result_o.retry_cnt   = state_o.retry_cnt;
      result_o.rnr_retry   = state_o.rnr_retry;
      result_o.ask         = retry_fails | wait_fails ? retry_pkg::AskClose :
                             resumes ? retry_pkg::AskGoOn : retry_pkg::AskNone;
      result_o.waiting     = state_o.state == timer_pkg::StateRnr;
      result_o.retrying    = state_o.retrying;
      result_o.retries     = state_o.retries;
      result_o.rnr_retries = state_o.rnr_retries;
    end
  end

endmodule
