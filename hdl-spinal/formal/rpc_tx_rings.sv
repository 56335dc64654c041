// TxRings, as a part of its module, with its bursts cut away, for any flow `f`: no line counts as read that was not produced, and none is
// produced beyond the ring, so the host writes over no line that is still to be read. A doorbell beyond the room of the ring changes
// nothing; the ring changes only while it is empty. Lines are issued between produced and consumed: rpc_bursts.sv.
(* anyconst *) reg f;
reg past = 0;
wire [7:0] lines = produced[f] - consumed[f];
wire change_f = io_change_valid && io_change_payload_flow == f;
wire rung_f = isRung && rung_flow == f;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (!reset) begin
    assume((io_change_payload_mask & (io_change_payload_mask + 7'd1)) == 0);
    if ($past(!reset && io_change_valid && !io_change_ready)) assume(io_change_valid && $stable({io_change_payload_flow, io_change_payload_base, io_change_payload_mask}));
    // lines come after they were produced
    assume(!io_done_valid || (tables_isReady && (io_done_payload != f || lines != 0)));

    if (tables_isReady) begin
      no_overrun: assert(isSet[f] ? lines <= sizes[f] : lines == 0);
      host_sees: assert(io_flow != f || (io_produced == produced[f] && io_consumed == consumed[f]));
      if ($past(!reset && tables_isReady)) begin
        if (produced[f] != $past(produced[f])) begin
          by_doorbell: assert($past(rung_f) && produced[f] == $past(rung_index));
          within_room: assert(produced[f] - $past(produced[f]) <= $past(sizes[f] - lines));
        end
        read_once: assert(consumed[f] == $past(consumed[f]) + $past(io_done_valid && io_done_payload == f));
        if ($past(change_f && io_change_ready)) begin changes_empty: assert($past(lines) == 0 && lines == 0); end
        else begin only_then: assert($stable(sizes[f])); end
      end
    end
    if (rung_f) begin heard: assert($past(io_doorbell_valid && io_doorbell_payload_flow == f && isSet[f] && !change_f)); end
    if ($past(!reset && rung_f) && produced[f] == $past(produced[f])) begin
      refused: assert($past(io_isRefused) || $past(rung_index) == produced[f]);
    end
    if (lines != 0 && tables_isReady) begin busy: assert(io_sending[f]); end

    // how the flags follow, for induction
    assert(tables_swept <= 2);
    if (!tables_isReady) begin
      assert(isSet == 0 && !isRung);
      assert(tables_swept[0] <= f || (produced[f] == 0 && consumed[f] == 0));
    end else begin
      if (isSet[f]) assert(sizes[f] != 0 && (sizes[f] & (sizes[f] - 8'd1)) == 0 && sizes[f] <= 128);
      if (rung_f) assert(isSet[f] && size == sizes[f] && total - used == rung_index - produced[f] && used <= sizes[f] && (used == lines || used == lines + 8'd1));
      if (seen1 == f && !isUsed1) assert(lines == 0);
      if (!isBusy[f]) assert(lines == 0 && !rung_f);
    end
    fills: cover(isSet[f] && sizes[f] == 8 && lines == 8);
    changes: cover(change_f && io_change_ready && consumed[f] != 0);
  end
end
