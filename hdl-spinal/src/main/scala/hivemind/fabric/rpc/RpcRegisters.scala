package hivemind.fabric.rpc

import hivemind.fabric.{IdBlock, RegisterMap}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.{Apb3, Apb3Config}
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif._
import spinal.lib.bus.regif.AccessType._

/** The indices of the rings of one flow. */
case class FlowIndices(p: RpcParameters) extends Bundle {
  val written, consumed, produced, fetched = UInt(p.indexBits bits)
}

/** The registers of an RPC engine: who it is, its soft settings, the rings, the connection table, the doorbells, and what it has counted.
  *
  * Each setting takes effect with the write of its register. A ring or a row of the connection table is written into its registers and
  * put into effect by `COMMAND`; the registers are copied by the command, so they may change while it runs. Counters are of 32 bits and wrap.
  */
class RpcRegisters(p: RpcParameters) extends Component {
  val io = new Bundle {
    val bus = slave(Apb3(RpcRegisters.bus))
    val settings = out(RpcSettings(p))

    /** Once in `flush` cycles. */
    val tick = out Bool ()
    val change = master(Stream(RingChange(p)))
    val connection = master(Stream(ConnectionWrite(p)))
    val rxDoorbell, txDoorbell = master(Flow(Doorbell(p)))

    /** The flow whose indices are read. */
    val flow = out UInt (p.flowBits bits)
    val indices = in(FlowIndices(p))

    /** Flows with lines that are not yet in their receive ring, and with lines that are not yet fetched. */
    val receiving, sending = in Bits (p.flows bits)
    val counters = in(RpcCounters())
  }
  private val block = BusInterface(io.bus, SizeMapping(0, RpcRegisters.bytes), regPre = "")
  private val id = new IdBlock(block, "rpc", RpcRegisters.code, RpcRegisters.version)

  private val LIMITS = block.newReg("hard parameters that hosts need")
  LIMITS.field(UInt(8 bits), ROV, p.flows, "flows")(SymbolName("flows"))
  LIMITS.field(UInt(8 bits), ROV, p.maxBatch, "most lines of a batch")(SymbolName("maxBatch"))
  LIMITS.field(UInt(8 bits), ROV, p.indexBits - 1, "logarithm of the most lines of a ring")(SymbolName("maxRing"))
  LIMITS.field(UInt(8 bits), ROV, p.connectionBits, "logarithm of the rows of the connection table")(SymbolName("maxConnections"))
  private val BALANCE = block.newReg("which flow a request goes to")
  private val scheme = BALANCE.field(UInt(2 bits), RW, 0, "0 round robin, 1 least loaded, 2 hash of the key, 3 that of the connection")
  private val ACTIVE = block.newReg("which flows take requests; lines that a flow has already go to its host")
  private val active = ACTIVE.field(Bits(p.flows bits), RW, 0, "bit n: flow n")
  private val BATCH = block.newReg("lines that are moved at once")
  private val batch = BATCH.field(UInt(8 bits), RW, 1, s"from 1 to ${p.maxBatch}; less counts as 1, more as ${p.maxBatch}")
  private val FLUSH = block.newReg("when a batch that is not full is written")
  private val flush = FLUSH.field(UInt(16 bits), RW, 64, "after one to two times as many cycles; 0 counts as 1")

