package hivemind.fabric.dispatch

import hivemind.fabric.RegisterMap
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.Apb3
import spinal.lib.bus.amba4.axis.Axi4Stream

/** The engine dispatch with its registers. */
class DispatchBlock(p: DispatchParameters) extends Component {
  val io = new Bundle {
    val requests, completions = slave(Axi4Stream(p.stream))
    val dispatched, results, slow = master(Axi4Stream(p.stream))
    val bus = slave(Apb3(DispatchRegisters.bus))
  }
  private val engine = new Dispatch(p)
  private val registers = new DispatchRegisters(p)
  engine.io.requests << io.requests
  engine.io.completions << io.completions
  io.dispatched << engine.io.dispatched
  io.results << engine.io.results
  io.slow << engine.io.slow
  engine.io.settings := registers.io.settings
  engine.io.host << registers.io.host
  registers.io.counters := engine.io.counters
  registers.io.isReady := engine.io.isReady
  registers.io.bus << io.bus

  /** The documents of the registers. */
  def map: RegisterMap = registers.map
}
