// Pending, as a part of its module: operations end once each, in order, after exactly their units, failed if any unit was; an
// operation is in conflict with its place from the cycle after it was pushed until it ends. `choose` picks any one operation
// of slot 0 to be followed on its way; the slots are generated alike.
reg past = 0, followed = 0, over = 0, gone = 0, failed = 0;
reg [9:0] place;
reg [6:0] units, got = 0;
reg [4:0] ahead = 0;   // operations that are taken before it
(* anyseq *) wire choose;
wire [4:0] owed = pushed - taken, finished = ended - taken;
wire pushes = io_push_valid && io_push_ready;
wire takes = io_done_valid && io_done_ready;
wire counts = io_unit_valid && !io_isIdle;
wire is_oldest = followed && !over && ended[3:0] == 0;
wire [6:0] next_got = got + 1;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin followed <= 0; over <= 0; gone <= 0; got <= 0; failed <= 0; end
  else begin
    if (io_push_valid) assume(io_push_payload_units != 0);
    if (pushes && choose && !followed && pushed[3:0] == 0) begin
      followed <= 1;
      place <= io_push_payload_place;
      units <= io_push_payload_units;
      ahead <= pushed - taken - takes;
    end else if (followed && !gone && takes) begin
      if (ahead == 0) gone <= 1; else ahead <= ahead - 1;
    end
    if (is_oldest && counts) begin
      got <= next_got;
      failed <= failed || io_unit_payload;
      if (next_got == units) over <= 1;
    end
    if (followed && !over) begin
      if (io_place == place) begin in_conflict: assert(io_conflicts); end
      not_done_before: assert(got < units && !gone);
      if (ahead == 0) begin waits: assert(!io_done_valid); end
    end
    if (followed && over && !gone && ahead == 0) begin
      done: assert(io_done_valid && io_done_payload == failed && got == units);
    end
    if ($past(!reset && io_done_valid && !io_done_ready)) begin stays: assert(io_done_valid && $stable(io_done_payload)); end
    if (io_isIdle) begin all_over: assert(!followed || over); end
    capacity: assert(owed <= 16 && io_push_ready == (owed != 16));

    // how the pointers follow from the operation, for induction
    assert(finished <= owed);
    assert(!io_isIdle || (seen == 0 && !hasFailed));
    if (followed && !gone) begin
      assert(ahead < owed && taken[3:0] + ahead[3:0] == 4'd0);
      assert(over == (ahead < finished));
      assert(units != 0);
      if (!over) assert(actives_0 && operations_0_place == place && operations_0_units == units);
      if (over) assert(failures_0 == failed);
    end
    if (!followed) assert(!gone && !over && got == 0 && !failed);
    if (followed && gone) assert(over);
    if (followed && over) assert(got == units);
    if (is_oldest) assert(got == seen && failed == hasFailed);
    else if (followed && !over) assert(got == 0 && !failed);
    passes: cover(gone && failed && units == 2);
  end
end
