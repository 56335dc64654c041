// JobPicker, as a part of its module, with two rings: a ring is taken only while it is due, and each take gives one job, of that
// ring as it was then, in order. A job stays until it is taken.
reg past = 0, owed = 0;
reg [32:0] job;
`define OF(n) {io_jobs_``n``_flow, io_jobs_``n``_base, io_jobs_``n``_mask, io_jobs_``n``_index, io_jobs_``n``_count}
wire [1:0] took = io_takes;
wire gives = io_job_valid && io_job_ready;
wire [32:0] given = {io_job_payload_flow, io_job_payload_base, io_job_payload_mask, io_job_payload_index, io_job_payload_count};
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) owed <= 0;
  else begin
    one_due: assert((took & ~io_dues) == 0 && took != 3);
    if (took != 0) job <= took[0] ? `OF(0) : `OF(1);
    owed <= took != 0 || (owed && !gives);
    none_lost: assert(took == 0 || !owed || gives);
    as_taken: assert(io_job_valid == owed && (!owed || given == job));
    if ($past(!reset && io_job_valid && !io_job_ready)) begin stays: assert(io_job_valid && $stable(given)); end
    assert(chosen != 3 && (turn == 1 || turn == 2));
    second: cover(gives && took == 2);
  end
end
