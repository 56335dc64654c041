// StreamFifo, as a part of its module: what is pushed n-th is popped n-th, unchanged; DEPTH fit in; the pop side keeps the
// stream protocol. `choose` picks any one item to be followed on its way.
// With ROOM, the stated availability is true as well.
// PUSH and POP: the payloads; BITS: their width; DEPTH: capacity; ADDRESS: bits of an address.
reg past = 0, followed = 0, gone = 0;
reg [`BITS-1:0] item;
reg [8:0] ahead = 0, count = 0;
(* anyseq *) wire choose;
wire pushed = io_push_valid && io_push_ready;
wire popped = io_pop_valid && io_pop_ready;
wire [8:0] oldest = logic_pop_sync_popReg[`ADDRESS-1:0];
wire [8:0] free = oldest + count >= `DEPTH ? oldest + count - `DEPTH : oldest + count;
wire [8:0] unread = oldest + logic_pop_addressGen_rValid >= `DEPTH ? 0 : oldest + logic_pop_addressGen_rValid;
wire [8:0] place = oldest + ahead >= `DEPTH ? oldest + ahead - `DEPTH : oldest + ahead;
always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  assume(!io_flush);
  if (!reset) begin
    count <= count + pushed - popped;
    if (pushed && choose && !followed) begin
      followed <= 1;
      item <= `PUSH;
      ahead <= count - popped;
    end else if (followed && !gone && popped) begin
      if (ahead == 0) gone <= 1; else ahead <= ahead - 1;
    end
    capacity: assert(count <= `DEPTH && io_push_ready == (count < `DEPTH));
`ifdef ROOM
    room: assert(io_availability == `DEPTH - count);
`endif
    not_invented: assert(!io_pop_valid || count != 0);
    if ($past(!reset && io_pop_valid && !io_pop_ready)) begin
      stays: assert(io_pop_valid && $stable(`POP));
    end
    if (followed && !gone) begin
      not_lost: assert(ahead < count);
      if (ahead == 0 && io_pop_valid) begin in_order: assert(`POP == item); end
      // how the item is kept, for induction
      if (ahead == 0 && logic_pop_addressGen_rValid) assert(logic_ram_spinal_port1 == item);
      else assert(logic_ram[place] == item);
    end
    // how the pointers follow from the count, for induction
    if (!logic_pop_addressGen_rValid) assert(count <= 1);
    else assert(count != 0);
`ifdef POWER_OF_TWO
    assert(logic_ptr_push - logic_pop_sync_popReg == count[`ADDRESS:0]);
    assert(logic_ptr_pop - logic_pop_sync_popReg == logic_pop_addressGen_rValid);
`else
    assert(oldest < `DEPTH && logic_ptr_push == free && logic_ptr_pop == unread);
    if (count == logic_pop_addressGen_rValid) assert(!logic_ptr_wentUp);
    if (count == `DEPTH) assert(logic_ptr_wentUp);
`endif
    passed: cover(gone);
    waited: cover(followed && ahead == (`DEPTH > 2 ? 2 : 1));
  end
end
