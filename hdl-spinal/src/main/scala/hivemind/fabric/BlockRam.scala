package hivemind.fabric

import spinal.core._
import spinal.lib._

/** Memories that are to be in block RAM although they have few rows. Synthesis puts such ones into LUTs by itself, at six logic
  * cells for 16 rows of four bits.
  */
object BlockRam {

  /** The same memory, in block RAM. All its ports to read must be synchronous. */
  def apply[T <: Data](memory: Mem[T]): Mem[T] = memory.addAttribute("ram_style", "block")

  /** A queue in block RAM. What leaves it comes late in its cycle: it should go into a register, through little logic. */
  def queue[T <: Data](item: HardType[T], depth: Int): StreamFifo[T] = {
    val queue = StreamFifo(item, depth)
    apply(queue.logic.ram)
    queue
  }
}
