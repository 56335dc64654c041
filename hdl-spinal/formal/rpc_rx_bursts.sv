// RxRing, as a part of its module: each burst has from 1 to the most lines of a batch, all of which wait, and lies within the ring
// and within a page; a ring that takes no line any more is drained. That it changes only while it is empty: rpc_rx_ring.sv.
reg past = 0;
wire [7:0] bound_now = {1'b0, mask} & 8'd63;
wire takes = io_take && io_isDue;
wire [7:0] last_slot = (issued & bound_now) + count - 8'd1;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (!reset) begin
    assume(io_batch >= 1 && io_batch <= 4);
    assume(io_change_payload_log <= 7);
    assume(load != 0 || waiting == 0);
    assume(waiting <= 8);
    if (takes) begin
      some: assert(count != 0 && count <= 4 && count <= waiting);
      within_ring_and_page: assert(last_slot <= bound_now && io_index == issued && io_count == count);
    end
    if ($past(!reset && waiting != 0 && !io_isUsable && !(io_take && io_isDue))) begin closed_is_drained: assert(io_isDue); end
    if ($past(!reset && waiting != 0 && waiting >= io_batch && !(io_take && io_isDue))) begin batch_is_due: assert(io_isDue); end
    // how the size of a burst follows, for induction
    assert(size != 0 && (size & (size - 8'd1)) == 0 && size <= 128);
    if (io_isDue) assert(count != 0 && count <= 4 && count <= waiting && last_slot <= bound_now);
    is_cut: cover(takes && count < io_batch && $stable(io_batch) && last_slot == bound_now);
    whole_batch: cover(takes && count == 4);
  end
end
