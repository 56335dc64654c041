// Dispatcher, as a part of its module, with its queues and the loads cut away: each request that is taken leaves once, in order
// and unchanged, to a worker or to the slow path; to a worker only by a row of its function, to one of the workers in it, with
// a place taken from the list at that moment. Assumed: the queues have the room they state; the list keeps what it offers.
reg past = 0;
reg [2:0] phase = 0;
reg [3:0] queued_0 = 0, queued_1 = 0;
reg [1:0] count = 0;
reg [153:0] oldest, middle, newest;
wire [153:0] taken = {io_work_payload_function, io_work_payload_request, io_work_payload_key, io_work_payload_payload, io_work_payload_payloadBytes, io_work_payload_isTask, io_work_payload_invocation_slot, io_work_payload_invocation_generation, io_work_payload_task, io_work_payload_attempt};
wire [153:0] in_first = {first_function, first_request, first_key, first_payload, first_payloadBytes, first_isTask, first_invocation_slot, first_invocation_generation, first_task, first_attempt};
wire [153:0] in_second = {second_function, second_request, second_key, second_payload, second_payloadBytes, second_isTask, second_invocation_slot, second_invocation_generation, second_task, second_attempt};
wire [153:0] in_result = {result_work_function, result_work_request, result_work_key, result_work_payload, result_work_payloadBytes, result_work_isTask, result_work_invocation_slot, result_work_invocation_generation, result_work_task, result_work_attempt};
wire takes = io_work_valid && io_work_ready;
wire leaves = goes || stays;
wire popped_0 = dispatchedQueue_io_pop_valid && io_dispatched_ready;
wire popped_1 = refusedQueue_io_pop_valid && io_refused_ready;
wire [3:0] under_way = firstValid + secondValid + (goes || stays);
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  assume(io_phase == phase);
  assume(dispatchedQueue_io_availability <= 8 - queued_0 && !(popped_0 && queued_0 == 0));
  assume(refusedQueue_io_availability <= 8 - queued_1 && !(popped_1 && queued_1 == 0));
  // the host writes at phase 3 alone, and rows no longer than they may be
  if (io_host_valid) assume(io_phase == 3);
  if (io_sweep_isActive) assume(!firstValid && !secondValid);
  if (!reset) begin
    if ($past(!reset && io_free_valid && !io_free_ready)) assume(io_free_valid && $stable({io_free_payload_slot, io_free_payload_generation}));
    phase <= phase == 4 ? 0 : phase + 1;
    queued_0 <= queued_0 + goes - popped_0;
    queued_1 <= queued_1 + stays - popped_1;
    if (goes) begin room_0: assert(queued_0 < 8); end
    if (stays) begin room_1: assert(queued_1 < 8); end

    count <= count + takes - leaves;
    if (leaves) begin
      one_way: assert(goes != stays);
      not_invented: assert(count != 0);
      in_order: assert(in_result == oldest);
      at_phase_1: assert(io_phase == 1);
    end
    if (leaves) begin oldest <= middle; middle <= newest; end
    if (takes && count - leaves == 0) oldest <= taken;
    if (takes && count - leaves == 1) middle <= taken;
    if (takes && count - leaves == 2) newest <= taken;
    no_more: assert(!(takes && count - leaves == 3));
    entered: assert(io_insert_valid == goes);
    if (io_phase == 1) begin place_taken: assert(io_insert_valid == $past(io_free_valid && io_free_ready)); end
    else begin none_else: assert(!io_insert_valid && !(io_free_ready && io_phase != 0)); end
    if (io_insert_valid) begin
      this_place: assert({result_tag_slot, result_tag_generation} == $past({io_free_payload_slot, io_free_payload_generation}));
      its_function: assert($past(row_function) == result_work_function && $past(row_count) != 0);
      its_worker: assert(result_worker == $past(row_members_0) || ($past(row_count) > 1 && result_worker == $past(row_members_1)));
    end
    if (stays) begin
      reason: assert(reason_1 == ($past(isHit) ? Reason_TABLE_FULL : Reason_NO_WORKER));
      not_free: assert(!($past(isHit) && $past(io_free_valid)));
    end

    // how stages follow, for induction
    assert(phase < 5 && count == under_way);
    if (goes || stays) assert(io_phase == 1 && !(goes && stays));
    if (io_phase != 1) assert(!goes && !stays);
    assert(count <= 2 || io_phase == 1);
    if (goes || stays) assert(in_result == oldest);
    if (secondValid) assert(in_second == ((goes || stays) ? middle : oldest));
    if (firstValid) assert(in_first == ((goes || stays) && secondValid ? newest : (goes || stays) || secondValid ? middle : oldest));
    // the row goes with the request: both ways are compared at phase 4, and one is kept from phase 0 on
    if (firstValid && io_phase == 0) begin
      assert(_zz_isHit == (_zz_row_count != 0 && _zz_row_function == first_function));
      assert(_zz_isHit_1 == (_zz_row_count_1 != 0 && _zz_row_function_3 == first_function));
    end
    if (secondValid && isHit) assert(row_function == second_function && row_count != 0);
    assert(halves_0_lane == 0 && halves_1_lane == 1);
    if (isHit && secondValid && io_phase == 4) assert(drawn < row_count);
    if (isHit && secondValid && io_phase == 3) assert(parts_0 < {row_count, 16'd0});
    if (isHit && secondValid && io_phase == 4) assert(!halves_1_isMember || row_count > 1);
    if (isHit && secondValid && io_phase == 0) assert(lane < row_count);
    if (hasRoom && io_phase == 0) assert(queued_0 <= 4 && queued_1 <= 4);
    if (firstValid) assert(queued_0 + under_way <= 7 && queued_1 + under_way <= 7);
    assert(queued_0 + under_way <= 8 && queued_1 + under_way <= 8);
    sent: cover(io_insert_valid);
    refused: cover(stays);
  end
end
