// Bursts, as a part of its module, for any flow `f`: each burst has from 1 to the most lines of a batch, all of which are there and have
// not been given before, and lies within the ring and within a page. No line is forgotten, flows have their turn, and a batch that is
// full is due, as is what waits in a flow that is urgent. Each burst that is taken gives one job, in order.
(* anyconst *) reg f;
reg past = 0, is_set = 0, owed = 0;
reg [32:0] owed_job;
wire [7:0] waits = heads[f] - issued[f];
wire head_f = io_head_valid && io_head_payload_flow == f, place_f = io_place_valid && io_place_payload_flow == f;
wire take_f = isTaken && flow2 == f;
wire [7:0] bound = {1'b0, masks[f]} & 8'd63;
wire [7:0] last_slot = (index2 & bound) + count2 - 8'd1;
wire gives = io_job_valid && io_job_ready;
wire [32:0] given = {io_job_payload_flow, io_job_payload_base, io_job_payload_mask, io_job_payload_index, io_job_payload_count};
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin is_set <= 0; owed <= 0; end
  else begin
    assume(io_batch >= 1 && io_batch <= 4);
    // rings get their place when they are empty, and lines when they have one
    assume((!io_head_valid && !io_place_valid) || tables_isReady);
    assume(!place_f || (waits == 0 && !head_f && (io_place_payload_mask & (io_place_payload_mask + 7'd1)) == 0));
    is_set <= is_set || place_f;
    if (head_f) assume(is_set && io_head_payload_index - issued[f] >= waits && io_head_payload_index - issued[f] <= 8'd128);

    if (take_f) begin
      some: assert(count2 != 0 && count2 <= 4 && count2 <= waits);
      within_ring_and_page: assert(last_slot <= bound);
      its_place: assert(index2 == issued[f] && mask2 == masks[f] && job_payload_base == bases[f]);
    end
    if (tables_isReady && $past(!reset && tables_isReady)) begin
      given_once: assert(issued[f] == $past(issued[f]) + ($past(take_f) ? $past(count2) : 8'd0));
    end
    not_forgotten: assert(!tables_isReady || waits == 0 || hasLines[f]);
    if ($past(!reset && advances && !isFresh && hasLines == 3)) begin in_turn: assert(turn == ~$past(turn)); end
    if ($past(!reset && advances && valid1 && flow1 == f && waiting1 != 0 && !take_f && (waiting1 >= io_batch || io_isUrgent[f]))) begin
      due: assert(due2 && flow2 == f);
    end
    if ($past(!reset && due2 && !job_ready)) begin stays: assert(due2 && $stable({flow2, index2, mask2, count2})); end
    // the job
    if (isTaken) owed_job <= {flow2, bases[flow2], mask2, index2, count2};
    owed <= isTaken || (owed && !gives);
    none_lost: assert(!isTaken || !owed);
    as_taken: assert(io_job_valid == owed && (!owed || given == owed_job));

    // how the stages follow, for induction
    assert(tables_swept <= 2 && (turn == 1 || turn == 2) && isPlanned <= 1);
    if (!tables_isReady) begin
      assert(tables_swept[0] <= f || (heads[f] == 0 && issued[f] == 0));
      assert(!is_set && hasLines == 0 && !isFresh && !isPlanned && !valid1 && !due2);
    end else begin
      assert(waits <= 128 && (waits == 0 || is_set));
      if (is_set) assert((masks[f] & (masks[f] + 7'd1)) == 0);
      if (valid1 && flow1 == f) begin
        assert(index1 == issued[f] && waiting1 <= waits);
        assert(waiting1 == 0 || (mask1 == masks[f] && room1 == (~index1 & bound) + 8'd1));
        assert(!isNew1 || hasMore1 || waiting1 == waits);
      end
      if (due2 && flow2 == f) assert(index2 == issued[f] && mask2 == masks[f] && count2 != 0 && count2 <= 4 && count2 <= waits && last_slot <= bound);
    end
    is_cut: cover(take_f && count2 < 4 && count2 < waits && last_slot == bound);
    whole_batch: cover(take_f && count2 == 4);
    second: cover(gives && io_job_payload_flow == 1);
  end
end
