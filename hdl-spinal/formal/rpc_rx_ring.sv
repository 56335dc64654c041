// RxRing, as a part of its module: the producer never passes the consumer. Lines are reserved, published, issued, written and
// consumed in this order, so no line is written over one that the host has not consumed, and none counts as written that is not;
// the ring changes only while it is empty, and takes no line meanwhile. The size of a burst is free; rpc_rx_bursts.sv bounds it.
// The lines of the ring are counted by what has happened to them; the indices are where these counts say.
reg past = 0;
reg [7:0] rung;                    // what the doorbell said last
reg [8:0] opened = 0, flying = 0, ready = 0;   // reserved and not published, issued and not written, written and not consumed
wire [8:0] inside = ready + flying + waiting + opened;
wire takes = io_take && io_isDue;
always @(posedge clk) begin
  past <= 1;
  rung <= io_doorbell_payload;
  assume(reset == !past);
  if (reset) begin opened <= 0; flying <= 0; ready <= 0; end
  else begin
    assume(io_batch >= 1 && io_batch <= 4);
    assume(io_change_payload_log <= 7);
    if ($past(!reset && io_change_valid && !io_change_ready)) assume(io_change_valid && $stable({io_change_payload_base, io_change_payload_log}));
    // lines are published after they were reserved, and written after they were issued
    assume(!io_publish || opened != 0);
    assume(!io_done_valid || io_done_payload <= flying);
    assume(!io_isDue || (count != 0 && count <= 4 && count <= waiting));
    opened <= opened + io_isGranted - io_publish;
    flying <= flying + (takes ? count : 3'd0) - (io_done_valid ? io_done_payload : 3'd0);
    ready <= ready + (io_done_valid ? io_done_payload : 3'd0) - freed;

    no_overrun: assert(inside <= size && load == inside);
    not_more_than_written: assert(freed <= ready);
    written_and_consumed: assert(written == ((consumed + ready) & 8'hff) && io_written == written && io_consumed == consumed);
    issued_and_written: assert(issued == ((written + flying) & 8'hff));
    reserved_and_issued: assert(reserved == ((issued + waiting + opened) & 8'hff));
    granted_with_room: assert(!io_isGranted || (io_reserve && isSet && io_isActive && !io_change_valid && inside < size && staged < 8));
    if ($past(!reset && io_change_valid && io_change_ready)) begin
      changes_empty: assert($past(inside) == 0 && inside == 0);
    end else if ($past(!reset)) begin
      only_then: assert($stable(size) && $stable(base));
    end
    if ($past(!reset) && consumed != $past(consumed)) begin by_doorbell: assert($past(isRung) && consumed == $past(rung)); end

    // how the counts follow, for induction
    assert(opened <= 128 && flying <= 128 && ready <= 128 && staged == (flying + waiting + opened) && staged <= 8);
    assert(size == 1 || size == 2 || size == 4 || size == 8 || size == 16 || size == 32 || size == 64 || size == 128);
    if (isRung) assert(available <= ready && delta == (rung - consumed));
    fills: cover(size == 4 && inside == 4);
    changes: cover(io_change_valid && io_change_ready && consumed != 0);
  end
end
