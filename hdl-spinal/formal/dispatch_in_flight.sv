// InFlight, as a part of its module, with its queue and the list of free places cut away: a place (any one) is followed. A
// request that was put there leaves once, as its worker's answer or by time, with what it was put there with; nothing else
// leaves. Assumed of what is cut: the list gives what it was given, once; the queue has the room it states. Assumed of the
// dispatcher, and proved there: a request is put into a place that was taken from the list, once, at phase 1.
(* anyconst *) reg [1:0] place;
reg past = 0, sweeping = 1, listed = 0, owed = 0, busy = 0;
reg [2:0] phase = 0, row_swept = 0;
reg [3:0] queued = 0;
reg [1:0] generation = 0;
reg [77:0] work;
reg [3:0] attempt;
wire [77:0] inserted = {io_insert_payload_work_function, io_insert_payload_work_request, io_insert_payload_work_isTask, io_insert_payload_work_invocation_slot, io_insert_payload_work_invocation_generation, io_insert_payload_work_task, io_insert_payload_worker};
wire [77:0] leaving = {entry_work_function, entry_work_request, entry_work_isTask, entry_work_invocation_slot, entry_work_invocation_generation, entry_work_task, entry_worker};
wire [75:0] left_with = {result_work_function, result_work_request, result_work_isTask, result_work_invocation_slot, result_work_invocation_generation, result_work_task};
wire takes = list_io_take_valid && io_free_ready && list_io_take_payload_slot == place;
wire leaves_here = leaves && event_tag_slot == place;
wire popped = queue_io_pop_valid && io_retired_ready;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  assume(io_phase == phase && io_sweep_isActive == sweeping && io_sweep_row == row_swept);
  assume(io_sweep_covered == (sweeping ? {1'b1, row_swept < 4, row_swept < 2, row_swept < 1} : 4'd0));
  assume(queue_io_availability <= 8 - queued && !(popped && queued == 0));
  if (reset) assume(!io_insert_valid);
  if (!reset) begin
    phase <= phase == 4 ? 0 : phase + 1;
    if (sweeping) row_swept <= row_swept + 1;
    if (row_swept == 7) sweeping <= 0;
    assume(!(list_io_take_valid && list_io_take_payload_slot == place && !(listed && list_io_take_payload_generation == generation)));
    if (sweeping) assume(!io_insert_valid && !io_free_ready);
    if (io_insert_valid) assume(io_phase == 1);
    if (io_insert_valid && io_insert_payload_tag_slot == place) assume(owed && io_insert_payload_tag_generation == generation);
    if (sweeping && row_swept == place) listed <= 1;
    if (takes) begin listed <= 0; owed <= 1; end
    if (io_insert_valid && io_insert_payload_tag_slot == place) begin
      owed <= 0; busy <= 1; work <= inserted; attempt <= io_insert_payload_work_attempt;
    end
    queued <= queued + leaves_regNext - popped;
    if (leaves_regNext) begin room: assert(queued < 8); end

    if (leaves_here) begin
      once: assert(busy && event_tag_generation == generation);
      unchanged: assert(leaving == work && entry_work_attempt == attempt);
      given_back: assert(leaves && freed_slot == place && freed_generation == generation + 2'd1);
      worker_told: assert(io_released_valid && io_released_payload == work[1:0]);
      busy <= 0; listed <= 1; generation <= generation + 1;
    end
    given_once: assert(!(leaves && freed_slot == place && (listed || owed)));
    if (io_phase == 0 && eventValid && event_tag_slot == place && event_tag_generation == generation && busy) begin
      answered: assert(leaves);
    end
    if (io_phase == 1) begin
      told_once: assert(leaves_regNext == $past(leaves));
    end else begin told_then: assert(!leaves_regNext); end
    if (leaves_regNext && $past(leaves_here)) begin
      with_its_work: assert(left_with == $past(work[77:2]));
      outcome: assert(result_outcome == (!$past(isExpiry) ? Outcome_COMPLETED : $past(attempt >= io_retries) ? Outcome_EXHAUSTED : Outcome_RETRIED));
      counted: assert(result_work_attempt == $past(attempt) + (result_outcome == Outcome_RETRIED));
    end

    // how memories and stages follow, for induction
    assert(phase < 5 && listed + owed + busy <= 1);
    if (sweeping) assert(!busy && !owed && !eventValid && !expired_valid && listed == (row_swept > place && row_swept != 0));
    else assert(listed || owed || busy);
    if (sweeping && row_swept <= place) assert(generation == 0);
    if (!sweeping || row_swept > place) begin
      assert(next_1[place] == generation);
      if (busy) assert(entries[place][157:156] == generation && entries[place][155:154] == place);
      else assert(entries[place][157:156] != generation);
      if (busy) assert({entries[place][31:0], entries[place][63:32], entries[place][144], entries[place][145], entries[place][147:146], entries[place][149:148], entries[place][159:158]} == work
        && entries[place][153:150] == attempt);
    end
    if (eventValid && event_tag_slot == place) begin
      if (io_phase == 3) assert(entries_spinal_port1 == entries[place] && next_1_spinal_port1 == next_1[place]);
      if (io_phase == 4 || io_phase == 0) assert(_zz_entry_worker_1 == entries[place] && entryNext == next_1[place]);
    end
    if (io_phase == 0 && eventValid) assert(isLive == (entry_tag_generation == event_tag_generation && entryNext == event_tag_generation));
    if (hasRoom && io_phase == 0) assert(queued <= 4);
    if (eventValid && io_phase != 0) assert(queued <= 5);
    assert(queued <= 6);
    if (leaves_regNext) assert(io_phase == 1 && queued <= 5);
    completed: cover(leaves_regNext && result_outcome == Outcome_COMPLETED);
    stale: cover(io_stale);
  end
end
