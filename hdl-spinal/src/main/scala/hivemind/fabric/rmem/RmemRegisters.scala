package hivemind.fabric.rmem

import hivemind.fabric.{IdBlock, RegisterMap}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.{Apb3, Apb3Config}
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif._
import spinal.lib.bus.regif.AccessType._

/** The registers of a remote memory engine: who it is, the table of objects, and what it has counted.
  *
  * An object is written into the registers from `NAME_0` to `ACCESS`, and then put into the table by `COMMAND`. The registers
  * of the object are copied by the command, so they may change while it runs. Counters are of 32 bits and wrap.
  */
class RmemRegisters(p: RmemParameters) extends Component {
  val io = new Bundle {
    val bus = slave(Apb3(RmemRegisters.bus))
    val command = master(Stream(TableCommand(p)))
    val outcome = in(TableStatus())
    val objects = in UInt (log2Up(p.sets * p.ways) + 1 bits)
    val counters = in(RmemCounters())
  }
  private val block = BusInterface(io.bus, SizeMapping(0, RmemRegisters.bytes), regPre = "")

  private val id = new IdBlock(block, "rmem", RmemRegisters.code, RmemRegisters.version)

  private val COMMAND = block.newReg("changes the table; ignored while RESULT says busy; reads as 0")
  private val insert = COMMAND.field(Bool(), W1P, 0, "1: puts the object into the table, in the place of one of its name")
  private val remove = COMMAND.field(Bool(), W1P, 0, "1: takes the object of this name out of the table")
  private val clear = COMMAND.field(Bool(), W1P, 0, "1: empties the table")
  private val RESULT = block.newReg("how the latest command ended")
  private val busy = RESULT.field(Bool(), RO, "1: requests from before the command still use the memory, or it runs")
  private val outcome = RESULT.field(UInt(2 bits), RO, "0 done, 1 no object of this name, 2 the set is full, 3 reaches beyond the last address")
  private val OBJECTS = block.newReg("how full the table is")
  OBJECTS.field(UInt(32 bits), RO, "objects of the table")(SymbolName("objects")) := io.objects.resized
  private val LIMITS = block.newReg("hard parameters that clients need")
  LIMITS.field(UInt(16 bits), ROV, p.maxBytes, "most bytes of one request")(SymbolName("maxBytes"))
  LIMITS.field(UInt(16 bits), ROV, p.sets * p.ways, "entries of the table")(SymbolName("places"))

  private def word(name: String, doc: String, width: Int = 32): Bits =
    block.newReg(doc)(SymbolName(name)).field(Bits(width bits), RW, 0, doc)(SymbolName(name.toLowerCase))
  private val name0 = word("NAME_0", "name of the object, bits 31 to 0")
  private val name1 = word("NAME_1", "name of the object, bits 63 to 32")
  private val base0 = word("BASE_0", s"address of its first byte, bits 31 to 0; the lowest ${p.laneBits} count as 0")
  private val base1 = word("BASE_1", "address of its first byte, bits 63 to 32")
  private val size = word("SIZE", "its size in bytes")
  private val ACCESS = block.newReg("who may use the object; bit n of a field is for requesters of class n")
  private val readers = ACCESS.field(Bits(8 bits), RW, 0, "may read")
  private val writers = ACCESS.field(Bits(8 bits), RW, 0, "may write")

  for ((name, counter) <- io.counters.elements) {
    val register = block.newReg(RmemRegisters.meaning(name))(SymbolName(name.replaceAll("([A-Z])", "_$1").toUpperCase))
    register.field(UInt(32 bits), RO, "counts since the reset, and wraps")(SymbolName(name)) := counter.asInstanceOf[UInt]
  }

  private val command = Reg(TableCommand(p))
  private val isBusy = RegInit(False)
  private val latest = RegInit(TableStatus.DONE)
  private val isFar = Reg(Bool())
  private val isAsked = insert || remove || clear
  busy := isBusy || isAsked
  outcome := latest.asBits.asUInt
  when(!isBusy && isAsked) {
    isBusy := True
    command.operation := Mux(insert, TableOperation.INSERT(), Mux(remove, TableOperation.REMOVE(), TableOperation.CLEAR()))
    command.entry.isUsed := True
    command.entry.objectName := name1 ## name0
    command.entry.base := (base1 ## base0)(p.addressBits - 1 downto p.laneBits).asUInt
    command.entry.size := size.asUInt
    command.entry.readers := readers.resized
    command.entry.writers := writers.resized
    isFar := insert && (base1 ## base0)(63 downto p.addressBits) =/= 0
  }
  io.command.valid := isBusy && !isFar
  io.command.payload := command
  when(io.command.fire) {
    isBusy := False
    latest := io.outcome
  }
  when(isBusy && isFar) {
    isBusy := False
    latest := TableStatus.BAD_RANGE
  }

  /** The map of the registers, and the UUID that changes whenever the map does. */
  val map: RegisterMap = id.complete()
}

object RmemRegisters {

  /** Bytes of the register block. */
  val bytes: Int = 256
  val bus: Apb3Config = Apb3Config(addressWidth = 8, dataWidth = 32, useSlaveError = true)
  val version: Int = 1

  /** The engine in its register ENGINE. */
  val code: String = "RMEM"

  private val meaning = Map(
    "reads" -> "reads that were done",
    "writes" -> "writes that were done",
    "malformed" -> "messages refused: no request of this protocol, or its data is not of the stated length",
    "tooLong" -> "requests refused: more bytes than one request may have",
    "unknownName" -> "requests refused: no object of this name",
    "notPermitted" -> "requests refused: the class of the requester may not do that",
    "outOfBounds" -> "requests refused: they reach beyond the object",
    "memoryErrors" -> "requests that the memory answered with an error",
  )
}
