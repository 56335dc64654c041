// Pending, as a part of its module: operations end once each, in order, after exactly their units, failed if any unit was; an
// operation is in conflict with its place from the cycle after it was pushed until it ends. `choose` picks any one operation
// to be followed on its way.
reg past = 0, followed = 0, over = 0, gone = 0, failed = 0;
reg [9:0] place;
reg [6:0] units, got = 0;
reg [4:0] ahead = 0;   // operations that are taken before it
reg [3:0] slot;
(* anyseq *) wire choose;
wire [4:0] owed = pushed - taken, finished = ended - taken;
wire pushes = io_push_valid && io_push_ready;
wire takes = io_done_valid && io_done_ready;
wire counts = io_unit_valid && !io_isIdle;
`define SLOT(vector) {vector``_15, vector``_14, vector``_13, vector``_12, vector``_11, vector``_10, vector``_9, vector``_8, \
  vector``_7, vector``_6, vector``_5, vector``_4, vector``_3, vector``_2, vector``_1, vector``_0}
wire [15:0] actives = `SLOT(actives);
wire [15:0] failures = `SLOT(failures);
// each in a field of a width that is a power of two
wire [255:0] places = {6'd0, operations_15_place, 6'd0, operations_14_place, 6'd0, operations_13_place, 6'd0, operations_12_place,
  6'd0, operations_11_place, 6'd0, operations_10_place, 6'd0, operations_9_place, 6'd0, operations_8_place,
  6'd0, operations_7_place, 6'd0, operations_6_place, 6'd0, operations_5_place, 6'd0, operations_4_place,
  6'd0, operations_3_place, 6'd0, operations_2_place, 6'd0, operations_1_place, 6'd0, operations_0_place};
wire [127:0] unit_counts = {1'd0, operations_15_units, 1'd0, operations_14_units, 1'd0, operations_13_units, 1'd0, operations_12_units,
  1'd0, operations_11_units, 1'd0, operations_10_units, 1'd0, operations_9_units, 1'd0, operations_8_units,
  1'd0, operations_7_units, 1'd0, operations_6_units, 1'd0, operations_5_units, 1'd0, operations_4_units,
  1'd0, operations_3_units, 1'd0, operations_2_units, 1'd0, operations_1_units, 1'd0, operations_0_units};
wire is_oldest = followed && !over && ended[3:0] == slot;
wire [6:0] next_got = got + 1;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin followed <= 0; over <= 0; gone <= 0; got <= 0; failed <= 0; end
  else begin
    if (io_push_valid) assume(io_push_payload_units != 0);
    if (pushes && choose && !followed) begin
      followed <= 1;
      place <= io_push_payload_place;
      units <= io_push_payload_units;
      slot <= pushed[3:0];
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
    if (io_isIdle) begin all_over: assert(actives == 0); end
    capacity: assert(owed <= 16 && io_push_ready == (owed != 16));

    // how the pointers follow from the operation, for induction
    assert(finished <= owed);
    assert(!io_isIdle || (seen == 0 && !hasFailed));
    if (followed && !gone) begin
      assert(ahead < owed && slot == taken[3:0] + ahead[3:0]);
      assert(over == (ahead < finished));
      assert(units != 0);
      if (!over) assert(actives[slot] && places[{slot, 4'd0} +: 10] == place && unit_counts[{slot, 3'd0} +: 7] == units);
      if (over) assert(failures[slot] == failed);
    end
    if (!followed) assert(!gone && !over && got == 0 && !failed);
    if (followed && gone) assert(over);
    if (followed && over) assert(got == units);
    if (is_oldest) assert(got == seen && failed == hasFailed);
    else if (followed && !over) assert(got == 0 && !failed);
    passes: cover(gone && failed && units == 2);
  end
end
genvar n;
generate for (n = 0; n < 16; n = n + 1) begin : each
  wire [4:0] distance = {1'b0, n[3:0] - taken[3:0]};
  always @(posedge clk) if (!reset) begin
    assert(actives[n] == (distance < owed && !(distance < finished)));
  end
end endgenerate
