package hivemind.fabric.rpc

import spinal.core._
import spinal.lib._

/** The indices of a receive ring. A line is reserved, published once all of it is in the stage, taken with its batch, written when
  * the memory has answered, and consumed by the host; each index follows the one before it and never passes it:
  *
  * `consumed <= written <= issued <= published <= reserved <= consumed + size`.
  *
  * A ring changes its place and size only while it is empty, which a change waits for; meanwhile no line is reserved, and those
  * that were go to the host as ever. The indices go on.
  */
class RxRing(p: RpcParameters) extends Component {
  val io = new Bundle {
    val isActive = in Bool ()
    val batch = in UInt (p.batchBits bits)

    /** High for a cycle: lines that wait for their batch grow older. */
    val tick = in Bool ()
    val change = slave(Stream(Place(p)))

    /** The ring takes lines now; it would but for a change. */
    val isUsable, isOpen = out Bool ()

    /** `reserve` is granted when the ring is usable, not full, and there is room in the stage. */
    val reserve = in Bool ()
    val isFull, isGranted = out Bool ()
    val reserved = out UInt (p.indexBits bits)
    val load = out UInt (p.indexBits bits)
    val publish = in Bool ()

    /** Lines are to be written: a whole batch, or those that have waited for long. Taken only while this is high. */
    val isDue = out Bool ()
    val take = in Bool ()
    val base = out UInt (p.lineAddressBits bits)
    val mask = out UInt (p.indexBits - 1 bits)
    val index = out UInt (p.indexBits bits)
    val count = out UInt (p.batchBits bits)

    /** The memory has all lines of the oldest burst. */
    val done = slave(Flow(UInt(p.batchBits bits)))

    /** The host has consumed all lines before this index. Refused when these are not all written. */
    val doorbell = slave(Flow(UInt(p.indexBits bits)))
    val isRefused = out Bool ()
    val written, consumed = out UInt (p.indexBits bits)
  }
  private val zero = U(0, p.indexBits bits)
  val reserved, issued, written, consumed = Reg(UInt(p.indexBits bits)) init 0

  /** Lines between `consumed` and `reserved`; of these, published and not issued; reserved and not written. */
  val load = Reg(UInt(p.indexBits bits)) init 0
  val waiting, staged = Reg(UInt(p.stageBits + 1 bits)) init 0
  val isSet = RegInit(False)
  val base = Reg(UInt(p.lineAddressBits bits))
  val size = Reg(UInt(p.indexBits bits)) init 1
  private val mask = (size - 1).resize(p.indexBits - 1)

  io.isOpen := isSet && io.isActive
  io.isUsable := io.isOpen && !io.change.valid
  io.isFull := (load & size).orR
  io.isGranted := io.reserve && io.isUsable && !io.isFull && !staged.msb
  io.reserved := reserved
  io.load := load

  // A burst ends with the ring, and with a page; the rest of its batch is due at once.
  private val isTaken = io.take && io.isDue
  private val bound = (mask & ((RpcParameters.pageLines min p.maxRing) - 1)).resize(p.indexBits)
  private val room = (bound - (issued & bound)) +^ 1
  private val batch = Mux(waiting < io.batch, waiting, io.batch.resize(p.stageBits + 1))
  private val isCut = room < batch
  private val count = RegNext(Mux(isCut, room.resize(p.batchBits), batch.resize(p.batchBits)))
  private val wasCut = RegNext(isCut)
  private val isMarked, isLate = RegInit(False)
  when(io.tick) {
    isMarked := waiting =/= 0
    isLate.setWhen(isMarked && waiting =/= 0)
  }
  when(isTaken) {
    isMarked := False
    isLate := wasCut
  }
  io.isDue := RegNext(waiting =/= 0 && (waiting >= io.batch || isLate || !io.isUsable) && !isTaken, init = False)
  io.base := base
  io.mask := mask
  io.index := issued
  io.count := count

  // The host's index is compared in the cycle after it came.
  private val isRung = RegInit(False)
  isRung := io.doorbell.valid && !isRung
  private val delta = RegNext(io.doorbell.payload - consumed)
  private val available = RegNext(written - consumed)
  private val isConsumed = isRung && delta <= available
  io.isRefused := (isRung && !isConsumed) || (io.doorbell.valid && isRung)
  private val freed = Mux(isConsumed, delta, zero)

  reserved := reserved + io.isGranted.asUInt
  issued := issued + Mux(isTaken, count, U(0))
  written := written + Mux(io.done.valid, io.done.payload, U(0))
  consumed := consumed + freed
  load := load + io.isGranted.asUInt - freed
  waiting := waiting + io.publish.asUInt - Mux(isTaken, count, U(0))
  staged := staged + io.isGranted.asUInt - Mux(io.done.valid, io.done.payload, U(0))
  io.written := written
  io.consumed := consumed

  io.change.ready := load === 0
  when(io.change.fire) {
    isSet := True
    base := io.change.base
    size := (U(1, p.indexBits bits) |<< io.change.log).resized
  }
}
