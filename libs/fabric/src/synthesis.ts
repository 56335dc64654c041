/**
 * What Yosys does with the Verilog of a module, `TOP.v`, to make `netlist.json` of it.
 *
 * `-no-rw-check`: reading a row of a memory in the cycle in which it is written gives anything. The generator's memories are used so,
 * and its simulations give junk in that case; else Yosys builds comparators and bypasses around each block RAM.
 * `abc9 -W 500`: a wire between two LUTs counts as 500 ps, nearer to what it takes in a full device than the 300 ps of synth_ecp5.
 */
export function synthesisOf(top: string): string {
  const synth = `synth_ecp5 -no-rw-check -top ${top}`
  return [
    `read_verilog -sv ${top}.v`,
    `${synth} -run :map_luts`,
    'techmap -map +/lattice/latches_map.v',
    'abc9 -W 500',
    'clean',
    `${synth} -run map_cells: -json netlist.json`,
  ].join('; ')
}
