package hivemind.fabric.rpc

import hivemind.fabric.RegisterMap
import hivemind.fabric.net.Identity
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.Apb3
import spinal.lib.bus.amba4.axi.Axi4
import spinal.lib.bus.amba4.axis.Axi4Stream

/** The RPC engine with its registers: what a shell puts between its frames, the memory of its host and its bus. */
class RpcEngine(p: RpcParameters) extends Component {
  val io = new Bundle {
    val input = slave(Axi4Stream(p.stream))
    val output = master(Axi4Stream(p.stream))
    val memory = master(Axi4(p.memory))
    val identity = in(Identity())
    val bus = slave(Apb3(RpcRegisters.bus))
  }
  val rpc = new Rpc(p)
  private val registers = new RpcRegisters(p)
  rpc.io.input << io.input
  io.output << rpc.io.output
  io.memory << rpc.io.memory
  rpc.io.identity := io.identity
  rpc.io.settings := registers.io.settings
  rpc.io.tick := registers.io.tick
  rpc.io.change << registers.io.change
  rpc.io.connection << registers.io.connection
  rpc.io.rxDoorbell << registers.io.rxDoorbell
  rpc.io.txDoorbell << registers.io.txDoorbell
  rpc.io.flow := registers.io.flow
  registers.io.indices := rpc.io.indices
  registers.io.receiving := rpc.io.receiving
  registers.io.sending := rpc.io.sending
  registers.io.counters := rpc.io.counters
  registers.io.bus << io.bus

  /** The documents of the registers. */
  def map: RegisterMap = registers.map
}
