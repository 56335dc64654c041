// Realigner, as a part of its module: a job takes its beats and gives its beats, the last of which ends it; each lane of a beat is
// that of the input moved upwards, or carried over from the beat before.
reg past = 0;
reg [6:0] took = 0, gave = 0;
reg [127:0] previous;
wire fills = io_input_valid && io_input_ready;
wire drains = io_output_valid && io_output_ready;
wire ends = io_job_valid && io_job_ready;
wire [6:0] outputs = io_job_payload_drops ? 7'd0 : io_job_payload_steps - io_job_payload_skipsFirst;
wire [23:0] job = {io_job_payload_rotate, io_job_payload_skipsFirst, io_job_payload_drops, io_job_payload_inputs, io_job_payload_steps};
(* anyconst *) wire [3:0] lane;
wire [3:0] from = lane - io_job_payload_rotate;
wire [7:0] moved = (lane < io_job_payload_rotate ? previous >> {from, 3'd0} : io_input_payload >> {from, 3'd0});
wire [7:0] left = io_output_payload >> {lane, 3'd0};
reg job_waits = 0, input_waits = 0, output_waits = 0;
reg [7:0] last_left;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  job_waits <= !reset && io_job_valid && !io_job_ready;
  input_waits <= !reset && io_input_valid && !io_input_ready;
  output_waits <= !reset && io_output_valid && !io_output_ready;
  last_left <= left;
  if (reset) begin took <= 0; gave <= 0; end
  else begin
    if (job_waits) assume(io_job_valid && $stable(job));
    if (input_waits) assume(io_input_valid && $stable(io_input_payload));
    assume(io_job_payload_steps != 0 && io_job_payload_inputs != 0 && io_job_payload_inputs <= io_job_payload_steps && io_job_payload_steps <= 66);
    if (io_job_payload_drops) assume(io_job_payload_inputs == io_job_payload_steps);
    if (io_job_payload_skipsFirst && !io_job_payload_drops) assume(io_job_payload_steps >= 2);

    if (fills) begin own_input: assert(io_job_valid && took < io_job_payload_inputs); end
    if (io_output_valid) begin own_output: assert(io_job_valid && gave < outputs); end
    if (io_output_valid) begin last_known: assert(io_isLast == (gave + 7'd1 == outputs) && io_isFirst == (gave == 0)); end
    if (ends) begin whole: assert(took + fills == io_job_payload_inputs && gave + drains == outputs && (io_job_payload_drops || (drains && io_isLast))); end
    if (drains && io_isLast) begin ends_it: assert(io_job_ready); end
    if (io_output_valid && (lane < io_job_payload_rotate ? took != 0 : fills)) begin same_bytes: assert(left == moved); end
    if (output_waits) begin stays: assert(io_output_valid && (took == io_job_payload_inputs || left == last_left)); end

    if (fills) previous <= io_input_payload;
    took <= ends ? 7'd0 : took + fills;
    gave <= ends ? 7'd0 : gave + drains;
    // how the step follows from what was taken, for induction
    if (step != 0) assert(job_waits);
    assert(took == (step < io_job_payload_inputs || step == 0 ? step : io_job_payload_inputs));
    assert(gave == (io_job_payload_drops || step == 0 ? 7'd0 : step - io_job_payload_skipsFirst));
    if (step != 0) assert(step < io_job_payload_steps);
    if (took != 0 && lane < io_job_payload_rotate) assert(carried[{lane, 3'd0} +: 8] == 8'(previous >> {from, 3'd0}));
    unaligned: cover(ends && gave == 1 && io_job_payload_rotate == 3);
  end
end
