// SummaryBuilder, as a part of its module: each start gives one frame, its words in order and full but the last, and the
// queue was seen empty before the first of them. The queue and what the words hold are cut away (they may be anything).
reg past = 0, busy = 0, ended = 0, was_empty = 0;
reg [3:0] pushed = 0;
wire pushes = queue_io_push_valid;
wire [7:0] item_end = io_payload + 8'd9;
wire [7:0] bytes = item_end < 60 ? 8'd60 : item_end;
wire [3:0] last = (bytes - 8'd1) >> 4;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (!reset) begin
    // as Distil uses it: the position is within the capture, stays, and no start comes before done
    assume(io_payload >= 47 && io_payload <= 128);
    if ($past(!reset && io_start) || busy) assume($stable(io_payload));
    if (busy || flow_stateReg == flow_6_BOOT) assume(!io_start);
    if (io_start) begin busy <= 1; ended <= 0; pushed <= 0; was_empty <= 0; end
    else begin
      if (io_done) busy <= 0;
      if (queue_io_occupancy == 0) was_empty <= 1;
      if (pushes) begin pushed <= pushed + 1; ended <= queue_io_push_payload_last; end
    end
    if (pushes) begin
      only_when_asked: assert(busy && !ended);
      starts_empty: assert(was_empty && pushed < 9);
      in_order: assert(sumIndex == pushed);
      full: assert(queue_io_push_payload_last || &queue_io_push_payload_keep);
      contiguous: assert(queue_io_push_payload_keep != 0 && (queue_io_push_payload_keep & (queue_io_push_payload_keep + 16'd1)) == 0);
    end
    if (io_done) begin one_frame: assert(busy && ended); end

    // how the stages follow from the state, for induction
    assert(flow_stateReg <= flow_6_flush);
    assert(busy == (flow_stateReg > flow_6_idle));
    if (flow_stateReg <= flow_6_prepare) assert(!isReading && !dataValid && !wordValid && !sumValid);
    if (busy) assert(end_1 == item_end);
    if (flow_stateReg == flow_6_prepare) begin
      assert(flow_pause <= 3);
      if (flow_pause >= 1) assert(size == bytes);
      if (flow_pause >= 2) assert(lastWord == last);
    end
    if (flow_stateReg > flow_6_prepare) assert(size == bytes && lastWord == last && was_empty);
    if (flow_stateReg == flow_6_sumUp) assert(isReading && address <= last);
    if (flow_stateReg == flow_6_prepare || flow_stateReg == flow_6_sumUp || flow_stateReg == flow_6_fold)
      assert(!isSending && pushed == 0 && !ended);
    if (flow_stateReg == flow_6_fold) begin
      assert(flow_pause <= 10 && !isReading);
      assert(!(dataValid && flow_pause > 0) && !(wordValid && flow_pause > 1) && !(sumValid && flow_pause > 2));
    end
    if (flow_stateReg == flow_6_send) begin
      assert(isSending && isReading && address <= last && !ended);
      assert(dataValid == (address >= 1) && wordValid == (address >= 2) && sumValid == (address >= 3));
      assert(pushed == (address < 3 ? 4'd0 : address - 4'd3));
      if (dataValid) assert(dataIndex == address - 4'd1);
      if (wordValid) assert(wordIndex == address - 4'd2);
      if (sumValid) assert(sumIndex == address - 4'd3);
    end
    if (flow_stateReg == flow_6_flush) begin
      assert(isSending && !isReading && flow_pause <= 4);
      assert(dataValid == (flow_pause == 0) && wordValid == (flow_pause <= 1) && sumValid == (flow_pause <= 2));
      assert(ended == (flow_pause > 2) && pushed == (flow_pause > 2 ? last + 4'd1 : last - 4'd2 + flow_pause));
      if (dataValid) assert(dataIndex == last);
      if (wordValid) assert(wordIndex == last - 4'd1 + flow_pause);
      if (sumValid) assert(sumIndex == pushed);
    end
    sent: cover(io_done);
  end
end