  private val COMMAND = block.newReg("changes a ring or a connection; ignored while RESULT says busy; reads as 0")
  private val setRx = COMMAND.field(Bool(), W1P, 0, "1: the receive ring of FLOW is that of RING_BASE and RING_SIZE, as soon as it is empty; its indices go on")
  private val setTx = COMMAND.field(Bool(), W1P, 0, "1: the transmit ring of FLOW, likewise")
  private val connect = COMMAND.field(Bool(), W1P, 0, "1: the row CONNECTION of the table is that of the registers from PEER_ADDRESS on")
  private val RESULT = block.newReg("how the latest command ended")
  private val busy = RESULT.field(Bool(), RO, "1: it waits for the ring to be empty, or runs")
  private val outcome = RESULT.field(UInt(2 bits), RO, "0 done, 1 no such flow, size or connection, or a base beyond the last address")
  private val FLOW = block.newReg("the flow of COMMAND, RX_INDEX and TX_INDEX")
  private val flow = FLOW.field(UInt(8 bits), RW, 0, "its number")
  private val RING_BASE = block.newReg("where the ring begins")
  private val base = RING_BASE.field(UInt(32 bits), RW, 0, "address divided by 64; the bits below the size of the ring count as 0")
  private val RING_SIZE = block.newReg("how large it is")
  private val log = RING_SIZE.field(UInt(4 bits), RW, 0, s"logarithm of its size in lines of 64 bytes, up to ${p.indexBits - 1}")
  private val PEER_ADDRESS = block.newReg("who is at the other end of the connection")
  private val address = PEER_ADDRESS.field(Bits(32 bits), RW, 0, "IPv4 address")
  private val PEER_MAC = block.newReg("the Ethernet address of the peer, bits 31 to 0")
  private val mac = PEER_MAC.field(Bits(32 bits), RW, 0, "the lowest bits")
  private val PEER_PORT = block.newReg("the rest of where the peer is")
  private val port = PEER_PORT.field(Bits(16 bits), RW, 0, "its UDP port")
  private val macHigh = PEER_PORT.field(Bits(16 bits), RW, 0, "its Ethernet address, bits 47 to 32")
  private val CONNECTION = block.newReg("the connection")
  private val number = CONNECTION.field(UInt(16 bits), RW, 0, "its number")
  private val ownFlow = CONNECTION.field(UInt(8 bits), RW, 0, "the flow that it belongs to")
  private val isUsed = CONNECTION.field(Bool(), RW, 0, "0: there is no such connection any more")

  private val indexDoc = s"counts modulo ${2 * p.maxRing}"
  private val RX_INDEX = block.newReg("the receive ring of FLOW")
  private val written = RX_INDEX.field(UInt(16 bits), RO, s"lines that are in the ring, $indexDoc")
  private val consumed = RX_INDEX.field(UInt(16 bits), RO, s"lines that the host has consumed, $indexDoc")
  private val TX_INDEX = block.newReg("the transmit ring of FLOW")
  private val produced = TX_INDEX.field(UInt(16 bits), RO, s"lines that the host has produced, $indexDoc")
  private val fetched = TX_INDEX.field(UInt(16 bits), RO, s"lines that the engine has read, $indexDoc")
  private val RX_DOORBELL = block.newReg("tells what the host has consumed; ignored, and counted, when these lines are not all in the ring")
  private val rxIndex = RX_DOORBELL.field(UInt(16 bits), RW, 0, "every line before this index is consumed")
  private val rxFlow = RX_DOORBELL.field(UInt(8 bits), RW, 0, "of this flow")
  private val rxRing = RX_DOORBELL.field(Bool(), W1P, 0, "1: rings")
  private val TX_DOORBELL = block.newReg("tells what the host has produced; ignored, and counted, when the ring does not hold as many lines, or changes")
  private val txIndex = TX_DOORBELL.field(UInt(16 bits), RW, 0, "every line before this index is produced")
  private val txFlow = TX_DOORBELL.field(UInt(8 bits), RW, 0, "of this flow")
  private val txRing = TX_DOORBELL.field(Bool(), W1P, 0, "1: rings")
  private val BUSY = block.newReg("flows that the engine has still something to do for")
  private val receiving = BUSY.field(Bits(16 bits), RO, "bit n: lines of flow n are on their way into its ring")
  private val sending = BUSY.field(Bits(16 bits), RO, "bit n: lines of the transmit ring of flow n are not all read")

  for ((name, counter) <- io.counters.elements) {
    val register = block.newReg(RpcRegisters.meaning(name))(SymbolName(name.replaceAll("([A-Z])", "_$1").toUpperCase))
    register.field(UInt(32 bits), RO, "counts since the reset, and wraps")(SymbolName(name)) := counter.asInstanceOf[UInt]
  }

