package hivemind.fabric.dispatch

import spinal.core._
import spinal.lib._

/** How many requests are in flight at each worker.
  *
  * The counts are in small memories, with a copy for each worker that is compared and one for those that have one request less. Copies
  * are read in phase 1 and written in phases 0 and 4.
  */
class Loads(p: DispatchParameters) extends Component {
  val io = new Bundle {
    val phase = in(Schedule.phase())
    val sweep = in(Sweep(p))

    /** Workers to compare, at phase 1; their loads follow at phase 3 and stay. */
    val members = in(Vec.fill(p.workersPerFunction)(UInt(p.workerBits bits)))
    val loads = out(Vec.fill(p.workersPerFunction)(UInt(p.loadBits bits)))

    /** Which of these workers gets one request more, at phase 0, and who it is. */
    val taken = slave(Flow(UInt(p.laneBits bits)))
    val takenWorker = in UInt (p.workerBits bits)

    /** A worker that has one request less, at phase 0. */
    val released = slave(Flow(UInt(p.workerBits bits)))
  }
  private val isSweeping = io.sweep.covers(p.workers)
  private val isWritten = Bool()
  private val worker = UInt(p.workerBits bits)
  private val count = UInt(p.loadBits bits)

  /** A copy of the counts, to read that of one worker at phase 1; it is there at phase 2. */
  private def read(asked: UInt): UInt = {
    val memory = Mem(UInt(p.loadBits bits), p.workers)
    memory.write(
      Mux(isSweeping, io.sweep.row.resize(p.workerBits), worker),
      Mux(isSweeping, U(0, p.loadBits bits), count),
      isSweeping || isWritten,
    )
    memory.readSync(asked, io.phase === 1)
  }
  for ((load, member) <- io.loads.zip(io.members)) load := RegNextWhen(read(member), io.phase === 2)

  // One less: written at phase 4, after the members have been read.
  private val releasing = RegNextWhen(io.released.payload, io.phase === 0)
  private val isReleased = RegNextWhen(io.released.valid, io.phase === 0) init False
  private val less = RegNext(RegNext(read(releasing)) - 1)
  private val isLess = RegNext(isReleased && io.phase === 3, init = False)

  // One more: its load does not count yet who has left since it was read.
  private val hasLeft = Vec(io.members.map(member => RegNext(isReleased && releasing === member)))
  private val more = io.loads(io.taken.payload) + (!hasLeft(io.taken.payload)).asUInt
  isWritten := io.taken.valid || isLess
  worker := Mux(isLess, releasing, io.takenWorker)
  count := Mux(isLess, less, more)
}
