package hivemind.fabric.rpc

import spinal.core._

/** Values of all flows in small memories, which take a fraction of what registers with their multiplexers take. Each has one owner that
  * writes it; it is read in the cycle in which it is asked for, by as many as like. All hold 0 when `isReady`, some cycles after the reset.
  */
class FlowTables(p: RpcParameters) extends Area {
  private val swept = Reg(UInt(p.flowBits + 1 bits)) init 0
  val isReady: Bool = swept.msb
  when(!isReady)(swept := swept + 1)

  def table(width: Int): Mem[UInt] = Mem(UInt(width bits), p.flows)
  def indices(): Mem[UInt] = table(p.indexBits)
  def write(table: Mem[UInt], valid: Bool, flow: UInt, value: UInt): Unit = table.write(
    Mux(isReady, flow, swept.resize(p.flowBits)),
    Mux(isReady, value, U(0, table.width bits)),
    valid || !isReady,
  )
}
