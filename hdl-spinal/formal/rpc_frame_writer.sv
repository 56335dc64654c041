// FrameWriter, as a part of its module, with its queues cut away: each line takes its four words and becomes one frame of seven
// beats, all full but the last, or is dropped and counted; no more lines are taken than there is room for. The output keeps
// the stream protocol. The bytes of frames are tested by simulation.
reg past = 0;
reg [2:0] got = 0, held_beat = 0;
reg [2:0] words = 0;
wire gives = io_output_valid && io_output_ready;
wire is_sending = next_valid && next_payload_isSound && !next_payload_isBad;
wire takes = data_valid && data_ready;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (reset) begin got <= 0; words <= 0; end
  else begin
    // a row answers a line that is inside
    assume(!next_valid || inside_1 != 0);
    has_room: assert(inside_1 <= 8);
    words <= next_fire ? 3'd0 : words + takes;
    four_words: assert(words + takes <= 4 && (!next_fire || words + takes == 4));
    counted_once: assert(io_sent + io_refused + io_failed == next_fire);
    if (gives) got <= io_output_payload_last ? 3'd0 : got + 3'd1;
    if (output_valid && output_ready) held_beat <= beat;
    if (io_output_valid) begin
      seven_beats: assert(got <= 6 && io_output_payload_last == (got == 6) && io_output_payload_keep == (got == 6 ? 16'h03ff : 16'hffff));
    end
    if ($past(!reset && io_output_valid && !io_output_ready)) begin
      stays: assert(io_output_valid && $stable({io_output_payload_data, io_output_payload_keep, io_output_payload_last}));
    end
    // how the beats follow, for induction
    assert(beat <= 6 && (beat == 0 || next_valid));
    assert(words == (beat <= 2 ? 3'd0 : beat - 3'd2));
    if (io_output_valid) assert(got == held_beat && (held_beat == 6 ? !is_sending || beat == 0 : is_sending && beat == held_beat + 3'd1));
    else assert(got == (is_sending ? beat : 3'd0));
    a_frame: cover(gives && io_output_payload_last);
    dropped: cover(io_refused);
  end
end
