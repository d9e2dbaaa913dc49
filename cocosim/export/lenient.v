
// Judges an output of a lenient set (docs/vectors.md, Choices): which records must come, which may, which stand for
// others, and by when. A record is a word, a packet as many as it has beats. Deadlines count where
// outputs are not held up: without +stalls.
module hcacosim_lenient #(
  parameter Bits = 8,
  parameter Words = 1,       // expected
  parameter Room = 1,        // words of the memories: at least one
  parameter Inputs = 1,      // of the device
  parameter Keyed = 0,       // records of different key come in no order
  parameter Judge = 1,       // 0: takes what comes and says nothing
  parameter CanStall = 1,    // the port has a ready
  parameter Data = 0,        // bits of tdata, of a port of packets
  parameter Last = 0,        // the bit of a word that is tlast
  parameter [Bits-1:0] Mask = 1,  // bits of a word that count; of packets tdata where tkeep is, tuser with tlast
  parameter Name = "",
  parameter File = "",
  parameter NeedFile = ""
) (
  input                  clk,
  input                  rst,
  input      [31:0]      cycle,
  input      [Inputs-1:0] push,  // of each input: a record went in whole
  input                  noise,  // when to hold up, if at all
  input      [Bits-1:0]  data,
  input                  valid,
  output reg             ready,
  output                 all,    // nothing is owed, and no packet is half out
  output reg [31:0]      wrong,
  output reg [31:0]      taken
);

  // Late is what was given up when its deadline passed, and may still come: it was called wrong then.
  localparam Must = 0, May = 1, OneOf = 2, Settled = 3, Late = 4;

  reg [Bits-1:0] word [0:Room-1];
  reg [139:0] bound [0:Room-1];  // from, where there are several inputs; need, by, cause, key, group
  reg [2:0] need [0:Room-1];
  reg [31:0] latest [0:Room-1];  // cycle; 0 for none
  reg [31:0] went [0:Inputs-1];  // by input: records that went in
  reg [31:0] seen [0:Inputs-1];  // what counts on an input is owed below, and not from there on
  reg [31:0] soonest;            // no deadline of what is owed lies before
  reg stalls, more, some, blocked, covered;
  reg [31:0] group;
  integer from [0:Room];         // by record: its first word
  reg [Bits-1:0] came [0:Room-1];  // words of the packet that is coming
  integer head, tail;            // owed is nothing below head, and nothing from tail on
  integer settling;              // below are all owed, or were
  integer owed, found, records, beats, i, j, k;

  initial begin
    $readmemh(File, word);
    $readmemh(NeedFile, bound);
    stalls = $test$plusargs("stalls") != 0;
    ready = 0; wrong = 0; taken = 0; soonest = 32'hffffffff;
    head = 0; tail = 0; settling = 0; owed = 0; records = 0; beats = 0;
    from[0] = 0;
    for (i = 0; i < Inputs; i = i + 1) begin
      went[i] = 0; seen[i] = 0;
    end
    for (i = 0; i < Words; i = i + 1) if (Data == 0 || word[i][Last]) begin
      bound[records] = bound[i];
      need[records] = {1'b0, bound[i][129:128]};
      if (need[records] != May) owed = owed + 1;
      records = records + 1;
      from[records] = i + 1;
    end
  end

  assign all = Judge == 0 || settling == records && owed == 0 && beats == 0;

  // A need changes: it is settled, or no longer binding.
  task change(input integer at, input [2:0] to);
    begin
      if (need[at] == Must || need[at] == OneOf) owed = owed - 1;
      need[at] = to;
    end
  endtask

  function same_key(input integer a, input integer b);
    same_key = Keyed == 0 || bound[a][63:32] == bound[b][63:32];
  endfunction

  // Whether the cause of record at went in.
  function is_owed(input integer at);
    is_owed = bound[at][95:64] < went[bound[at][139:132]];
  endfunction

  // The bits that count of a word.
  function [Bits-1:0] counts(input [Bits-1:0] want);
    integer lane;
    begin
      counts = Mask;
      for (lane = 0; lane < Data / 8; lane = lane + 1) if (!want[Data+lane]) counts[8*lane +: 8] = 0;
      if (Data > 0 && !want[Last]) counts = counts & ~(~{Bits{1'b0}} << (Last + 4));
    end
  endfunction

  // Whether record at is what came.
  function arrived(input integer at);
    integer n;
    begin
      arrived = from[at+1] - from[at] == beats;
      for (n = 0; n < beats && arrived; n = n + 1)
        arrived = ((word[from[at]+n] ^ came[n]) & counts(word[from[at]+n])) === 0;
    end
  endfunction

  // Gives up what had to come before this cycle.
  task expire;
    if (!stalls && soonest < cycle) begin
      soonest = 32'hffffffff;
      for (i = head; i < settling; i = i + 1) if (need[i] < Settled && latest[i] != 0) begin
        if (latest[i] < cycle) begin
          wrong = wrong + 1;
          $display("%0s, of input %0d: had to come by cycle %0d, and has not: %h", Name, bound[i][95:64], latest[i],
                   word[from[i]]);
          change(i, Late);
        end else if (latest[i] < soonest) soonest = latest[i];
      end
    end
  endtask

  // A record went into an input: what it causes is owed from now on. Deadlines count from the cycle in which the last
  // cause went in of a record and of all before it.
  task enter(input integer of);
    begin
      went[of] = went[of] + 1;
      more = 1;
      while (more) begin
        more = 0;
        if (seen[of] < records) if (bound[seen[of]][139:132] != of || is_owed(seen[of])) begin
          if (bound[seen[of]][139:132] == of && seen[of] >= tail) tail = seen[of] + 1;
          seen[of] = seen[of] + 1;
          more = 1;
        end
      end
      more = 1;
      while (more) begin
        more = 0;
        if (settling < records) if (is_owed(settling)) begin
          latest[settling] = 0;
          if (bound[settling][127:96] != 0 && (need[settling] == Must || need[settling] == OneOf)) begin
            latest[settling] = cycle + bound[settling][127:96];
            if (latest[settling] < soonest) soonest = latest[settling];
          end
          settling = settling + 1;
          more = 1;
        end
      end
    end
  endtask

  // What of a key a record that comes would leave out.
  task skip(input integer at);
    begin
      if (need[at] == Must) blocked = 1;
      if (need[at] == OneOf) begin
        if (some && bound[at][31:0] != group) blocked = 1;
        some = 1;
        group = bound[at][31:0];
      end
    end
  endtask

  // Whether record at may come now: it stands for all of its key that is owed before it.
  task covers(input integer at);
    begin
      some = 0; blocked = 0;
      for (i = head; i < at; i = i + 1) if (need[i] < Settled && same_key(i, at)) skip(i);
      covered = !blocked && (!some || bound[at][31:0] == group);
    end
  endtask

  // Of two answers with the same bytes that are due, one stands for both, and the second may still come.
  task repeats(input integer first);
    if (need[first] != Must) begin
      some = 0; blocked = 0;
      for (j = first + 1; j < tail && !blocked; j = j + 1) if (need[j] < Settled && same_key(j, first)) begin
        if (need[j] != Must && is_owed(j) && arrived(j) && (!some || bound[j][31:0] == group)) begin
          for (k = first + 1; k <= j; k = k + 1) if (need[k] < Settled && same_key(k, first)) begin
            change(k, May);
            latest[k] = 0;
          end
          some = 0;
        end else skip(j);
      end
    end
  endtask

  task settle(input integer at);
    begin
      for (i = head; i <= at; i = i + 1) if (need[i] < Settled && same_key(i, at)) change(i, Settled);
      more = 1;
      while (more) begin
        more = 0;
        if (head < tail) if (need[head] >= Settled) begin
          head = head + 1;
          more = 1;
        end
      end
    end
  endtask

  // Takes a word, and judges the record that it ends. One that is longer than all that is expected has no room.
  task take;
    begin
      if (beats < Room) came[beats] = data;
      beats = beats + 1;
      if (Data == 0 || data[Last] !== 1'b0 || beats > Room) begin
        if (beats <= Room) judge;
        else wrong = wrong + 1;
        beats = 0;
        taken = taken + 1;
      end
    end
  endtask

  task judge;
    begin
      found = -1;
      for (j = head; j < tail && found < 0; j = j + 1) begin
        if (need[j] < Settled && is_owed(j) && arrived(j)) begin
          covers(j);
          if (covered) found = j;
        end
      end
      if (found < 0) come_late;
      else begin
        repeats(found);
        settle(found);
      end
    end
  endtask

  // What is not due is one that was given up, or wrong.
  task come_late;
    begin
      for (j = 0; j < settling && found < 0; j = j + 1) if (need[j] == Late && arrived(j)) found = j;
      if (found >= 0) change(found, Settled);
      else begin
        wrong = wrong + 1;
        $display("%0s record %0d cycle %0d: not due: %h", Name, taken, cycle, came[0] & Mask);
      end
    end
  endtask

  always @(posedge clk) begin
    ready <= !stalls || CanStall == 0 || noise;
    if (!rst && Judge != 0) begin
      expire;
      for (k = 0; k < Inputs; k = k + 1) if (push[k]) enter(k);
      if (valid !== 1'b0 && ready) take;
    end else if (!rst && valid !== 1'b0 && ready) taken = taken + 1;
  end
endmodule
