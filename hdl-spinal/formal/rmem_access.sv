// MemoryAccess, as a part of its module: each access gives one answer; if it uses the memory, one pending operation of its kind,
// started only when nothing of the other kind is pending on its object, and bursts that cover its beats, each once and none
// other; no burst crosses a multiple of 16 beats, so none crosses 4 KiB. No more beats of reads are asked for than there is
// room for. The channels keep the stream protocol.
reg past = 0, active = 0, was_clear = 0;
reg [27:0] next_beat;
reg [6:0] rest = 0, sent = 0;
reg [8:0] asked = 0;
reg [31:0] address_1, address_2;
wire starts = flow_stateReg == flow_1_start;
wire bursts_ar = ar_valid && ar_ready, bursts_aw = aw_valid && aw_ready;
wire [27:0] burst_beat = bursts_ar ? ar_payload_addr[31:4] : aw_payload_addr[31:4];
wire [7:0] burst_len = bursts_ar ? ar_payload_len : aw_payload_len;
wire [8:0] burst_beats = burst_len + 9'd1;
wire pops = counted_valid && counted_ready;
wire [10:0] length_2 = counted_payload_answer_length;
wire [3:0] lane_2 = counted_payload_answer_lane;
wire uses = counted_payload_answer_usesMemory;
wire is_write = counted_payload_answer_isWrite;
wire [11:0] span_2 = {8'd0, lane_2} + {1'b0, length_2} + 12'd15;
wire [11:0] span_1 = {8'd0, measured_payload_answer_lane} + {1'b0, measured_payload_answer_length} + 12'd15;
wire [8:0] position = {5'd0, counted_payload_beat[3:0]} + counted_payload_answer_memoryBeats + 9'd15;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin active <= 0; rest <= 0; sent <= 0; asked <= 0; was_clear <= 0; end
  else begin
    // as Translation gives them
    if (io_accesses_valid && io_accesses_payload_status == Status_OK) assume(io_accesses_payload_length <= 1024);
    // what is pending can only end while an access waits; a queue that has room keeps it
    if ($past(!reset && io_answers_ready && !io_answers_valid)) assume(io_answers_ready);
    if ($past(!reset && io_data_ready && !io_data_valid)) assume(io_data_ready);
    if ($past(!reset && io_reads_ready && !io_reads_valid)) assume(io_reads_ready);
    if ($past(!reset && io_writes_ready && !io_writes_valid)) assume(io_writes_ready);
    if ($past(!reset && !io_writesConflict && !io_writes_valid) && $stable(io_place)) assume(!io_writesConflict);
    if ($past(!reset && !io_readsConflict && !io_reads_valid) && $stable(io_place)) assume(!io_readsConflict);
    assume(!io_freed || asked != 0);
    if (io_accesses_valid && io_accesses_ready) address_1 <= io_accesses_payload_address;
    if (measured_valid && measured_ready) address_2 <= address_1;
    asked <= asked + (io_reads_valid ? io_reads_payload_units : 7'd0) - io_freed;
    has_room: assert(asked <= 256 && credit == 256 - asked);

    if (starts) begin
      one_answer: assert(counted_valid && io_answers_valid && io_answers_ready && !active);
      one_operation: assert(io_reads_valid == (uses && !is_write) && io_writes_valid == (uses && is_write));
      taken: assert((!io_reads_valid || io_reads_ready) && (!io_writes_valid || io_writes_ready) && (!io_data_valid || io_data_ready));
      in_order: assert((!io_reads_valid || !io_writesConflict) && (!io_writes_valid || !io_readsConflict));
      own_place: assert(io_place == counted_payload_place && io_reads_payload_place == io_place && io_writes_payload_place == io_place);
      its_data: assert(io_data_valid == counted_payload_hasData && io_data_payload_drops == !(uses && is_write));
      active <= uses;
      next_beat <= address_2[31:4];
      rest <= span_2[10:4];
      sent <= 0;
    end else begin
      no_other_answer: assert(!io_answers_valid && !io_reads_valid && !io_writes_valid && !io_data_valid);
    end
    if (bursts_ar || bursts_aw) begin
      right_kind: assert(active && bursts_ar == !is_write && bursts_aw == is_write);
      next_in_line: assert(burst_beat == next_beat);
      within_access: assert(burst_beats <= rest);
      no_boundary: assert({5'd0, burst_beat[3:0]} + burst_beats <= 9'd16);
      next_beat <= next_beat + burst_beats;
      rest <= rest - burst_beats;
      sent <= sent + 1;
    end
    if (pops) begin
      whole: assert(starts ? !uses : active && rest == burst_beats && (bursts_ar || bursts_aw));
      as_many_bursts: assert(!uses || sent + 7'd1 == counted_payload_bursts);
      active <= 0;
    end
    if ($past(!reset && io_ar_valid && !io_ar_ready)) begin ar_stays: assert(io_ar_valid && $stable({io_ar_payload_addr, io_ar_payload_len})); end
    if ($past(!reset && io_aw_valid && !io_aw_ready)) begin aw_stays: assert(io_aw_valid && $stable({io_aw_payload_addr, io_aw_payload_len})); end

    // how the stages follow from the access, for induction
    assert(active == (flow_stateReg == flow_1_send));
    if (measured_valid && measured_payload_answer_usesMemory) assert(measured_payload_answer_length != 0 && measured_payload_answer_length <= 1024
      && measured_payload_beat == address_1[31:4] && measured_payload_answer_lane == address_1[3:0] && measured_payload_answer_memoryBeats == span_1[10:4]
      && measured_payload_room == 5'd16 - {1'b0, address_1[7:4]});
    if (counted_valid && uses) assert(length_2 != 0 && length_2 <= 1024 && counted_payload_beat == address_2[31:4] && lane_2 == address_2[3:0]
      && counted_payload_answer_memoryBeats == span_2[10:4] && counted_payload_room == 5'd16 - {1'b0, counted_payload_beat[3:0]}
      && counted_payload_bursts == position[8:4]);
    if (flow_stateReg != flow_1_look && flow_stateReg != flow_1_BOOT) assert(counted_valid);
    // what was true a cycle ago, when the job was already there, still is
    if (flow_stateReg == flow_1_check && flow_hasRoom) assert(io_answers_ready && (!counted_payload_hasData || io_data_ready));
    if (flow_stateReg == flow_1_check && uses && !is_write) assert((!flow_hasCredit || credit >= counted_payload_answer_memoryBeats)
      && (!flow_canRead || io_reads_ready) && (!flow_isAfterWrites || !io_writesConflict));
    if (flow_stateReg == flow_1_check && uses && is_write) assert((!flow_canWrite || io_writes_ready) && (!flow_isAfterReads || !io_readsConflict));
    if (active) assert(isLastBurst == (left <= {2'd0, room}));
    if (starts) assert(io_answers_ready && (!counted_payload_hasData || io_data_ready) && (!uses || (is_write ? io_writes_ready && !io_readsConflict
      : io_reads_ready && !io_writesConflict && credit >= counted_payload_answer_memoryBeats)));
    if (active) assert(uses && beat == next_beat && left == rest && rest != 0 && rest <= 65 && room == 5'd16 - {1'b0, next_beat[3:0]});
    if (active) assert((sent == 0) ? next_beat == counted_payload_beat && rest == counted_payload_answer_memoryBeats : next_beat[3:0] == 0);
    if (active && sent == 0) assert(counted_payload_bursts == position[8:4]);
    if (active && sent != 0) assert(counted_payload_bursts - sent == (rest + 9'd15) >> 4);
    two_bursts: cover(pops && sent == 1 && !is_write);
    a_write: cover(pops && uses && is_write);
  end
end
