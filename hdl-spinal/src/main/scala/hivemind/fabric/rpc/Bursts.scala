package hivemind.fabric.rpc

import spinal.core._
import spinal.lib._

/** Finds the bursts of the rings of one direction: for each flow, the lines between `issued`, up to where bursts have been given, and
  * `head`, which only grows. A burst is due when there are lines for a whole batch, or some have waited for long, or the flow is urgent.
  *
  * Flows with lines are looked at one after the other, a look in three stages; one that has just got a line comes first. A burst that
  * is due stays until it is taken, and the flow after it is the next, so that each has its turn.
  */
class Bursts(p: RpcParameters) extends Component {
  val io = new Bundle {
    val batch = in UInt (p.batchBits bits)

    /** High for a cycle: lines that wait for their batch grow older. */
    val tick = in Bool ()

    /** Lines of these flows do not wait for their batch. */
    val isUrgent = in Bits (p.flows bits)

    /** The ring of a flow gets its place, while no line of it waits. */
    val place = slave(Flow(RingPlace(p)))

    /** The lines of a flow before this index are there. */
    val head = slave(Flow(Doorbell(p)))
    val job = master(Stream(Job(p)))
  }
  private val tables = new FlowTables(p)
  val heads, issued = tables.indices()
  val masks = Mem(UInt(p.indexBits - 1 bits), p.flows)
  val bases = Mem(UInt(p.lineAddressBits bits), p.flows)
  tables.write(heads, io.head.valid, io.head.flow, io.head.index)
  masks.write(io.place.flow, io.place.mask, io.place.valid)
  bases.write(io.place.flow, io.place.base, io.place.valid)

  private val advances, isTaken = Bool()
  val flow2 = Reg(UInt(p.flowBits bits))

  // Which flow is looked at.
  val hasLines = Reg(Bits(p.flows bits)) init 0
  private val turn = Reg(Bits(p.flows bits)) init 1
  private val next = OHMasking.roundRobin(hasLines, turn.rotateLeft(1))
  private val planned = Reg(UInt(p.flowBits bits)) init 0
  private val isPlanned = RegInit(False)
  private val isFresh = RegNext(io.head.valid, init = False)
  private val flow0 = Mux(isFresh, RegNext(io.head.flow), planned)
  when(advances && !isFresh) {
    isPlanned := hasLines.orR
    planned := OHToUInt(next)
    when(hasLines.orR)(turn := next)
  }

  // What there is, and how many lines there are up to the end of the ring or of a page. A look from before a burst is no longer true.
  private val pageBits = log2Up(RpcParameters.pageLines min p.maxRing)
  val valid1, isNew1 = RegInit(False)
  val hasMore1 = Reg(Bool())
  val flow1 = Reg(UInt(p.flowBits bits))
  val waiting1, index1 = Reg(UInt(p.indexBits bits))
  val mask1 = Reg(UInt(p.indexBits - 1 bits))
  val room1 = Reg(UInt(pageBits + 1 bits))
  private val (head0, issued0, mask0) = (heads(flow0), issued(flow0), masks(flow0))
  isNew1 := advances && (isFresh || isPlanned)
  when(advances) {
    valid1 := (isFresh || isPlanned) && !(isTaken && flow0 === flow2)
    hasMore1 := io.head.valid && io.head.flow === flow0
    flow1 := flow0
    index1 := issued0
    waiting1 := head0 - issued0
    mask1 := mask0
    room1 := (~issued0 & mask0.resized).resize(pageBits) +^ 1
  }

  // How many of them, and whether they are due.
  val isLate = Reg(Bits(p.flows bits)) init 0
  private val isMarked = Reg(Bits(p.flows bits)) init 0
  private val isPart = waiting1 < io.batch
  private val isCut = room1 < waiting1 && room1 < io.batch
  val due2 = RegInit(False)
  val index2 = Reg(UInt(p.indexBits bits))
  val mask2 = Reg(UInt(p.indexBits - 1 bits))
  val count2 = Reg(UInt(p.batchBits bits))
  private val isCut2 = Reg(Bool())
  when(advances) {
    due2 := valid1 && waiting1 =/= 0 && (!isPart || isLate(flow1) || io.isUrgent(flow1)) && !(isTaken && flow1 === flow2)
    flow2 := flow1
    index2 := index1
    mask2 := mask1
    count2 := Mux(isCut, room1.resize(p.batchBits), Mux(isPart, waiting1.resize(p.batchBits), io.batch))
    isCut2 := isCut
  }

  private val job = Stream(Job(p))
  job.valid := due2
  job.flow := flow2
  job.base := bases(flow2)
  job.mask := mask2
  job.index := index2
  job.count := count2
  io.job << job.halfPipe()
  isTaken := job.fire
  advances := !due2 || job.ready
  tables.write(issued, isTaken, flow2, index2 + count2)

  // Lines that two ticks have seen are late; so is the rest of a batch that was cut.
  private val isEmpty1 = isNew1 && valid1 && waiting1 === 0 && !hasMore1
  for (n <- 0 until p.flows) {
    val isHead = io.head.valid && io.head.flow === n
    val isNone = isEmpty1 && flow1 === n
    when(io.tick) {
      isMarked(n) := hasLines(n)
      isLate(n).setWhen(isMarked(n) && hasLines(n))
    }
    when(isNone)(isMarked(n) := False)
    when(isTaken && flow2 === n) {
      isMarked(n) := False
      isLate(n) := isCut2
    }
    when(isHead)(hasLines(n) := True) elsewhen (isNone)(hasLines(n) := False)
  }
}
