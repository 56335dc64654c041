// Proof of Egress: every frame leaves as its verdict says, once, in order; the output keeps the stream protocol.
module egress_proof (
  input clk, input reset,
  input fv, input [127:0] fd, input [15:0] fk, input fl,
  input vv, input [1:0] v,
  input sv, input [127:0] sd, input [15:0] sk, input sl,
  input ordy
);
  wire fr, vr, sr, ov, ol; wire [127:0] od; wire [15:0] ok;
  Egress dut(.clk(clk), .reset(reset),
    .io_frames_valid(fv), .io_frames_ready(fr), .io_frames_payload_data(fd), .io_frames_payload_keep(fk), .io_frames_payload_last(fl),
    .io_verdicts_valid(vv), .io_verdicts_ready(vr), .io_verdicts_payload(v),
    .io_summaries_valid(sv), .io_summaries_ready(sr), .io_summaries_payload_data(sd), .io_summaries_payload_keep(sk), .io_summaries_payload_last(sl),
    .io_output_valid(ov), .io_output_ready(ordy), .io_output_payload_data(od), .io_output_payload_keep(ok), .io_output_payload_last(ol));
  reg past = 0, in_summary = 0, mid_frame = 0;
  (* keep *) wire [1:0] st;
  always @(posedge clk) past <= 1;
  wire pass = v == 0, of = ov && ordy, ff = fv && fr, sf = sv && sr, vf = vv && vr;
  always @(posedge clk) begin
    if (!past) assume(reset); else assume(!reset);
    assume(v != 3);
    if (past && !$past(reset)) begin
      if ($past(fv && !fr)) assume(fv && $stable({fd, fk, fl}));
      if ($past(vv && !vr)) assume(vv && $stable(v));
      if ($past(sv && !sr)) assume(sv && $stable({sd, sk, sl}));
      if ($past(ov && !ordy)) begin
        stays: assert(ov && $stable({od, ok, ol}));
      end
    end
    if (reset) in_summary <= 0;
    if (!reset) begin
      state_agrees: assert(st == 2 ? in_summary : !in_summary);
      state_legal: assert(st != 3);
      if (in_summary) begin
        verdict_waits: assert(vv && v == 2);
        summary_alone: assert(!ff && of == sf);
        summary_ends: assert(vf == (sf && sl));
        if (of) begin summary_bytes: assert({od, ok, ol} == {sd, sk, sl}); end
      end else begin
        frame_alone: assert(!sf);
        frame_passes: assert(of == (ff && pass));
        if (ff) begin verdict_first: assert(vv); end
        verdict_once: assert(vf == (ff && fl && v != 2));
        if (of) begin frame_bytes: assert({od, ok, ol} == {fd, fk, fl}); end
      end
      if (!in_summary && ff && fl && v == 2) in_summary <= 1;
      else if (in_summary && sf && sl) in_summary <= 0;
      summary_reached: cover(in_summary && of && ol);
      pass_reached: cover(!in_summary && of && ol);
    end
  end
endmodule
