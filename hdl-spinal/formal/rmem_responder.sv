// Responder, as a part of its module: each answer gives one message, a header with the status of the request and, for a read
// that succeeded, its beats of data; each takes its own word of the memory, and all beats that were read for it, once.
reg past = 0, headed = 0, failing = 0;
reg [6:0] took = 0, gave = 0;
wire sends = output_valid && output_ready;
wire pops = io_answers_valid && io_answers_ready;
wire is_read = io_answers_payload_usesMemory && !io_answers_payload_isWrite;
wire is_write = io_answers_payload_usesMemory && io_answers_payload_isWrite;
wire fails = (is_read && io_reads_payload) || (is_write && io_writes_payload);
wire [2:0] status = fails ? Status_MEMORY_ERROR : io_answers_payload_status;
wire takes = io_data_valid && io_data_ready;
wire [146:0] answer = {io_answers_payload_status, io_answers_payload_isWrite, io_answers_payload_usesMemory, io_answers_payload_echo_operation,
  io_answers_payload_echo_requester, io_answers_payload_echo_tag, io_answers_payload_length, io_answers_payload_lane, io_answers_payload_dataBeats, io_answers_payload_memoryBeats};
wire [6:0] now_took = took + takes, now_gave = gave + (headed && sends);
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin headed <= 0; failing <= 0; took <= 0; gave <= 0; end
  else begin
    if ($past(!reset && io_answers_valid && !io_answers_ready)) assume(io_answers_valid && $stable(answer));
    if ($past(!reset && io_reads_valid && !io_reads_ready)) assume(io_reads_valid && $stable(io_reads_payload));
    if ($past(!reset && io_writes_valid && !io_writes_ready)) assume(io_writes_valid && $stable(io_writes_payload));
    // as MemoryAccess makes them
    if (io_answers_valid && io_answers_payload_usesMemory) assume(io_answers_payload_status == Status_OK && io_answers_payload_dataBeats != 0
      && io_answers_payload_dataBeats <= 64 && (io_answers_payload_memoryBeats == io_answers_payload_dataBeats
      || (io_answers_payload_lane != 0 && io_answers_payload_memoryBeats == io_answers_payload_dataBeats + 7'd1)));

    // as rmem_realigner.sv shows of the Realigner, which is cut away
    assume(!io_data_ready || (realigner_2_io_job_valid && took < io_answers_payload_memoryBeats));
    assume(!realigner_2_io_output_valid || (realigner_2_io_job_valid && !job_drops && gave < io_answers_payload_dataBeats));
    if (realigner_2_io_output_valid) assume(realigner_2_io_isLast == (gave + 7'd1 == io_answers_payload_dataBeats));
    if (realigner_2_io_job_valid && realigner_2_io_job_ready) assume(now_took == io_answers_payload_memoryBeats
      && (job_drops || (realigner_2_io_output_valid && realigner_2_io_isLast && realigner_2_io_output_ready)));
    if (realigner_2_io_output_valid && realigner_2_io_isLast && realigner_2_io_output_ready) assume(realigner_2_io_job_ready);

    if (sends && !headed) begin
      for_an_answer: assert(io_answers_valid && (!is_read || io_reads_valid) && (!is_write || io_writes_valid));
      header: assert(output_payload_data[15:0] == {io_answers_payload_echo_operation, 8'd1} && output_payload_data[71:64] == status && &output_payload_keep
        && {output_payload_data[23:16], output_payload_data[31:24]} == io_answers_payload_echo_requester
        && {output_payload_data[39:32], output_payload_data[47:40], output_payload_data[55:48], output_payload_data[63:56]} == io_answers_payload_echo_tag
        && {output_payload_data[111:104], output_payload_data[119:112], output_payload_data[127:120]} == (status == Status_OK ? io_answers_payload_length : 0));
      own_word: assert(io_reads_ready == is_read && io_writes_ready == is_write);
      ends_alone: assert(output_payload_last == (!is_read || fails) && pops == !is_read);
    end else begin
      no_other_word: assert(!io_reads_ready && !io_writes_ready);
      if (pops) begin
        whole: assert(headed && now_took == io_answers_payload_memoryBeats && now_gave == (failing ? 7'd0 : io_answers_payload_dataBeats)
          && (failing || (sends && output_payload_last)));
      end
      if (sends) begin data_ends: assert(!failing && output_payload_last == pops); end
    end
    if (takes) begin own_data: assert(headed && took < io_answers_payload_memoryBeats); end
    if ($past(!reset && io_output_valid && !io_output_ready)) begin
      stays: assert(io_output_valid && $stable({io_output_payload_data, io_output_payload_keep, io_output_payload_last}));
    end

    if (pops) begin headed <= 0; failing <= 0; took <= 0; gave <= 0; end
    else begin
      if (sends && !headed) begin headed <= 1; failing <= fails; end
      took <= now_took;
      gave <= now_gave;
    end
    // how the state follows from what was sent, for induction
    assert(headed == (flow_stateReg == flow_2_data) && flow_stateReg <= flow_2_data);
    if (headed) assert(io_answers_valid && is_read);
    if (headed) begin
      job: assert(job_drops == failing && job_inputs == io_answers_payload_memoryBeats && job_skipsFirst == (io_answers_payload_lane != 0)
        && job_rotate + io_answers_payload_lane == 4'd0
        && job_steps == (failing ? io_answers_payload_memoryBeats : io_answers_payload_dataBeats + (io_answers_payload_lane != 0)));
    end
    if (!headed) assert(took == 0 && gave == 0 && !failing);
    if (failing) assert(gave == 0);
    if (headed && !failing) assert(io_answers_payload_status == Status_OK);
    answered: cover(pops && headed && !failing && gave == 1);
    refused: cover(pops && failing);
  end
end
