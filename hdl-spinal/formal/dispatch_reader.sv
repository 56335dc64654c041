// MessageReader, as a part of its module: one message for each frame, in order; sound only when the frame is two full words;
// the output keeps the stream protocol.
reg past = 0, owed = 0, full = 1;
reg [4:0] beats = 0;
reg [127:0] first, second;
reg whole;
wire taken = io_input_valid && io_input_ready;
wire given = io_output_valid && io_output_ready;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (!reset) begin
    if (taken) begin
      if (beats == 0) first <= io_input_payload_data;
      if (beats == 1) second <= io_input_payload_data;
      if (beats == 0) second <= 0;
      beats <= io_input_payload_last ? 0 : beats < 16 ? beats + 1 : beats;
      full <= io_input_payload_last || (full && &io_input_payload_keep);
      if (io_input_payload_last) whole <= beats == 1 && full && &io_input_payload_keep;
    end
    owed <= (taken && io_input_payload_last) || (owed && !given);
    if (taken) begin none_lost: assert(!owed || given); end
    one_each: assert(io_output_valid == owed);
    if (io_output_valid) begin
      as_it_came: assert(words_0 == first && words_1 == second);
      sound: assert(io_output_payload_isSound == (whole && first[7:0] == 8'h5d && first[15:12] == 4'd1));
      big_endian: assert(io_output_payload_message_function == {first[39:32], first[47:40], first[55:48], first[63:56]});
      last_field: assert(io_output_payload_message_worker == {second[119:112], second[127:120]});
    end
    if ($past(!reset && io_output_valid && !io_output_ready)) begin
      stays: assert(io_output_valid && $stable({words_0, words_1, io_output_payload_isSound}));
    end
    // for induction
    assert(index == (beats > 2 ? 2 : beats) && isFull == full && beats <= 16);
    if (owed) assert(beats == 0 && isWhole == whole && words_0 == first && words_1 == second);
    if (beats != 0) assert(words_0 == first);
    if (beats == 1) assert(words_1 == 0 && second == 0);
    if (beats > 1) assert(words_1 == second);
    if (beats == 0) assert(full);
    message: cover(given && io_output_payload_isSound);
    broken: cover(given && !io_output_payload_isSound);
  end
end
