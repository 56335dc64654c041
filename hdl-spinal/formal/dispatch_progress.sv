// Progress, as a part of its module, with its queue and the list of free places cut away: an invocation (any one place) and
// the parents of a task (any set) are followed. The task is released by one job at most, and only when all its parents that
// belong to the workflow are done; each task counts as done once; a handle that is old changes nothing.
// Assumed of what is cut: the list gives what it was given, once, and keeps what it offers; the queue has the room it states.
(* anyconst *) reg place;
(* anyconst *) reg [3:0] parents;
reg past = 0, sweeping = 1, listed = 0, released_before = 0;
reg [2:0] phase = 0, row_swept = 0;
reg [3:0] tasks = 0, pending = 0, done = 0, queued = 0;
reg [1:0] generation = 0;
wire here = slot == place;
wire gives_job = io_phase == 2 && gives;
wire releases = job_effect == Effect_RELEASE_1 && (job_isStart ? parents == 0 : parents[job_task] && (parents & job_pending) == 0);
wire waits = (io_phase == 1 || io_phase == 2) && gives;
wire popped = queue_io_pop_valid && io_jobs_ready;
wire [3:0] task_bit = 4'd1 << event_task;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  assume(io_phase == phase && io_sweep_isActive == sweeping && io_sweep_row == row_swept);
  assume(io_sweep_covered == (sweeping ? {1'b1, row_swept < 4, row_swept < 2, row_swept < 1} : 4'd0));
  assume(io_events_payload_step <= 2);
  assume(queue_io_availability <= 8 - queued && !(popped && queued == 0));
  if (!reset) begin
    phase <= phase == 4 ? 0 : phase + 1;
    if (sweeping) row_swept <= row_swept + 1;
    if (row_swept == 7) sweeping <= 0;
    assume(!(list_io_take_valid && list_io_take_payload == place && !listed));
    if ($past(!reset && list_io_take_valid && !list_io_take_ready)) assume(list_io_take_valid && $stable(list_io_take_payload));
    if (sweeping && row_swept == place) listed <= 1;
    if (list_io_give_valid && here) listed <= 1;
    if (list_io_take_valid && list_io_take_ready && list_io_take_payload == place) listed <= 0;
    if (list_io_give_valid) begin given_once: assert(!(here && listed)); end
    if (list_io_take_ready) begin taken_as_used: assert(list_io_take_valid && list_io_take_payload == slot); end

    queued <= queued + queue_io_push_valid - popped;
    if (queue_io_push_valid) begin room: assert(queued < 8); end

    if (changes && here) begin
      if (isStart) begin
        not_in_use: assert(pending == 0);
        tasks <= loaded_tasks; pending <= loaded_tasks; done <= 0; released_before <= 0;
      end else begin
        ours: assert(event_invocation_generation == generation && pending != 0);
        if (event_step == Step_COMPLETE) begin
          counted_once: assert(pending[event_task] && !done[event_task]);
          pending <= pending & ~task_bit; done <= done | task_bit;
          if ((pending & ~task_bit) == 0) generation <= generation + 1;
        end else begin pending <= 0; generation <= generation + 1; end
      end
    end
    if (io_phase == 0 && valid) begin one_of: assert($onehot({starts || (isStart && !changes), completes, abandons, io_stale})); end
    if (gives_job && job_invocation_slot == place && job_effect != Effect_NO_WORKFLOW && job_effect != Effect_INVOCATIONS_FULL) begin
      as_it_is: assert(job_pending == pending);
      finished_when_all: assert((job_effect == Effect_FINISHED) == (pending == 0));
      if (releases) begin
        once: assert(!released_before);
        after_parents: assert((parents & tasks & ~done) == 0);
        released_before <= 1;
      end
    end

    // how the memory, the pipeline and the list follow, for induction
    assert(phase < 5);
    if (!sweeping || row_swept > place) assert(rows[place][5:0] == {pending, generation});
    else assert(pending == 0 && generation == 0);
    if (sweeping) assert(!valid && !gives && !(row_swept <= place && listed));
    assert((pending & done) == 0 && (pending & ~tasks) == 0);
    if (pending != 0) assert((tasks & ~done) == pending && !listed);
    if (released_before) assert((parents & pending) == 0);
    if (!sweeping && io_phase == 3) assert(rows_spinal_port0 == rows[slot]);
    if (!sweeping && (io_phase == 4 || io_phase == 0) && valid) assert(_zz_row_generation_1 == rows[slot]);
    if (io_phase == 0 && valid) begin
      assert(completes == (event_step == Step_COMPLETE && row_generation == event_invocation_generation && row_pending[event_task]));
      assert(abandons == (event_step == Step_ABANDON && row_generation == event_invocation_generation && row_pending != 0));
      assert(left == (row_pending & ~task_bit) && isLast == (left == 0));
      assert(isKnown == (loaded_tasks != 0 && loaded_roots != 0));
    end
    if (valid && io_phase != 1 && !isStart) assert(slot == event_invocation_slot);
    if (valid && io_phase != 1 && isStart && isFree) assert(list_io_take_valid && list_io_take_payload == slot);
    if (valid) assert(event_step <= 2);
    if (hasRoom && io_phase == 0) assert(queued <= 4);
    assert(queued <= 8);
    if (valid) assert(queued + (waits ? 1 : 0) <= (io_phase == 0 ? 5 : 5));
    if (waits) assert(queued <= 5);
    if (waits && job_invocation_slot == place && (job_effect == Effect_RELEASE_1 || job_effect == Effect_FINISHED)) begin
      assert(job_pending == pending && (job_effect == Effect_FINISHED) == (pending == 0));
      if (job_isStart) assert(!released_before && pending == tasks && done == 0);
      else assert(!pending[job_task] && done[job_task]);
      if (releases) assert(!released_before && (parents & tasks & ~done) == 0);
    end
    second_of_two: cover(gives_job && job_invocation_slot == place && releases && !job_isStart && parents == 4'b0011);
    abandoned: cover(io_abandoned);
    reused: cover(gives_job && job_isStart && job_effect == Effect_RELEASE_1 && job_invocation_generation == 1);
  end
end
