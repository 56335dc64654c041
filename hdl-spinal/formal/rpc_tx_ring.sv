// TxRing, as a part of its module: no line is fetched that the host has not produced, and none counts as read that has not
// come, so the host writes over no line that is still to be read. A doorbell beyond the room of the ring changes nothing; each
// burst lies within the ring and within a page; the ring changes only while it is empty.
reg past = 0;
reg [7:0] rung;      // what the doorbell said last
wire [7:0] d_issued = issued - consumed, d_produced = produced - consumed;
wire [7:0] bound_now = {1'b0, mask} & 8'd63;
wire takes = io_take && io_isDue;
wire [7:0] last_slot = (issued & bound_now) + count - 8'd1;
always @(posedge clk) begin
  past <= 1;
  rung <= io_doorbell_payload;
  assume(reset == !past);
  if (!reset) begin
    assume(io_batch >= 1 && io_batch <= 4);
    assume(io_change_payload_log <= 7);
    if ($past(!reset && io_change_valid && !io_change_ready)) assume(io_change_valid && $stable({io_change_payload_base, io_change_payload_log}));
    // lines come after they were issued
    if (io_done) assume(d_issued != 0);

    no_overrun: assert(d_issued <= d_produced && d_produced <= size);
    host_sees: assert(io_produced == produced && io_consumed == consumed);
    if (takes) begin
      some: assert(count != 0 && count <= 4 && count <= waiting);
      within_ring_and_page: assert(last_slot <= bound_now && io_index == issued && io_count == count);
    end
    if ($past(!reset && io_change_valid && io_change_ready)) begin
      changes_empty: assert($past(d_produced) == 0 && d_produced == 0);
    end else if ($past(!reset)) begin
      only_then: assert($stable(size) && $stable(base));
    end
    if ($past(!reset) && produced != $past(produced)) begin by_doorbell: assert($past(isRung) && produced == $past(rung)); end
    if (isRung) begin heard: assert($past(io_doorbell_valid && isSet && !io_change_valid)); end
    if ($past(!reset && isRung) && produced == $past(produced)) begin
      refused: assert($past(io_isRefused) || $past(delta) == 0);
    end
    if ($past(!reset && waiting != 0 && !(io_take && io_isDue))) begin is_due: assert(io_isDue); end

    // how the counts follow from the indices, for induction
    assert(used == d_produced && waiting == (produced - issued));
    assert(size != 0 && (size & (size - 8'd1)) == 0 && size <= 128);
    if (isRung) assert(free <= size - used && delta == (rung - produced));
    if (io_isDue) assert(count != 0 && count <= 4 && count <= waiting && last_slot <= bound_now);
    fills: cover(size == 8 && d_produced == 8);
    changes: cover(io_change_valid && io_change_ready && consumed != 0);
  end
end
