// RxRings, as a part of its module, with its bursts cut away, for any flow `f`: the producer never passes the consumer. Lines are given a
// place, published, written and consumed in this order, so no line is written over one that the host has not consumed, and none counts
// as written that is not; the ring changes only while it is empty, and gets no line meanwhile. Lines are issued between published and
// written: rpc_bursts.sv.
(* anyconst *) reg f;
reg past = 0;
wire opened = isMoving && moving_flow == f;
wire [7:0] ready = written[f] - consumed[f], staged_f = published[f] - written[f];
wire [8:0] inside = {1'b0, ready} + staged_f + opened;
wire [8:0] size = masks[f] + 9'd1;
wire change_f = io_change_valid && io_change_payload_flow == f;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (!reset) begin
    assume((io_change_payload_mask & (io_change_payload_mask + 7'd1)) == 0);
    if ($past(!reset && io_change_valid && !io_change_ready)) assume(io_change_valid && $stable({io_change_payload_flow, io_change_payload_base, io_change_payload_mask}));
    // a place is asked for after the line before has been published; lines are written after they were published
    assume(!io_ask || !isMoving);
    assume(!io_publish || isMoving);
    assume(!io_done_valid || (tables_isReady && (io_done_payload_flow != f || io_done_payload_count <= staged_f)));

    if (tables_isReady) begin
      no_overrun: assert(isSet[f] ? inside <= size : inside == 0);
      indices: assert(ready <= 8'd128 && staged_f + opened <= 8);
      if (io_isGranted && io_asked == f) begin
        granted_with_room: assert(io_ask && isSet[f] && io_isActive[f] && !change_f && inside < size && staged_f < 8 && io_slot == published[f][2:0]);
      end
      host_sees: assert(io_flow != f || (io_written == written[f] && io_consumed == consumed[f]));
      if ($past(!reset && tables_isReady)) begin
        if (consumed[f] != $past(consumed[f])) begin
          by_doorbell: assert($past(isRung) && consumed[f] == $past(rung_index) && $past(rung_flow) == f);
          not_more_than_written: assert(consumed[f] - $past(consumed[f]) <= $past(ready));
        end
        published_once: assert(published[f] == $past(published[f]) + $past(io_publish && moving_flow == f));
        if ($past(change_f && io_change_ready)) begin changes_empty: assert($past(inside) == 0 && inside == 0); end
        else begin only_then: assert($stable(masks[f])); end
      end
    end
    // how the flags follow, for induction
    assert(tables_swept <= 2);
    if (!tables_isReady) begin
      assert(isSet == 0 && !isMoving && !isRung);
      assert(tables_swept[0] <= f || (published[f] == 0 && written[f] == 0 && consumed[f] == 0 && freed[f] == 0));
    end else begin
      assert(freed[f] + consumed[f] == 8'd0);
      if (isSet[f]) assert((masks[f] & (masks[f] + 7'd1)) == 0);
      if (opened) assert(moving_index == published[f]);
      if (isRung && rung_flow == f) assert(available <= ready && delta == rung_index - consumed[f]);
      if (isTrue1 && seen1 == f) assert({1'b0, load1} >= inside && (load1 == 0 || mask1 == masks[f]));
      if (isSet[f] && inside == size && !isFull[f]) assert(opened && isTrue1 && seen1 == f);
      if (isEmpty[f] && inside != 0) assert(opened && isTrue1 && seen1 == f);
    end
    fills: cover(isSet[f] && size == 4 && inside == 4);
    changes: cover(change_f && io_change_ready && consumed[f] != 0);
  end
end
