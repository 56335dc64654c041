// RingReader, as a part of its module, with its queues cut away: each job gives one burst, whose every byte lies within its ring
// and within a page; no more is asked for than there is room for, so what comes never waits; a line counts as read once, for
// its flow, when all of it has come. The channels keep the protocol of AXI4. Jobs come from a ring, which has bounded them
// (rpc_tx_ring.sv).
reg past = 0, owed = 0;
reg [13:0] job_base;
reg [6:0] job_mask;
reg [7:0] job_index;
reg [2:0] job_count;
reg [6:0] asked = 0, filled = 0;   // words that are to come, and words in the buffer
reg [1:0] got = 0;                 // words of the line that is coming
wire [7:0] bound = {1'b0, io_jobs_payload_mask} & 8'd63;
wire [7:0] last_slot = (io_jobs_payload_index & bound) + io_jobs_payload_count - 8'd1;
wire starts = io_jobs_valid && io_jobs_ready;
wire addresses = io_ar_valid && io_ar_ready;
wire comes = io_r_valid && io_r_ready;
wire leaves = fetched_io_pop_valid && fetched_io_pop_rValidN;
wire [13:0] first_line = io_ar_payload_addr[19:6];
wire [8:0] burst_beats = io_ar_payload_len + 9'd1;
wire [14:0] last_line = first_line + (burst_beats >> 2) - 15'd1;
wire [13:0] ring_first = job_base & ~{7'd0, job_mask}, ring_last = job_base | {7'd0, job_mask};
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin owed <= 0; asked <= 0; filled <= 0; got <= 0; end
  else begin
    if (io_jobs_valid) assume(io_jobs_payload_count != 0 && io_jobs_payload_count <= 4 && last_slot <= bound);
    if (io_jobs_valid) assume((io_jobs_payload_mask & (io_jobs_payload_mask + 7'd1)) == 0);
    // as queues do, and as a memory does
    assume(fetched_io_push_ready == (filled < 32) && (!fetched_io_pop_valid || filled != 0));
    assume(!io_r_valid || asked != 0);
    assume(!arrived || pendingJobs_io_pop_valid);
    if (pendingJobs_io_pop_valid) assume(pendingJobs_io_pop_payload_count != 0 && pendingJobs_io_pop_payload_count <= 4);
    if ($past(!reset && pendingJobs_io_pop_valid && !pendingJobs_io_pop_ready)) assume(pendingJobs_io_pop_valid && $stable({pendingJobs_io_pop_payload_flow, pendingJobs_io_pop_payload_count}));
    asked <= asked + (starts ? {2'd0, io_jobs_payload_count, 2'd0} : 7'd0) - comes;
    filled <= filled + comes - leaves;
    got <= got + comes;
    never_waits: assert(!io_r_valid || io_r_ready);
    has_room: assert(asked + filled <= 32);
    if (starts) begin
      job_base <= io_jobs_payload_base;
      job_mask <= io_jobs_payload_mask;
      job_index <= io_jobs_payload_index;
      job_count <= io_jobs_payload_count;
    end
    pending_with_it: assert((pendingJobs_io_push_ready && io_jobs_haltWhen_fork_io_outputs_1_valid) == starts);
    owed <= starts || (owed && !addresses);
    none_lost: assert(!starts || !owed || addresses);
    one_burst: assert(io_ar_valid == owed);
    if (io_ar_valid) begin
      within_ring: assert(first_line >= ring_first && last_line <= {1'b0, ring_last});
      within_page: assert(last_line[14:6] == {1'b0, first_line[13:6]});
      whole_lines: assert(io_ar_payload_addr[5:0] == 0 && burst_beats == {4'd0, job_count, 2'd0} && io_ar_payload_burst == 1 && io_ar_payload_size == 4);
      its_place: assert(((first_line ^ {6'd0, job_index}) & {7'd0, job_mask}) == 0);
    end
    if ($past(!reset && io_ar_valid && !io_ar_ready)) begin ar_stays: assert(io_ar_valid && $stable({io_ar_payload_addr, io_ar_payload_len})); end
    if ($past(!reset && io_words_valid && !io_words_ready)) begin words_stay: assert(io_words_valid && $stable({io_words_payload_data, io_words_payload_isBad})); end
    whole_line: assert(io_done_valid == (arrived && got == 0));
    its_flow: assert(!io_done_valid || io_done_payload == pendingJobs_io_pop_payload_flow);
    whole_job: assert(pendingJobs_io_pop_ready == (io_done_valid && lines + 3'd1 == pendingJobs_io_pop_payload_count));
    // how the counts follow from the words, for induction
    assert(word + arrived == got || (word == 3 && arrived && got == 0));
    assert({credit, 2'd0} + asked + filled + left == 32);
    assert(lines == 0 || (pendingJobs_io_pop_valid && lines < pendingJobs_io_pop_payload_count));
    if (owed) assert(job_count != 0 && job_count <= 4 && ((job_index & {1'b0, job_mask} & 8'd63) + job_count - 8'd1) <= ({1'b0, job_mask} & 8'd63)
      && (job_mask & (job_mask + 7'd1)) == 0 && first_line == ((job_base & ~{7'd0, job_mask}) | ({6'd0, job_index} & {7'd0, job_mask}))
      && io_ar_payload_addr[5:0] == 0 && burst_beats == {4'd0, job_count, 2'd0});
    all_asked: cover(asked + filled == 32);
    read: cover(io_done_valid && lines == 1);
  end
end
