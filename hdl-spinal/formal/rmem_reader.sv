// RequestReader, as a part of its module, with its queue cut away: one request for each message, in order, which the queue has
// room for; the buffer never overruns, and holds the data of OK writes alone.
// What the messages hold is free (it may be anything).
reg past = 0, in_message = 0;
reg [2:0] due = 0;        // messages that have ended and are still to give their request
reg [4:0] filled = 0;     // requests in the queue
reg [8:0] stored = 0;     // beats of data of the message that is coming, or of one that is still to be judged
wire fires = io_input_valid && io_input_ready;
wire ends = fires && io_input_payload_last;
wire pops = queue_io_pop_valid && io_requests_ready;
wire [8:0] inside = written - read, kept = committed - read, open_beats = written - committed;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin due <= 0; filled <= 0; end
  else begin
    // as a queue does
    assume(queue_io_availability == 5'd16 - filled && queue_io_push_ready == (filled != 16) && (!queue_io_pop_valid || filled != 0));
    filled <= filled + judged - pops;
    due <= due + ends - judged;
    one_each: assert(!judged || due != 0);
    has_room: assert(!judged || queue_io_push_ready);
    no_overrun: assert(inside <= 256 && kept <= inside);
    if (beatValid && !(beatIndex < 2) && beatIndex != 66) begin room_for_data: assert(inside < 256); end
    if ($past(!reset && judged)) begin
      kept_if_ok: assert($past(request_status == Status_OK && held_isWrite) ? committed == $past(written) : committed == $past(committed) && written == $past(committed));
    end
    if ($past(!reset && !judged)) begin only_then: assert(committed == $past(committed)); end
    // how the stages follow from the messages, for induction
    assert(due == (beatValid && beat_last) + ended + judged);
    assert(filled + due <= 16);
    if (hasRoom) assert(filled + due <= 14 && inside + beatValid <= 254);
    if (beatValid) assert(index == (beat_last ? 7'd0 : beatIndex == 66 ? 7'd66 : beatIndex + 7'd1));
    if (ended) assert(beatValid ? beatIndex == 0 : index == 0);
    if (judged) assert(beatValid ? beatIndex <= 1 : index <= 1);
    a_write: cover(judged && request_status == Status_OK && held_isWrite && open_beats == 1);
  end
end
