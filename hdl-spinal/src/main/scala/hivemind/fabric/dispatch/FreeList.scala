package hivemind.fabric.dispatch

import spinal.core._
import spinal.lib._

/** The free places of a table. After a reset the sweep frees all of them. */
class FreeList[T <: Data](item: HardType[T], rows: Int, p: DispatchParameters, initial: UInt => T) extends Component {
  val io = new Bundle {
    val sweep = in(Sweep(p))
    val give = slave(Flow(item()))
    val take = master(Stream(item()))
  }
  private val queue = StreamFifo(item(), rows)
  queue.io.push.valid := io.sweep.covers(rows) || io.give.valid
  queue.io.push.payload := Mux(io.sweep.isActive, initial(io.sweep.row.resize(log2Up(rows))), io.give.payload)
  io.take << queue.io.pop
}
