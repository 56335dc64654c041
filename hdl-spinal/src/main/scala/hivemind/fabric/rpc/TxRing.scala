package hivemind.fabric.rpc

import spinal.core._
import spinal.lib._

/** The indices of a transmit ring. The host produces lines; they are issued with their batch, and consumed when they have come
  * from memory. Each index follows the one before it and never passes it: `consumed <= issued <= produced <= consumed + size`.
  *
  * A ring changes its place and size only while it is empty, which a change waits for; meanwhile its doorbell is refused. The
  * indices go on.
  */
class TxRing(p: RpcParameters) extends Component {
  val io = new Bundle {
    val batch = in UInt (p.batchBits bits)
    val change = slave(Stream(Place(p)))

    /** The host has produced all lines before this index. Refused when these are more than the ring holds. */
    val doorbell = slave(Flow(UInt(p.indexBits bits)))
    val isRefused = out Bool ()

    /** Lines are to be fetched. Taken only while this is high. */
    val isDue = out Bool ()
    val take = in Bool ()
    val base = out UInt (p.lineAddressBits bits)
    val mask = out UInt (p.indexBits - 1 bits)
    val index = out UInt (p.indexBits bits)
    val count = out UInt (p.batchBits bits)

    /** A line has come from memory. */
    val done = in Bool ()
    val produced, consumed = out UInt (p.indexBits bits)

    /** Lines are produced and have not come, or the doorbell has just been rung. */
    val isBusy = out Bool ()
  }
  private val zero = U(0, p.indexBits bits)
  val produced, issued, consumed = Reg(UInt(p.indexBits bits)) init 0

  /** Lines between `consumed` and `produced`; of these, not issued. */
  val used, waiting = Reg(UInt(p.indexBits bits)) init 0
  val isSet = RegInit(False)
  val base = Reg(UInt(p.lineAddressBits bits))
  val size = Reg(UInt(p.indexBits bits)) init 1
  private val mask = (size - 1).resize(p.indexBits - 1)

  // The host's index is compared in the cycle after it came.
  private val isRung = RegInit(False)
  private val isHeard = io.doorbell.valid && !isRung && isSet && !io.change.valid
  isRung := isHeard
  private val delta = RegNext(io.doorbell.payload - produced)
  private val free = RegNext(size - used)
  private val isProduced = isRung && delta <= free
  io.isRefused := (isRung && !isProduced) || (io.doorbell.valid && !isHeard)
  private val added = Mux(isProduced, delta, zero)

  // A burst ends with the ring, and with a page.
  private val isTaken = io.take && io.isDue
  private val bound = (mask & ((RpcParameters.pageLines min p.maxRing) - 1)).resize(p.indexBits)
  private val room = (bound - (issued & bound)) +^ 1
  private val batch = Mux(waiting < io.batch, waiting.resize(p.batchBits), io.batch)
  private val count = RegNext(Mux(room < batch, room.resize(p.batchBits), batch))
  io.isDue := RegNext(waiting =/= 0 && !isTaken, init = False)
  io.base := base
  io.mask := mask
  io.index := issued
  io.count := count

  private val fetched = Mux(isTaken, count.resize(p.indexBits), zero)
  produced := produced + added
  issued := issued + fetched
  consumed := consumed + io.done.asUInt
  used := used + added - io.done.asUInt
  waiting := waiting + added - fetched
  io.produced := produced
  io.consumed := consumed
  io.isBusy := used =/= 0 || io.doorbell.valid || isRung

  io.change.ready := used === 0 && !isRung
  when(io.change.fire) {
    isSet := True
    base := io.change.base
    size := (U(1, p.indexBits bits) |<< io.change.log).resized
  }
}
