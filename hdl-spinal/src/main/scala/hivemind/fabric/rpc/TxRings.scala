package hivemind.fabric.rpc

import spinal.core._
import spinal.lib._

/** The indices of the transmit rings. The host produces lines; they are issued with their batch, and consumed when they have come
  * from memory. Each index follows the one before it and never passes it: `consumed <= issued <= produced <= consumed + size`.
  *
  * A ring changes its place and size only while it is empty, which a change waits for; meanwhile its doorbell is refused. The
  * indices go on.
  */
class TxRings(p: RpcParameters) extends Component {
  val io = new Bundle {
    val batch = in UInt (p.batchBits bits)
    val change = slave(Stream(RingPlace(p)))

    /** The host has produced all lines before this index. Refused when these are more than the ring holds. */
    val doorbell = slave(Flow(Doorbell(p)))
    val isRefused = out Bool ()
    val job = master(Stream(Job(p)))

    /** A line of this flow has come from memory. */
    val done = slave(Flow(UInt(p.flowBits bits)))
    val flow = in UInt (p.flowBits bits)
    val produced, consumed = out UInt (p.indexBits bits)

    /** Flows with lines that are produced and have not come, or whose doorbell has just been rung. */
    val sending = out Bits (p.flows bits)
  }
  private val tables = new FlowTables(p)
  val produced, consumed = tables.indices()
  val sizes = Mem(UInt(p.indexBits bits), p.flows)
  private val isSet = Reg(Bits(p.flows bits)) init 0

  // The host's index is compared in the cycle after it came. In `total` are the lines of the ring with those that come now: if there
  // were as many as to wrap, they would be fewer than those that are there.
  private val isBell = io.doorbell.valid
  private val bell = io.doorbell.flow
  val isRung = RegInit(False)
  val isHeard = isBell && !isRung && isSet(bell) && !(io.change.valid && io.change.flow === bell)
  isRung := isHeard
  private val rung = RegNext(io.doorbell.payload)
  private val before = consumed(bell)
  private val total = RegNext(io.doorbell.index - before)
  private val used = RegNext(produced(bell) - before)
  private val size = RegNext(sizes(bell))
  val isProduced = isRung && used <= total && total <= size
  io.isRefused := (isRung && !isProduced) || (isBell && !isHeard)
  tables.write(produced, isProduced, rung.flow, rung.index)
  tables.write(consumed, io.done.valid, io.done.payload, consumed(io.done.payload) + 1)
  io.produced := produced(io.flow)
  io.consumed := consumed(io.flow)

  private val bursts = new Bursts(p)
  bursts.io.batch := io.batch
  bursts.io.tick := False
  bursts.io.isUrgent.setAll()
  bursts.io.place << io.change.toFlowFire
  bursts.io.head.valid := isProduced
  bursts.io.head.payload := rung
  io.job << bursts.io.job

  // Which rings have lines: each is looked at in its turn, and counts as busy from its doorbell on.
  val isBusy = Reg(Bits(p.flows bits)) init 0
  private val seen = Reg(UInt(p.flowBits bits)) init 0
  seen := seen + 1
  val seen1 = RegNext(seen)
  val isUsed1 = RegNext(produced(seen) =/= consumed(seen) || (isRung && rung.flow === seen))
  isBusy(seen1) := isUsed1 || (isRung && rung.flow === seen1)
  when(isBell)(isBusy(bell) := True)
  io.sending := isBusy | UIntToOh(bell, p.flows).andMask(isBell)

  io.change.ready := tables.isReady && !isBusy(io.change.flow)
  sizes.write(io.change.flow, io.change.mask +^ 1, io.change.fire)
  when(io.change.fire)(isSet(io.change.flow) := True)
}
