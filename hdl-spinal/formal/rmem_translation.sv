// Translation, as a part of its module, with the table cut away and the stages of its judgement free (they may hold anything):
// one access leaves for each request, in order; what is written into the table fits into the address space, is what was asked
// for, and is written only while no request is on its way. rmem_bounds.sv shows what the judgement is.
localparam REQUEST = 176;
reg past = 0;
wire moves = !io_accesses_valid || io_accesses_ready;
wire comes = io_requests_valid && io_requests_ready;
wire looks_up = flow_stateReg == flow_lookUp;

// what entered, stage by stage
reg [5:0] v = 0, c = 0;
reg [REQUEST-1:0] r0, r1, r2, r3, r4, r5;
wire [REQUEST-1:0] entering = {io_requests_payload_status, io_requests_payload_isWrite, io_requests_payload_echo_operation,
  io_requests_payload_echo_requester, io_requests_payload_echo_tag, looks_up ? io_command_payload_entry_objectName : io_requests_payload_objectName,
  io_requests_payload_offset, io_requests_payload_isFar, io_requests_payload_length, io_requests_payload_requesterClass};
`define PASSING(n) {passing_``n``_request_status, passing_``n``_request_isWrite, passing_``n``_request_echo_operation, \
  passing_``n``_request_echo_requester, passing_``n``_request_echo_tag, passing_``n``_request_objectName, \
  passing_``n``_request_offset, passing_``n``_request_isFar, passing_``n``_request_length, passing_``n``_request_requesterClass}

wire [3:0] writes = {writes_3, writes_2, writes_1, writes_0};
reg [1:0] waited = 0;

// the object of the command, one and two cycles ago
wire [59:0] object_0 = {io_command_payload_entry_base, io_command_payload_entry_size};
reg [59:0] object_1, object_2;
function [48:0] end_of(input [59:0] object);
  end_of = {17'd0, object[59:32], 4'd0} + {17'd0, object[31:0]};
endfunction

always @(posedge clk) begin
  past <= 1;
  object_1 <= object_0;
  object_2 <= object_1;
  assume(reset == !past);
  if (reset) begin v <= 0; c <= 0; waited <= 0; end
  else begin
    if ($past(!reset && io_requests_valid && !io_requests_ready)) assume(io_requests_valid && $stable(entering));
    if ($past(!reset && io_command_valid && !io_command_ready))
      assume(io_command_valid && $stable({io_command_payload_operation, io_command_payload_entry_objectName, io_command_payload_entry_base, io_command_payload_entry_size}));
    if (io_command_valid) assume(io_command_payload_operation <= TableOperation_CLEAR);
    if (moves) begin
      v <= {v[4:0], comes};
      c <= {c[4:0], looks_up};
      r0 <= entering; r1 <= r0; r2 <= r1; r3 <= r2; r4 <= r3; r5 <= r4;
    end
    waited <= io_command_valid && !io_command_ready ? (waited == 3 ? 3 : waited + 1) : 0;

    one_each: assert(io_accesses_valid == v[5]);
    if (io_accesses_valid) begin
      same_request: assert({io_accesses_payload_isWrite, io_accesses_payload_echo_operation, io_accesses_payload_echo_requester,
        io_accesses_payload_echo_tag, io_accesses_payload_length} == {r5[172:116], r5[18:8]});
      has_data: assert(io_accesses_payload_hasData == (r5[172] && r5[175:173] == Status_OK));
    end
    if ($past(!reset && io_accesses_valid && !io_accesses_ready)) begin
      stays: assert(io_accesses_valid && $stable({io_accesses_payload_isWrite, io_accesses_payload_hasData, io_accesses_payload_echo_operation,
        io_accesses_payload_echo_requester, io_accesses_payload_echo_tag, io_accesses_payload_length}));
    end
    if (writes != 0) begin
      alone: assert(v == 0);
      fitting: assert(!written_isUsed || ({written_base, written_size} == object_2 && end_of(object_2) <= 49'h100000000));
      asked: assert(flow_stateReg == flow_sweep || (io_command_ready && (writes & (writes - 1)) == 0
        && written_isUsed == (io_command_payload_operation == TableOperation_INSERT) && {written_objectName, written_base, written_size, written_readers, written_writers} == {io_command_payload_entry_objectName, io_command_payload_entry_base,
          io_command_payload_entry_size, io_command_payload_entry_readers, io_command_payload_entry_writers}));
    end
    if (flow_stateReg == flow_drain && flow_stateNext != flow_drain) begin quiet: assert(io_isQuiet && v == 0); end

    // how the stages follow from what entered, for induction
    assert({valids_5, valids_4, valids_3, valids_2, valids_1, valids_0} == (v | c) && (v & c) == 0);
    if (v[0] || c[0]) assert(passing_0_isCommand == c[0] && `PASSING(0) == r0);
    if (v[1] || c[1]) assert(passing_1_isCommand == c[1] && `PASSING(1) == r1);
    if (v[2] || c[2]) assert(passing_2_isCommand == c[2] && `PASSING(2) == r2);
    if (v[3] || c[3]) assert(passing_3_isCommand == c[3] && `PASSING(3) == r3);
    if (v[4] || c[4]) assert(passing_4_isCommand == c[4] && `PASSING(4) == r4);
    if (v[5] || c[5]) assert(passing_5_isCommand == c[5] && `PASSING(5) == r5);
    // how the command follows from the state, for induction
    assert(flow_stateReg <= flow_change);
    assert(flow_stateReg == flow_change ? v == 0 && c != 0 && (c & (c - 1)) == 0 : c == 0);
    if (flow_stateReg == flow_sweep || flow_stateReg == flow_BOOT || flow_stateReg == flow_lookUp) assert(v == 0);
    if (flow_stateReg >= flow_drain) assert(waited >= 1 && io_command_valid);
    if (flow_stateReg >= flow_lookUp) assert(waited >= 2 && io_command_payload_operation != TableOperation_CLEAR);
    if (flow_stateReg == flow_change) assert(waited == 3);
    assert(objectEnd == end_of(object_1));
    if (waited >= 2) assert(object_2 == object_0 && isRangeGood == (end_of(object_2) <= 49'h100000000));
    if (waited >= 1) assert(object_1 == object_0);
    passes: cover(io_accesses_valid && io_accesses_ready && v[4]);
    inserts: cover(io_command_ready && writes != 0 && written_isUsed);
  end
end
