// LineReader, as a part of its module, with its queue cut away: one head and the words of one line for each frame of the length
// of an RPC, in order; queue and buffer never overrun; the words of other frames are taken back. What the frames hold is free.
reg past = 0;
reg [4:0] filled = 0;     // heads in the queue
reg [2:0] due = 0;        // frames whose head is still to come
reg [6:0] good = 0;       // words of frames that have ended and were whole, not yet read
wire fires = io_input_valid && io_input_ready;
wire pops = queue_io_pop_valid && io_heads_ready;
wire pushes = ended5;
wire reads = command_valid && command_ready;
wire [6:0] inside = written - read, kept = committed - read, open_words = written - committed;
wire whole = ends && isWhole;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin filled <= 0; due <= 0; good <= 0; end
  else begin
    // as a queue does
    assume(queue_io_availability == 5'd16 - filled && queue_io_push_ready == (filled != 16) && (!queue_io_pop_valid || filled != 0));
    filled <= filled + pushes - pops;
    due <= due + whole - pushes;
    good <= good + (whole ? 7'd4 : 7'd0) - reads;
    has_room: assert(!pushes || queue_io_push_ready);
    one_each: assert(!pushes || due != 0);
    no_overrun: assert(inside <= 64 && kept <= inside);
    whole_lines: assert(kept == good);
    if (isWord) begin room_for_words: assert(inside < 64); end
    refused: assert(!io_isRefused || $past(ends && !isWhole));
    if ($past(!reset && ends && !isWhole)) begin taken_back: assert(written == committed && $stable(committed)); end
    if ($past(!reset && !ends)) begin only_then: assert($stable(committed)); end
    if ($past(!reset && io_words_valid && !io_words_ready)) begin words_stay: assert(io_words_valid && $stable(io_words_payload)); end
    // how the stages follow from the frames, for induction
    assert(due == ended1 + ended2 + ended2_delay_1 + ended2_delay_2 + ended5);
    assert(filled + due + whole <= 16 && inside + isWord <= 62);
    if (hasRoom) assert(filled + due + whole <= 13 && inside + isWord <= 60);
    assert(whole + ended1 + ended2 + ended2_delay_1 + ended2_delay_2 + ended5 <= 1);
    assert((!ended1 || index <= 1) && (!ended2 || index <= 2) && (!ended2_delay_1 || index <= 3) && (!ended2_delay_2 || index <= 4));
    if (beatValid) assert(index == (beat_last ? 3'd0 : beatIndex == 7 ? 3'd7 : beatIndex + 3'd1));
    assert(open_words == (beatValid ? (beatIndex < 3 ? 7'd0 : beatIndex - 7'd3) : index < 4 ? 7'd0 : index - 7'd3));
    a_line: cover(pushes);
    refuses: cover(io_isRefused && $past(beatIndex) == 7);
  end
end
