package hivemind.fabric.dispatch

import spinal.core._
import spinal.lib._

/** How many requests are in flight at each worker.
  *
  * Two counters for each worker, each written by one owner alone: requests that went there, and those that left. Their
  * difference is the load, also after they wrap. The memories are small, and read without a register.
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
  private case class Update() extends Bundle {
    val worker = UInt(p.workerBits bits)
    val count = UInt(p.loadBits bits)
  }
  private val isSweeping = io.sweep.covers(p.workers)

  /** A copy of the counters that `update` writes, to read one worker of in each frame; the answer comes one phase later. */
  private def read(update: Flow[Update], worker: UInt, phase: Int): UInt = {
    val memory = Mem(UInt(p.loadBits bits), p.workers)
    memory.write(
      Mux(isSweeping, io.sweep.row.resize(p.workerBits), update.worker),
      Mux(isSweeping, U(0, p.loadBits bits), update.count),
      isSweeping || update.valid,
    )
    RegNextWhen(memory.readAsync(worker), io.phase === phase)
  }

  private val went, left = Flow(Update())
  private val wentTo = io.members.map(read(went, _, 1))
  private val leftFrom = io.members.map(read(left, _, 1))
  private val more = Vec(wentTo.map(count => RegNextWhen(count + 1, io.phase === 2)))
  for (((load, a), b) <- io.loads.zip(wentTo).zip(leftFrom)) load := RegNextWhen(a - b, io.phase === 2)

  went.valid := io.taken.valid
  went.worker := io.takenWorker
  went.count := more(io.taken.payload)

  private val releasing = RegNextWhen(io.released.payload, io.phase === 0)
  private val isReleased = RegNextWhen(io.released.valid, io.phase === 0) init False
  private val before = read(left, io.released.payload, 0)
  left.valid := RegNext(isReleased && io.phase === 2, init = False)
  left.worker := releasing
  left.count := RegNext(before + 1)
}
