package hivemind.fabric.rpc

import spinal.core._
import spinal.lib._

/** The indices of the receive rings. A line is given a place, published once all of it is in the stage, issued with its batch, written
  * when the memory has answered, and consumed by the host; each index follows the one before it and never passes it:
  *
  * `consumed <= written <= issued <= published <= consumed + size`, and the line that moves into the stage is the one at `published`.
  *
  * A ring changes its place and size only while it is empty, which a change waits for; meanwhile it gets no line, and those
  * that it has go to the host as ever. The indices go on.
  */
class RxRings(p: RpcParameters) extends Component {
  val io = new Bundle {
    val isActive = in Bits (p.flows bits)
    val batch = in UInt (p.batchBits bits)
    val tick = in Bool ()
    val change = slave(Stream(RingPlace(p)))

    /** The rings that take lines now; those that would but for a change; those without room. */
    val isUsable, isOpen, isFull = out Bits (p.flows bits)
    val loads = out(Vec.fill(p.flows)(UInt(p.indexBits bits)))

    /** A line for this flow. It gets a place when the ring is usable, not full, and there is room in the stage; the next is asked for
      * after this one has been published.
      */
    val ask = in Bool ()
    val asked = in UInt (p.flowBits bits)
    val isGranted = out Bool ()
    val slot = out UInt (p.stageBits bits)
    val publish = in Bool ()
    val job = master(Stream(Job(p)))

    /** The memory has all lines of the oldest burst. */
    val done = slave(Flow(Written(p)))

    /** The host has consumed all lines before this index. Refused when these are not all written. */
    val doorbell = slave(Flow(Doorbell(p)))
    val isRefused = out Bool ()
    val flow = in UInt (p.flowBits bits)
    val written, consumed = out UInt (p.indexBits bits)

    /** Flows with lines that are not yet in their ring. */
    val receiving = out Bits (p.flows bits)
  }
  private val tables = new FlowTables(p)
  val published, written, consumed = tables.indices()

  /** 0 less what is consumed. */
  val freed = tables.indices()
  val masks = Mem(UInt(p.indexBits - 1 bits), p.flows)
  private val isSet = Reg(Bits(p.flows bits)) init 0
  val isFull, isEmpty, isStaged = Reg(Bits(p.flows bits)) init 0
  val loads = Vec.fill(p.flows)(Reg(UInt(p.indexBits bits)) init 0)

  private val changing = UIntToOh(io.change.flow, p.flows).andMask(io.change.valid)
  io.isOpen := isSet & io.isActive
  io.isUsable := io.isOpen & ~changing
  io.isFull := isFull
  io.loads := loads

  // The line that moves into the stage.
  val isMoving = RegInit(False)
  val moving = Reg(Doorbell(p))
  val next = moving.index + 1
  tables.write(published, io.publish, moving.flow, next)

  // The flow that is asked for is looked at, or else all, one after the other.
  private val round = Reg(UInt(p.flowBits bits)) init 0
  round := round + 1
  val seen = Mux(io.ask, io.asked, round)
  private val isHere = isMoving && moving.flow === seen
  private val publishedSeen = published(seen)

  // one addition: the last bit of it carries the line that moves
  private val load = ((publishedSeen @@ U(1, 1 bits)) + (freed(seen) @@ (io.ask || isHere).asUInt)) >> 1
  private val staged = (publishedSeen - written(seen)).resize(p.stageBits + 1)
  io.isGranted := io.ask && io.isUsable(io.asked) && !isFull(io.asked) && !staged.msb
  io.slot := publishedSeen.resized
  private val isTrue = !io.ask || io.isGranted
  when(isTrue)(loads(seen) := load)
  when(io.publish)(isMoving := False)
  when(io.isGranted) {
    isMoving := True
    moving.flow := io.asked
    moving.index := publishedSeen
  }

  // What follows from that, a cycle later.
  val seen1 = RegNext(seen)
  val isTrue1 = RegNext(isTrue, init = False)
  val load1 = RegNext(load)
  val mask1 = RegNext(masks(seen))
  val isStaged1 = RegNext(staged =/= 0 || isHere)
  when(isTrue1) {
    isFull(seen1) := (load1 & ~mask1.resize(p.indexBits)) =/= 0
    isEmpty(seen1) := load1 === 0
  }
  isStaged(seen1) := isStaged1 || (isMoving && moving.flow === seen1)
  io.receiving := isStaged

  private val bursts = new Bursts(p)
  bursts.io.batch := io.batch
  bursts.io.tick := io.tick
  bursts.io.isUrgent := ~io.isUsable
  bursts.io.place << io.change.toFlowFire
  bursts.io.head.valid := io.publish
  bursts.io.head.flow := moving.flow
  bursts.io.head.index := next
  io.job << bursts.io.job

  tables.write(written, io.done.valid, io.done.flow, written(io.done.flow) + io.done.count)

  // The host's index is compared in the cycle after it came.
  val isRung = RegInit(False)
  val isHeard = io.doorbell.valid && !isRung && tables.isReady
  isRung := isHeard
  private val rung = RegNext(io.doorbell.payload)
  private val before = consumed(io.doorbell.flow)
  private val delta = RegNext(io.doorbell.index - before)
  private val available = RegNext(written(io.doorbell.flow) - before)
  val isConsumed = isRung && delta <= available
  io.isRefused := (isRung && !isConsumed) || (io.doorbell.valid && !isHeard)
  tables.write(consumed, isConsumed, rung.flow, rung.index)
  tables.write(freed, isConsumed, rung.flow, U(0) - rung.index)
  io.written := written(io.flow)
  io.consumed := consumed(io.flow)

  io.change.ready := tables.isReady && isEmpty(io.change.flow) && !(isMoving && moving.flow === io.change.flow)
  masks.write(io.change.flow, io.change.mask, io.change.fire)
  when(io.change.fire)(isSet(io.change.flow) := True)
}
