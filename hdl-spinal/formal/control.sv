// Distil, as a part of its module, with its engines cut away (they may do anything): one verdict for each descriptor, PASS
// where the frame is no candidate; one summary for each REPLACE; the registers before and after Egress neither lose,
// duplicate nor reorder a beat; the output keeps the stream protocol.
reg past = 0, decided = 0, replaced = 0, built = 0;
wire decides = verdict_valid && verdict_ready;
wire [144:0] popped = {buffer_1_io_pop_payload_last, buffer_1_io_pop_payload_keep, buffer_1_io_pop_payload_data};
wire [144:0] entering = {io_pop_m2sPipe_payload_last, io_pop_m2sPipe_payload_keep, io_pop_m2sPipe_payload_data};
wire [144:0] leaving = {egress_1_io_output_payload_last, egress_1_io_output_payload_keep, egress_1_io_output_payload_data};
wire [144:0] sent = {io_output_payload_last, io_output_payload_keep, io_output_payload_data};
wire pops = buffer_1_io_pop_valid && buffer_1_io_pop_ready;
wire enters = io_pop_m2sPipe_valid && io_pop_m2sPipe_ready;
wire leaves = egress_1_io_output_valid && io_output_rValidN;
wire sends = io_output_valid && io_output_ready;
reg before_count = 0;
reg [144:0] before_first;
reg [1:0] after_count = 0;
reg [144:0] after_first, after_second;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (!reset) begin
    if ($past(!reset && io_frames_fifo_io_pop_valid && !io_frames_fifo_io_pop_ready))
      assume(io_frames_fifo_io_pop_valid && $stable(io_frames_fifo_io_pop_payload_candidate));
    if ($past(!reset && egress_1_io_output_valid && !io_output_rValidN))
      assume(egress_1_io_output_valid && $stable(leaving));

    if (decides) begin
      decided <= 1;
      replaced <= verdict_payload == Verdict_REPLACE;
      one_verdict: assert(!decided);
      for_a_frame: assert(io_frames_fifo_io_pop_valid && !io_frames_fifo_io_pop_ready);
      untouched: assert(io_frames_fifo_io_pop_payload_candidate || verdict_payload == Verdict_PASS);
    end
    if (builder_io_start) begin
      built <= 1;
      one_summary: assert(!built && (decides ? verdict_payload == Verdict_REPLACE : decided && replaced));
    end
    if (io_frames_fifo_io_pop_ready) begin
      decided <= 0;
      built <= 0;
      none_skipped: assert(io_frames_fifo_io_pop_valid && decided && built == replaced);
    end
    if ($past(!reset && verdict_valid && !verdict_ready)) begin verdict_stays: assert(verdict_valid && $stable(verdict_payload)); end

    before_count <= before_count + pops - enters;
    if (pops) before_first <= popped;
    before_kept: assert(io_pop_m2sPipe_valid == before_count && !(pops && before_count && !enters));
    if (before_count) begin before_same: assert(entering == before_first); end

    after_count <= after_count + leaves - sends;
    if (sends) after_first <= after_count == 2 ? after_second : leaving;
    else if (after_count == 0) after_first <= leaving;
    if (leaves) after_second <= leaving;
    after_kept: assert(after_count <= 2 && io_output_valid == (after_count != 0) && io_output_rValidN == (after_count != 2));
    if (io_output_valid) begin after_same: assert(sent == after_first); end
    if (after_count == 2) assert({io_output_rData_last, io_output_rData_keep, io_output_rData_data} == after_second);
    if ($past(!reset && io_output_valid && !io_output_ready)) begin output_stays: assert(io_output_valid && $stable(sent)); end

    // how the states follow from what was decided, for induction
    assert(flow_stateReg <= flow_end_1);
    assert(decided == (flow_stateReg == flow_summarise || flow_stateReg == flow_end_1));
    assert(built == (decided && replaced));
    if (flow_stateReg == flow_summarise) assert(replaced);
    if (flow_stateReg != flow_BOOT && flow_stateReg != flow_idle) assert(io_frames_fifo_io_pop_valid);
    if (flow_stateReg != flow_idle && flow_stateReg != flow_BOOT && flow_stateReg != flow_pass && flow_stateReg != flow_end_1)
      assert(io_frames_fifo_io_pop_payload_candidate);
    replaced_one: cover(io_frames_fifo_io_pop_ready && replaced);
    passed_one: cover(io_frames_fifo_io_pop_ready && !replaced);
    full: cover(after_count == 2 && sends);
  end
end
