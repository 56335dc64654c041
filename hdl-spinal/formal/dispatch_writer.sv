// MessageWriter, as a part of its module: each message leaves as two words, the second of them the last; the output keeps the
// stream protocol.
reg past = 0, second = 0;
wire sent = io_output_valid && io_output_ready;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (!reset) begin
    if ($past(!reset && io_input_valid && !io_input_ready))
      assume(io_input_valid && $stable({io_input_payload_kind, io_input_payload_task, io_input_payload_attempt, io_input_payload_reason, io_input_payload_function, io_input_payload_request, io_input_payload_tag, io_input_payload_key, io_input_payload_payload, io_input_payload_invocation, io_input_payload_payloadBytes, io_input_payload_worker}));
    if (sent) second <= !second;
    two_words: assert(io_output_payload_last == second && &io_output_payload_keep);
    once: assert((io_input_valid && io_input_ready) == (sent && second));
    if (io_output_valid && !second) begin
      head: assert(io_output_payload_data[15:0] == {4'd1, io_input_payload_kind, 8'h5d});
      tag: assert(io_output_payload_data[127:96] == {io_input_payload_tag[7:0], io_input_payload_tag[15:8], io_input_payload_tag[23:16], io_input_payload_tag[31:24]});
    end
    if (io_output_valid && second) begin
      key: assert(io_output_payload_data[31:0] == {io_input_payload_key[7:0], io_input_payload_key[15:8], io_input_payload_key[23:16], io_input_payload_key[31:24]});
    end
    if ($past(!reset && io_output_valid && !io_output_ready)) begin
      stays: assert(io_output_valid && $stable({io_output_payload_data, io_output_payload_last}));
    end
    assert(isSecond == second && (!second || io_input_valid));
    whole: cover(sent && second);
  end
end
