// RingWriter, as a part of its module, with its queues and memory cut away: each job gives one burst, whose every byte lies
// within its ring and within a page, and as many beats as its lines have, the last of them marked. The channels keep the
// protocol of AXI4. Jobs come from a ring, which has bounded them (rpc_rx_ring.sv).
reg past = 0, owed = 0;
reg [13:0] job_base;
reg [6:0] job_mask;
reg [7:0] job_index;
reg [2:0] job_count;
wire [7:0] bound = {1'b0, io_jobs_payload_mask} & 8'd63;
wire [7:0] last_slot = (io_jobs_payload_index & bound) + io_jobs_payload_count - 8'd1;
wire starts = io_jobs_valid && io_jobs_ready;
wire addresses = io_aw_valid && io_aw_ready;
wire [13:0] first_line = io_aw_payload_addr[19:6];
wire [8:0] burst_beats = io_aw_payload_len + 9'd1;
wire [14:0] last_line = first_line + (burst_beats >> 2) - 15'd1;
wire [13:0] ring_first = job_base & ~{7'd0, job_mask}, ring_last = job_base | {7'd0, job_mask};
reg [4:0] got = 0;
wire pending_pushed = pendingJobs_io_push_ready && io_jobs_fork_io_outputs_2_valid;
wire data_pushed = dataJobs_io_push_ready && io_jobs_fork_io_outputs_1_valid;
wire job_valid = dataJobs_io_pop_valid, job_ready = dataJobs_io_pop_ready;
wire job_payload_flow = dataJobs_io_pop_payload_flow;
wire [7:0] job_payload_index = dataJobs_io_pop_payload_index;
wire [2:0] job_payload_count = dataJobs_io_pop_payload_count;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin owed <= 0; got <= 0; end
  else begin
    if (io_jobs_valid) assume(io_jobs_payload_count != 0 && io_jobs_payload_count <= 4 && last_slot <= bound);
    if (io_jobs_valid) assume((io_jobs_payload_mask & (io_jobs_payload_mask + 7'd1)) == 0);
    if ($past(!reset && job_valid && !job_ready)) assume(job_valid && $stable({job_payload_flow, job_payload_index, job_payload_count}));
    if (job_valid) assume(job_payload_count != 0 && job_payload_count <= 4);
    if (starts) begin
      job_base <= io_jobs_payload_base;
      job_mask <= io_jobs_payload_mask;
      job_index <= io_jobs_payload_index;
      job_count <= io_jobs_payload_count;
      pending_and_queued: assert(pending_pushed && data_pushed);
    end else begin
      only_jobs: assert(!pending_pushed && !data_pushed);
    end
    owed <= starts || (owed && !addresses);
    none_lost: assert(!starts || !owed || addresses);
    one_burst: assert(io_aw_valid == owed);
    if (io_aw_valid) begin
      within_ring: assert(first_line >= ring_first && last_line <= {1'b0, ring_last});
      within_page: assert(last_line[14:6] == {1'b0, first_line[13:6]});
      whole_lines: assert(io_aw_payload_addr[5:0] == 0 && burst_beats == {4'd0, job_count, 2'd0} && io_aw_payload_burst == 1 && io_aw_payload_size == 4);
      its_place: assert(((first_line ^ {6'd0, job_index}) & {7'd0, job_mask}) == 0);
    end
    if ($past(!reset && io_aw_valid && !io_aw_ready)) begin aw_stays: assert(io_aw_valid && $stable({io_aw_payload_addr, io_aw_payload_len})); end
    if ($past(!reset && io_w_valid && !io_w_ready)) begin w_stays: assert(io_w_valid && $stable({io_w_payload_data, io_w_payload_strb, io_w_payload_last})); end
    if (read_valid && read_ready) begin
      marked: assert(isLast == (got + 5'd1 == {job_payload_count, 2'd0}) && job_ready == isLast);
      got <= isLast ? 5'd0 : got + 5'd1;
    end
    always_taken: assert(io_b_ready);
    // how the stages follow from the job, for induction
    assert(sent == got && (got == 0 || (job_valid && got < {job_payload_count, 2'd0})));
    if (owed) assert(job_count != 0 && job_count <= 4 && ((job_index & {1'b0, job_mask} & 8'd63) + job_count - 8'd1) <= ({1'b0, job_mask} & 8'd63)
      && (job_mask & (job_mask + 7'd1)) == 0 && first_line == ((job_base & ~{7'd0, job_mask}) | ({6'd0, job_index} & {7'd0, job_mask}))
      && io_aw_payload_addr[5:0] == 0 && burst_beats == {4'd0, job_count, 2'd0});
    whole_burst: cover(io_w_valid && io_w_ready && io_w_payload_last);
    at_the_end: cover(addresses && last_line == {1'b0, ring_last} && job_mask == 7);
  end
end
