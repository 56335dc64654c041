// StreamFork, as a part of its module: each beat of the input leaves on both outputs, once and unchanged.
reg past = 0, sent_0 = 0, sent_1 = 0;
wire taken = io_input_valid && io_input_ready;
wire leaves_0 = io_outputs_0_valid && io_outputs_0_ready;
wire leaves_1 = io_outputs_1_valid && io_outputs_1_ready;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (!reset) begin
    if ($past(!reset && io_input_valid && !io_input_ready))
      assume(io_input_valid && $stable({io_input_payload_data, io_input_payload_keep, io_input_payload_last}));
    sent_0 <= !taken && (sent_0 || leaves_0);
    sent_1 <= !taken && (sent_1 || leaves_1);
    once_0: assert(io_outputs_0_valid == (io_input_valid && !sent_0));
    once_1: assert(io_outputs_1_valid == (io_input_valid && !sent_1));
    if (taken) begin both: assert((sent_0 || leaves_0) && (sent_1 || leaves_1)); end
    same_0: assert({io_outputs_0_payload_data, io_outputs_0_payload_keep, io_outputs_0_payload_last} == {io_input_payload_data, io_input_payload_keep, io_input_payload_last});
    same_1: assert({io_outputs_1_payload_data, io_outputs_1_payload_keep, io_outputs_1_payload_last} == {io_input_payload_data, io_input_payload_keep, io_input_payload_last});
    if ($past(!reset && io_outputs_0_valid && !io_outputs_0_ready)) begin stays_0: assert(io_outputs_0_valid); end
    if ($past(!reset && io_outputs_1_valid && !io_outputs_1_ready)) begin stays_1: assert(io_outputs_1_valid); end
    // how the enables follow from what has left, for induction
    assert((!sent_0 && !sent_1) || io_input_valid);
    assert(logic_linkEnable_0 == !sent_0 && logic_linkEnable_1 == !sent_1 && !(sent_0 && sent_1));
    apart: cover(sent_0 && !sent_1 && taken);
  end
end
