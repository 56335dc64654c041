package hivemind.fabric.distil

import hivemind.fabric.{IdBlock, RegisterMap}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.{Apb3, Apb3Config}
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif._
import spinal.lib.bus.regif.AccessType._

/** The registers of a distil engine: who it is, its soft settings, and what it has counted.
  *
  * Settings are staged: they take effect together, when `apply` is written, so a bound of several words is never seen half
  * written. Counters are of 32 bits and wrap.
  */
class DistilRegisters(p: DistilParameters) extends Component {
  val io = new Bundle {
    val bus = slave(Apb3(DistilRegisters.bus))
    val counters = in(DistilCounters())
    val settings = out(UnitSettings(p))

    /** Clears all windows. High for one cycle. */
    val reset = out Bool ()
  }

  private val block = BusInterface(io.bus, SizeMapping(0, DistilRegisters.bytes), regPre = "")

  private val id = new IdBlock(block, "distil", DistilRegisters.code, DistilRegisters.version)

  private val APPLY = block.newReg("what takes effect by a write; reads as 0")
  private val apply = APPLY.field(Bool(), W1P, 0, "1: the staged settings take effect, all in one cycle")
  private val reset = APPLY.field(Bool(), W1P, 0, "1: all windows start anew")
  private val UNIT = block.newReg("the function unit")
  private val enabled = UNIT.field(Bool(), RW, 0, "0: every frame passes through")
  private val keyed = UNIT.field(Bool(), RW, 0, "1: a window for each source address")
  private val op = UNIT.field(UInt(3 bits), RW, 0, "0 forward, 1 counter, 2 average, 3 min, 4 max, 5 filter")
  private val WINDOW = block.newReg("the window")
  private val window = WINDOW.field(UInt(p.windowBits bits), RW, 1, "readings of one summary; 0 counts as 1")

  private val boundWords = DistilRegisters.boundWords(p)
  private def bound(name: String, doc: String): SInt = {
    val words = for (n <- 0 until boundWords) yield {
      val register = block.newReg(s"$doc, bits ${32 * n + 31} to ${32 * n}, with ${p.fractionBits} bits after the point")(SymbolName(s"${name.toUpperCase}_$n"))
      register.field(Bits(32 bits), RW, 0, "two's complement")(SymbolName(s"$name$n"))
    }
    words.reverse.reduce(_ ## _).resize(p.valueBits + 1).asSInt
  }
  private val above = bound("above", "lowest value that the filter forwards")
  private val below = bound("below", "highest value that the filter forwards")

  for ((name, counter) <- io.counters.elements) {
    val register = block.newReg(DistilRegisters.meaning(name))(SymbolName(name.replaceAll("([A-Z])", "_$1").toUpperCase))
    register.field(UInt(32 bits), RO, "counts since the reset, and wraps")(SymbolName(name)) := counter.asInstanceOf[UInt]
  }

  private val staged = UnitSettings(p)
  private val isOp = op <= Op.FILTER.position
  staged.op.assignFromBits(Mux(enabled && isOp, op, U(0)).asBits)
  staged.window := window
  staged.keyed := keyed
  staged.above := above
  staged.below := below
  private val active = Reg(UnitSettings(p))
  active.op.init(Op.FORWARD)
  active.window.init(1)
  active.keyed.init(False)
  active.above.init(0)
  active.below.init(0)
  when(apply)(active := staged)
  io.settings := active
  io.reset := reset

  /** The map of the registers, and the UUID that changes whenever the map does. */
  val map: RegisterMap = id.complete()
}

object DistilRegisters {

  /** Bytes of the register block. */
  val bytes: Int = 256
  val bus: Apb3Config = Apb3Config(addressWidth = 8, dataWidth = 32, useSlaveError = true)
  val version: Int = 2

  /** The engine in its register ENGINE. */
  val code: String = "DSTL"

  /** Words of a bound of the filter, the lowest first. */
  def boundWords(p: DistilParameters): Int = (p.valueBits + 1 + 31) / 32

  private val meaning = Map(
    "frames" -> "frames that the engine has decided",
    "absorbed" -> "readings that ended in a window",
    "summaries" -> "summaries that left",
    "withoutNumber" -> "readings that went on: no number in the payload",
    "outOfRange" -> "readings that went on: their number is not held exactly",
    "sourceTaken" -> "readings that went on: another source holds the place of theirs",
  )
}
