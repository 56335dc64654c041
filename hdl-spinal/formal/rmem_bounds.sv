// Translation, as a part of its module, with the memories of the table cut away (they may hold anything that can be written
// into them): each access has the status that its entry gives, and an access that is OK lies within its object,
// [base, base + size), without wrap-around. rmem_translation.sv shows that the stages carry the requests that came.
localparam WAYS = 4, ENTRY = 133;
reg past = 0;
wire moves = !io_accesses_valid || io_accesses_ready;
`define HELD(w) {entries3_``w``_isUsed, entries3_``w``_objectName, entries3_``w``_base, entries3_``w``_size, entries3_``w``_readers, entries3_``w``_writers}

// the entry of the access, as it was selected, and the end of its request
wire [ENTRY-1:0] found = {found_isUsed, found_objectName, found_base, found_size, found_readers, found_writers};
reg [ENTRY-1:0] f5;
reg [32:0] end5;
wire [31:0] base5 = {f5[67:40], 4'd0};
wire [32:0] size5 = {1'b0, f5[39:8]};
wire [3:0] may5 = passing_5_request_isWrite ? f5[3:0] : f5[7:4];
wire allowed5 = passing_5_request_requesterClass < 4 && may5[passing_5_request_requesterClass[1:0]];
wire inside5 = end5 <= size5 && !passing_5_request_isFar;
wire [2:0] status5 = passing_5_request_status != Status_OK ? passing_5_request_status : !isFound5 ? Status_UNKNOWN_NAME
  : !allowed5 ? Status_NOT_PERMITTED : !inside5 ? Status_OUT_OF_BOUNDS : Status_OK;
wire granted = io_accesses_valid && io_accesses_payload_status == Status_OK;

always @(posedge clk) begin
  past <= 1;
  assume(reset == !past);
  if (!reset) begin
    // what is selected was read from the table; rmem_translation.sv shows that only what fits is written there
    assume({1'b0, base5} + size5 <= 33'h100000000);
    if (moves) begin f5 <= found; end5 <= end4; end
    if (io_accesses_valid) begin
      judged: assert(io_accesses_payload_status == status5);
    end
    if (granted) begin
      by_its_name: assert(isFound5 && f5[132] && f5[131:68] == passing_5_request_objectName);
      ends_inside: assert({1'b0, passing_5_request_offset} + io_accesses_payload_length <= size5);
      at_offset: assert(io_accesses_payload_address == base5 + passing_5_request_offset);
      within_object: assert({1'b0, io_accesses_payload_address} + io_accesses_payload_length <= {1'b0, base5} + size5);
      if (io_accesses_payload_length != 0) begin from_base: assert(io_accesses_payload_address >= base5); end
    end

    // how the stages follow from each other, for induction
    if (valids_3) assert((!hits[0] || (entries3_0_isUsed && entries3_0_objectName == passing_3_request_objectName))
      && (!hits[1] || (entries3_1_isUsed && entries3_1_objectName == passing_3_request_objectName))
      && (!hits[2] || (entries3_2_isUsed && entries3_2_objectName == passing_3_request_objectName))
      && (!hits[3] || (entries3_3_isUsed && entries3_3_objectName == passing_3_request_objectName)));
    if (valids_3) assert(end3 == {1'b0, passing_3_request_offset} + passing_3_request_length);
    if (valids_4) assert(end4 == {1'b0, passing_4_request_offset} + passing_4_request_length);
    if (valids_4 && isFound) assert(found_isUsed && found_objectName == passing_4_request_objectName);
    if (valids_5) assert(end5 == {1'b0, passing_5_request_offset} + passing_5_request_length);
    if (valids_5 && isFound5) assert(f5[132] && f5[131:68] == passing_5_request_objectName);
    if (valids_5) assert(isAllowed == allowed5 && isInside == inside5 && address == base5 + passing_5_request_offset);
    grants: cover(granted && io_accesses_payload_length != 0);
    refuses: cover(io_accesses_valid && io_accesses_payload_status == Status_OUT_OF_BOUNDS);
  end
end
