// Walker, as a part of its module, with its queue cut away and the table at rest: of each job, every candidate is tried once,
// and leaves as work exactly when it is due: none of its parents is pending, and the task that is done is among them; or it has
// no parents, when the invocation begins. Assumed of the queue: it has the room it states.
reg past = 0;
reg [2:0] phase = 0;
reg [3:0] wanted = 0, tried = 0, queued = 0;
wire decides = io_phase == 4 && isTrying;
wire [3:0] trying = isTrying && io_phase >= 2 ? 4'd1 << task_1 : 4'd0;
wire [3:0] of_row = rows[{job_workflow, task_1}][3:0];
wire due = (job_isStart ? of_row == 0 : of_row[job_task]) && (of_row & job_pending) == 0;
wire popped = queue_io_pop_valid && io_work_ready;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  assume(io_phase == phase && !io_host_valid);
  assume(queue_io_availability <= 8 - queued && !(popped && queued == 0));
  if (!reset) begin
    phase <= phase == 4 ? 0 : phase + 1;
    queued <= queued + isDue - popped;
    if (isDue) begin room: assert(queued < 8); end
    if (io_jobs_valid && io_jobs_ready) begin
      none_skipped: assert((tried | trying) == wanted);
      wanted <= io_jobs_payload_candidates;
      tried <= 0;
    end else if (decides) tried <= tried | trying;
    if (decides) begin
      wanted_once: assert(wanted[task_1] && !tried[task_1]);
    end
    if (io_phase == 0 && $past(!reset && decides)) begin
      when_due: assert(isDue == $past(due));
    end else begin only_then: assert(!isDue); end
    if (isDue) begin
      as_it_is: assert(result_task == $past(task_1) && result_function == $past(rows[{job_workflow, task_1}][35:4]) && result_isTask && result_attempt == 0);
      of_its_job: assert({result_request, result_key, result_payload, result_payloadBytes, result_invocation_slot, result_invocation_generation}
        == $past({job_request, job_key, job_payload, job_payloadBytes, job_invocation_slot, job_invocation_generation}));
    end

    // how the stages follow, for induction
    assert(phase < 5);
    assert((tried & ~wanted) == 0 && (trying & tried) == 0 && (trying & ~wanted) == 0);
    assert(candidates == (wanted & ~tried & ~trying));
    if (io_phase == 1 && isTrying) assert(lowest == (candidates & (~candidates + 4'd1)) && candidates != 0);
    if (io_phase == 3 && isTrying) assert(rows_spinal_port1 == rows[{job_workflow, task_1}]);
    if (io_phase == 4 && isTrying) assert(_zz_row_parents_2 == rows[{job_workflow, task_1}]);
    if (io_phase == 3 || io_phase == 4) assert(!isIdle || candidates == 0);
    if (isDue) assert(io_phase == 0 && isTrying);
    if (hasRoom && io_phase == 0) assert(queued <= 4);
    if (isTrying && io_phase != 0) assert(queued <= 5);
    assert(queued <= 6 && (!isDue || queued <= 5));
    fan: cover(isDue && tried == 4'b1011);
    joined: cover(isDue && !$past(job_isStart) && $past(of_row) == 4'b0011);
  end
end
