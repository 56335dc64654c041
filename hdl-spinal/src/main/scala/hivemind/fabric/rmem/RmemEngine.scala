package hivemind.fabric.rmem

import hivemind.fabric.RegisterMap
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.Apb3
import spinal.lib.bus.amba4.axi.Axi4
import spinal.lib.bus.amba4.axis.Axi4Stream

/** Remote memory with its registers: what a shell puts between its streams, its memory and its bus. */
class RmemEngine(p: RmemParameters) extends Component {
  val io = new Bundle {
    val input = slave(Axi4Stream(p.stream))
    val output = master(Axi4Stream(p.stream))
    val memory = master(Axi4(p.memory))
    val bus = slave(Apb3(RmemRegisters.bus))
  }
  val rmem = new Rmem(p)
  private val registers = new RmemRegisters(p)
  rmem.io.input << io.input
  io.output << rmem.io.output
  io.memory << rmem.io.memory
  rmem.io.command << registers.io.command
  registers.io.outcome := rmem.io.outcome
  registers.io.objects := rmem.io.objects
  registers.io.counters := rmem.io.counters
  registers.io.bus << io.bus

  /** The documents of the registers. */
  def map: RegisterMap = registers.map
}
