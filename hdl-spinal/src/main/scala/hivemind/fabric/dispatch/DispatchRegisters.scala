package hivemind.fabric.dispatch

import hivemind.fabric.{IdBlock, RegisterMap}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.{Apb3, Apb3Config}
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif._
import spinal.lib.bus.regif.AccessType._

/** The registers of a dispatch engine: who it is, its soft settings, a port to its tables, and what it has counted.
  *
  * Settings are staged: they take effect together, when `apply` is written. A row of a table is written at once, so a set of
  * workers is never seen half changed. Counters are of 32 bits and wrap.
  */
class DispatchRegisters(p: DispatchParameters) extends Component {
  val io = new Bundle {
    val bus = slave(Apb3(DispatchRegisters.bus))
    val counters = in(DispatchCounters())
    val isReady = in Bool ()
    val settings = out(DispatchSettings())
    val host = master(Stream(TableWrite()))
  }

  private val block = BusInterface(io.bus, SizeMapping(0, DispatchRegisters.bytes), regPre = "")

  private val id = new IdBlock(block, "dispatch", DispatchRegisters.code, DispatchRegisters.version)

  private val APPLY = block.newReg("what takes effect by a write; reads as 0")
  private val apply = APPLY.field(Bool(), W1P, 0, "1: the staged settings take effect, all in one cycle")
  private val DISPATCH = block.newReg("the dispatcher")
  private val enabled = DISPATCH.field(Bool(), RW, 0, "0: every request goes to the slow path")
  private val balancer = DISPATCH.field(UInt(2 bits), RW, 0, "0 round robin, 1 random, 2 least loaded, 3 hash of the key")
  private val TIMEOUT = block.newReg("when a request in flight counts as lost")
  private val timeout = TIMEOUT.field(UInt(15 bits), RW, 0, s"ticks of ${p.tickCycles} cycles; 0: never")
  private val RETRIES = block.newReg("how often a request that timed out is dispatched again")
  private val retries = RETRIES.field(UInt(4 bits), RW, 0, "0: it goes to the slow path at once")

  private val data = for (n <- 0 until TableWrite.words) yield {
    val register = block.newReg(s"the row to write, bits ${32 * n + 31} to ${32 * n}")(SymbolName(s"ROW_$n"))
    register.field(Bits(32 bits), RW, 0, "a row of the table")(SymbolName(s"row$n"))
  }
  private val PLACE = block.newReg("where the row goes")
  private val address = PLACE.field(UInt(16 bits), RW, 0, "which row of the table")
  private val table = PLACE.field(UInt(2 bits), RW, 0, "0 match, 1 workflow, 2 parents of a task, 3 children of a task")
  private val COMMIT = block.newReg("writes the row; reads as 0")
  private val commit = COMMIT.field(Bool(), W1P, 0, "1: the row is written, within five cycles")
  private val STATUS = block.newReg("whether the tables take rows")
  private val ready = STATUS.field(Bool(), RO, "1: the tables are cleared, and requests are taken")
  private val busy = STATUS.field(Bool(), RO, "1: a row is being written")
  private val overrun = STATUS.field(Bool(), RO, "1: a commit came while a row was being written, and was dropped; stays until the reset")
  ready := io.isReady

  for ((name, counter) <- io.counters.elements) {
    val register = block.newReg(DispatchRegisters.meaning(name))(SymbolName(name.replaceAll("([A-Z])", "_$1").toUpperCase))
    register.field(UInt(32 bits), RO, "counts since the reset, and wraps")(SymbolName(name)) := RegNext(counter.asInstanceOf[UInt])
  }

  private val active = Reg(DispatchSettings())
  active.enabled.init(False)
  active.balancer.init(Balancer.ROUND_ROBIN)
  active.timeout.init(0)
  active.retries.init(0)
  when(apply) {
    active.enabled := enabled
    active.balancer.assignFromBits(balancer.asBits)
    active.timeout := timeout
    active.retries := retries
  }
  io.settings := active

  private val isWriting, isOverrun = RegInit(False)
  private val write = Reg(TableWrite())
  when(io.host.fire)(isWriting := False)
  when(commit) {
    when(isWriting)(isOverrun := True) otherwise {
      isWriting := True
      write.table.assignFromBits(table.asBits)
      write.address := address
      write.data := Cat(data)
    }
  }
  busy := isWriting
  overrun := isOverrun
  io.host.valid := isWriting
  io.host.payload := write

  /** The map of the registers, and the UUID that changes whenever the map does. */
  val map: RegisterMap = id.complete()
}

object DispatchRegisters {

  /** Bytes of the register block. */
  val bytes: Int = 256
  val bus: Apb3Config = Apb3Config(addressWidth = 8, dataWidth = 32, useSlaveError = true)
  val version: Int = 1

  /** The engine in its register ENGINE. */
  val code: String = "DISP"

  private val meaning = Map(
    "requests" -> "messages that came as requests",
    "completions" -> "messages that came as completions",
    "dispatched" -> "requests that went to workers, each time they did",
    "retried" -> "requests that timed out and were tried again",
    "stale" -> "completions that came too late and were ignored",
    "started" -> "workflows that began",
    "finished" -> "workflows whose tasks are all done",
    "abandoned" -> "workflows that the host gave up",
    "results" -> "calls that are done",
    "malformed" -> "slow path: no message that belongs here",
    "disabled" -> "slow path: the engine is switched off",
    "withoutWorker" -> "slow path: no worker has the function",
    "tableFull" -> "slow path: the in-flight table is full",
    "exhausted" -> "slow path: timed out, and the retries are used up",
    "withoutWorkflow" -> "slow path: the workflow is not loaded",
    "invocationsFull" -> "slow path: the table of invocations is full",
  )
}
