package hivemind.fabric.dispatch

import spinal.core._
import spinal.lib._

/** Tries the tasks that a job may release, one in each frame (the repeated cloning of Speedo, section 4.2.1). A task is due when
  * none of its parents is pending and the one that the job completes is among them; the first tasks of a workflow have none.
  */
class Walker(p: DispatchParameters) extends Component {
  val io = new Bundle {
    val phase = in(Schedule.phase())
    val sweep = in(Sweep(p))
    val host = slave(Flow(TableWrite()))
    val jobs = slave(Stream(Job(p)))
    val work = master(Stream(Work(p)))
  }
  private case class TaskRow() extends Bundle {
    val parents = Bits(p.tasks bits)
    val function = Bits(32 bits)
  }
  private val rows = Mem(Bits(TaskRow().getBitsWidth bits), p.workflows * p.tasks)
  private val written = TaskRow()
  written.parents := io.host.data(p.tasks - 1 downto 0)
  written.function := io.host.data(64, 32 bits)
  rows.write(
    io.host.address.resize(rows.addressWidth),
    written.asBits,
    io.host.valid && io.host.table === Table.TASK_PARENTS,
  )

  private val queue = StreamFifo(Work(p), 8)
  io.work << queue.io.pop
  private val hasRoom = RegNext(queue.io.availability > 3, init = False)

  // Phase 4: the next job, when no candidate of this one is left; the candidates have not changed since phase 1.
  private val job = Reg(Job(p))
  private val candidates = Reg(Bits(p.tasks bits)) init 0
  private val isIdle = RegNext(!candidates.orR, init = False)
  io.jobs.ready := io.phase === 4 && isIdle
  when(io.jobs.fire) {
    job := io.jobs.payload
    candidates := io.jobs.candidates
  }

  // Phase 0: the lowest candidate. Phase 1: its number. Phase 2: read. Phase 4: is it due?
  private val lowest = RegNextWhen(candidates & ~(candidates.asUInt - 1).asBits, io.phase === 0)
  private val isTrying = RegNextWhen(hasRoom && candidates.orR, io.phase === 0) init False
  private val task = RegNextWhen(OHToUInt(lowest), io.phase === 1)
  when(io.phase === 1 && isTrying)(candidates := candidates & ~lowest)
  private val row = TaskRow()
  row.assignFromBits(RegNextWhen(rows.readSync(job.workflow @@ task, io.phase === 2), io.phase === 3))
  private val isReleased = Mux(job.isStart, !row.parents.orR, row.parents(job.task))
  private val isDue = RegNext(io.phase === 4 && isTrying && isReleased && !(row.parents & job.pending).orR, init = False)

  private val result = Reg(Work(p))
  when(io.phase === 4) {
    result.function := row.function
    result.request := job.request
    result.key := job.key
    result.payload := job.payload
    result.payloadBytes := job.payloadBytes
    result.isTask := True
    result.invocation := job.invocation
    result.task := task
    result.attempt := 0
  }
  queue.io.push.valid := isDue
  queue.io.push.payload := result
}
