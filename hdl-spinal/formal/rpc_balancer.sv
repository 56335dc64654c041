// Balancer, as a part of its module: each line is given one place in one ring, and moved there whole; or dropped whole, and
// counted once. A place is asked for only where a ring takes lines and is not full; it is published when the line is there.
reg past = 0, open = 0, counted = 0;
reg flow_given;
reg [2:0] slot_given;
reg [1:0] got = 0;
wire takes = io_words_valid && io_words_ready;
wire [2:0] events = {2'd0, io_events_malformed} + io_events_unknownConnection + io_events_withoutFlow + io_events_ringFull;
wire ends = takes && got == 3;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin open <= 0; counted <= 0; got <= 0; end
  else begin
    // as the rings grant
    assume(!io_isGranted || (io_ask && io_rings_isUsable[io_asked] && !io_rings_isFull[io_asked]));
    if (io_isGranted) begin
      one_place: assert(!open && !counted && line_valid);
      flow_given <= io_asked;
      slot_given <= io_slot;
    end
    one_asked: assert(!io_ask || (line_valid && !open && !counted));
    one_event: assert(events <= 1 && (events == 0 || (line_valid && !open && !counted && !io_isGranted)));
    if (io_events_ringFull) begin full: assert(io_ask && io_rings_isFull[io_asked] && io_rings_isUsable[io_asked]); end
    if (io_events_withoutFlow) begin nowhere: assert(io_rings_isOpen == 0); end
    open <= (open || io_isGranted) && !ends;
    counted <= (counted || events != 0) && !ends;
    got <= got + takes;
    words_of_a_line: assert(!takes || open || counted);
    line_with_last: assert(line_ready == ends);
    moved: assert(io_stage_valid == (takes && open));
    if (io_stage_valid) begin
      to_its_place: assert(io_stage_payload_flow == flow_given && io_stage_payload_slot == slot_given && io_stage_payload_word == got && io_stage_payload_data == io_words_payload);
    end
    published: assert(io_publish == (ends && open));
    // how the phases follow, for induction
    assert(word == got && !(open && counted) && (line_valid || (!open && !counted)));
    assert(open == (phase_1 == Phase_MOVE) && counted == (phase_1 == Phase_DROP) && (phase_1 != Phase_ASK || line_valid));
    assert(phase_1 == Phase_MOVE || phase_1 == Phase_DROP || got == 0);
    assert(phase_1 != Phase_ASK || target == (flow ? 2'd2 : 2'd1));
    if (open) assert(flow == flow_given && slot == slot_given);
    in_ring: cover(io_publish && flow == 1);
    dropped: cover(ends && counted);
  end
end
