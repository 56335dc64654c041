// Classifier, as a part of its module: one descriptor for each frame, in order, and a captured frame keeps its slot.
localparam BETWEEN = 0, IN_FRAME = 1, IN_REPORTED_FRAME = 2, OWES_DESCRIPTOR = 3;
reg past = 0;
reg [1:0] phase = BETWEEN;
wire taken = io_input_valid && io_input_ready;
wire reported = io_frames_valid && io_frames_ready;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (!reset) begin
    if (taken) phase <= io_input_payload_last ? (phase == IN_REPORTED_FRAME ? BETWEEN : OWES_DESCRIPTOR)
                                              : (phase == IN_REPORTED_FRAME ? IN_REPORTED_FRAME : IN_FRAME);
    else if (reported) phase <= phase == OWES_DESCRIPTOR ? BETWEEN : IN_REPORTED_FRAME;
    if (taken) begin no_frame_without: assert(phase != OWES_DESCRIPTOR && !reported); end
    if (io_frames_valid) begin one_each: assert(phase == OWES_DESCRIPTOR || phase == IN_FRAME); end
    if (io_frames_valid && io_frames_payload_candidate) begin whole: assert(phase == OWES_DESCRIPTOR); end
    if ($past(!reset && io_frames_valid && !io_frames_ready)) begin
      stays: assert(io_frames_valid && $stable({io_frames_payload_slot, io_frames_payload_source, io_frames_payload_options, io_frames_payload_end}));
    end
    if ($past(!reset && reported && io_frames_payload_candidate)) begin next_slot: assert(slot == $past(slot) + 2'd1); end
    if ($past(!reset && !reported)) begin same_slot: assert(slot == $past(slot)); end
    // how the states follow from the phase, for induction
    assert($onehot(flow_stateReg));
    if (flow_stateReg[flow_1_BOOT_OH_ID] || flow_stateReg[flow_1_drain_OH_ID]) assert(phase == BETWEEN && index == 0);
    if (flow_stateReg[flow_1_collect_OH_ID]) assert(phase == (index == 0 ? BETWEEN : IN_FRAME) && index < 8);
    if (flow_stateReg[flow_1_settle_OH_ID] || flow_stateReg[flow_1_report_1_OH_ID]) assert(phase == OWES_DESCRIPTOR && index == 0);
    if (flow_stateReg[flow_1_tooLong_OH_ID]) assert(phase == IN_FRAME);
    if (flow_stateReg[flow_1_skip_OH_ID]) assert(phase == IN_REPORTED_FRAME);
    if (flow_stateReg[flow_1_settle_OH_ID]) assert(flow_cyclesRemain <= 9 && (flow_cyclesRemain == 9 || !beatValid));
    if (flow_stateReg[flow_1_report_1_OH_ID]) assert(!beatValid);
    short_frame: cover(reported && phase == OWES_DESCRIPTOR);
    long_frame: cover(phase == IN_REPORTED_FRAME && taken && io_input_payload_last);
  end
end