  // The engine works with settings that are possible.
  private val settings = Reg(RpcSettings(p))
  settings.scheme.init(Scheme.ROUND_ROBIN)
  settings.active.init(0)
  settings.batch.init(1)
  settings.flush.init(64)
  settings.scheme.assignFromBits(scheme.asBits)
  settings.active := active
  settings.batch := Mux(batch === 0, U(1), Mux(batch > p.maxBatch, U(p.maxBatch), batch)).resized
  settings.flush := Mux(flush === 0, U(1), flush)
  io.settings := settings
  private val age = Reg(UInt(16 bits)) init 0
  private val isTick = age >= settings.flush - 1
  age := Mux(isTick, U(0), age + 1)
  io.tick := RegNext(isTick, init = False)

  io.flow := flow.resized
  written := io.indices.written.resized
  consumed := io.indices.consumed.resized
  produced := io.indices.produced.resized
  fetched := io.indices.fetched.resized
  receiving := io.receiving.resized
  sending := io.sending.resized
  private def isFlow(number: UInt): Bool = (number >> p.flowBits) === 0
  io.rxDoorbell.valid := rxRing && isFlow(rxFlow)
  io.rxDoorbell.flow := rxFlow.resized
  io.rxDoorbell.index := rxIndex.resized
  io.txDoorbell.valid := txRing && isFlow(txFlow)
  io.txDoorbell.flow := txFlow.resized
  io.txDoorbell.index := txIndex.resized

  private val isChanging, isConnecting, isWrong = RegInit(False)
  private val change = Reg(RingChange(p))
  private val connection = Reg(ConnectionWrite(p))
  private val isAsked = setRx || setTx || connect
  private val isBusy = isChanging || isConnecting
  busy := isBusy || isAsked
  outcome := isWrong.asUInt.resized
  when(!isBusy && isAsked) {
    change.isTransmit := setTx && !setRx
    change.place.flow := flow.resized
    change.place.base := base.resized
    for (n <- 0 until p.indexBits - 1) change.place.mask(n) := log > n
    connection.number := number.resized
    connection.row.isUsed := isUsed
    connection.row.mac := macHigh ## mac
    connection.row.address := address
    connection.row.port := port
    connection.row.flow := ownFlow.resized
    val isRing = isFlow(flow) && log < p.indexBits && (base >> p.lineAddressBits) === 0
    val isConnection = (number >> p.connectionBits) === 0 && isFlow(ownFlow)
    isWrong := Mux(connect, !isConnection, !isRing)
    isChanging := !connect && isRing
    isConnecting := connect && isConnection
  }
  io.change.valid := isChanging
  io.change.payload := change
  io.connection.valid := isConnecting
  io.connection.payload := connection
  when(io.change.fire)(isChanging := False)
  when(io.connection.fire)(isConnecting := False)

  /** The map of the registers, and the UUID that changes whenever the map does. */
  val map: RegisterMap = id.complete()
}

object RpcRegisters {

  /** Bytes of the register block. */
  val bytes: Int = 256
  val bus: Apb3Config = Apb3Config(addressWidth = 8, dataWidth = 32, useSlaveError = true)
  val version: Int = 1

  /** The engine in its register ENGINE. */
  val code: String = "RPC "

  private val meaning = Map(
    "received" -> "RPCs that were given a place in a receive ring",
    "sent" -> "RPCs that were sent",
    "malformed" -> "frames dropped: no sound RPC for this fabric",
    "unknownConnection" -> "RPCs dropped: no such connection, or not from its peer",
    "withoutFlow" -> "RPCs dropped: no flow is active",
    "ringFull" -> "RPCs dropped: the receive ring of their flow was full",
    "refused" -> "lines of transmit rings dropped: no RPC, or no such connection",
    "memoryErrors" -> "lines dropped, and batches whose lines may hold anything: the memory answered with an error",
    "badDoorbells" -> "doorbells ignored: an index that cannot be",
  )
}
