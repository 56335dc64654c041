package hivemind.fabric.dispatch

import spinal.core._

/** The engine with its registers between a few pins, to place and route it alone. A shift register drives every input, and
  * every output ends in a register, so that each path of the engine counts and none of the pins.
  */
class DispatchPins(p: DispatchParameters) extends Component {
  val io = new Bundle {
    val input = in Bool ()
    val output = out Bool ()
  }
  private val block = new DispatchBlock(p)
  private val ports = block.getAllIo.toSeq
  private var shifted = RegNext(io.input)
  for (port <- ports if port.isInput; bits = port.asInstanceOf[BaseType]) {
    val chain = Reg(Bits(bits.getBitsWidth bits))
    chain := (chain ## shifted).resized
    bits.assignFromBits(chain)
    shifted = chain.msb
  }
  private def fold(bits: Seq[Bool]): Bool =
    if (bits.size == 1) bits.head else fold(bits.grouped(4).map(part => RegNext(part.reduce(_ ^ _))).toSeq)
  io.output := fold(ports.filter(_.isOutput).flatMap(port => RegNext(port.asBits).asBools))
}
