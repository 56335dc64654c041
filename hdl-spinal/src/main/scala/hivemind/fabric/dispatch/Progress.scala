package hivemind.fabric.dispatch

import spinal.core._
import spinal.lib._

/** What happens to an invocation. */
object Step extends SpinalEnum {

  /** START: it begins. COMPLETE: a task is done. ABANDON: the host has given it up. */
  val START, COMPLETE, ABANDON = newElement()
}

case class ProgressStep(p: DispatchParameters) extends Bundle {
  val step = Step()

  /** Of COMPLETE and ABANDON. */
  val invocation = Handle(p.invocationBits, p.generationBits)
  val task = UInt(p.taskBits bits)

  /** Of START. */
  val workflow = UInt(p.workflowBits bits)
  val request = Bits(32 bits)
  val key, payload = Bits(32 bits)
  val payloadBytes = UInt(16 bits)
}

/** What follows from a step. */
object Effect extends SpinalEnum {

  /** RELEASE: the candidates are to be tried. FINISHED: all tasks are done. The others refuse a START. */
  val RELEASE, FINISHED, NO_WORKFLOW, INVOCATIONS_FULL = newElement()
}

case class Job(p: DispatchParameters) extends Bundle {
  val effect = Effect()
  val invocation = Handle(p.invocationBits, p.generationBits)
  val workflow = UInt(p.workflowBits bits)

  /** Whether the invocation begins, or which task is done. */
  val isStart = Bool()
  val task = UInt(p.taskBits bits)

  /** Tasks that are not done yet, and those that may be due now. */
  val pending, candidates = Bits(p.tasks bits)
  val request, key, payload = Bits(32 bits)
  val payloadBytes = UInt(16 bits)
}

/** The Workflow Progress State (Speedo, section 4.2.2): a bitmap for each invocation of the tasks that are not done yet.
  *
  * A task counts as done once: when its bit goes from 1 to 0. Each such step gives one job, with the bitmap after it. One step
  * in a frame.
  */
class Progress(p: DispatchParameters) extends Component {
  val io = new Bundle {
    val phase = in(Schedule.phase())
    val sweep = in(Sweep(p))
    val host = slave(Flow(TableWrite()))
    val events = slave(Stream(ProgressStep(p)))
    val jobs = master(Stream(Job(p)))

    /** High for one cycle for each COMPLETE or ABANDON that came too late, and each that abandons. */
    val stale, abandoned = out Bool ()
  }
  private val queue = StreamFifo(Job(p), 8)
  io.jobs << queue.io.pop
  private val hasRoom = RegNext(queue.io.availability > 3, init = False)
  io.events.ready := io.phase === 0 && hasRoom && !io.sweep.isActive

  private case class Row() extends Bundle {

    /** How often the place was used before; that of its invocation while there is one. */
    val generation = UInt(p.generationBits bits)
    val pending = Bits(p.tasks bits)
    val workflow = UInt(p.workflowBits bits)
    val request = Bits(32 bits)
  }
  private case class Head() extends Bundle {
    val tasks, roots = Bits(p.tasks bits)
  }
  private val rows = Mem(Bits(Row().getBitsWidth bits), p.invocations)
  private val heads = Mem(Bits(Head().getBitsWidth bits), p.workflows)
  private val childRows = Mem(Bits(p.tasks bits), p.workflows * p.tasks)

  private val head = Head()
  head.tasks := io.host.data(p.tasks - 1 downto 0)
  head.roots := io.host.data(64, p.tasks bits)
  private def fill(memory: Mem[Bits], table: SpinalEnumElement[Table.type], data: Bits): Unit = {
    val isSweeping = io.sweep.covers(memory.wordCount)
    memory.write(
      Mux(isSweeping, io.sweep.row.resize(memory.addressWidth), io.host.address.resize(memory.addressWidth)),
      Mux(isSweeping, B(0, memory.width bits), data),
      isSweeping || (io.host.valid && io.host.table === table),
    )
  }
  fill(heads, Table.WORKFLOW, head.asBits)
  fill(childRows, Table.TASK_CHILDREN, io.host.data(p.tasks - 1 downto 0))

  private val list = new FreeList(UInt(p.invocationBits bits), p.invocations, p, slot => slot)
  list.io.sweep := io.sweep

  // Phase 1: the place. Phase 2: read. Phase 4: what follows.
  private val event = RegNextWhen(io.events.payload, io.phase === 0)
  private val valid = RegNextWhen(io.events.fire, io.phase === 0) init False
  private val isStart = event.step === Step.START
  private val slot = RegNextWhen(Mux(isStart, list.io.take.payload, event.invocation.slot), io.phase === 1)
  private val isFree = RegNextWhen(list.io.take.valid, io.phase === 1)
  private val row = Row()
  row.assignFromBits(RegNextWhen(rows.readSync(slot, io.phase === 2), io.phase === 3))
  private val loaded = Head()
  loaded.assignFromBits(RegNextWhen(heads.readSync(event.workflow, io.phase === 2), io.phase === 3))

  private val isKnown = RegNext(loaded.tasks.orR && loaded.roots.orR)
  private val isOurs = row.generation === event.invocation.generation
  private val completes = RegNext(event.step === Step.COMPLETE && isOurs && row.pending(event.task))
  private val abandons = RegNext(event.step === Step.ABANDON && isOurs && row.pending.orR)
  private val others = row.pending & ~(B(1, p.tasks bits) |<< event.task)
  private val left = RegNext(others)
  private val isLast = RegNext(!others.orR)

  // Phase 0: the bitmap is written.
  private val isNow = io.phase === 0 && valid
  private val starts = isStart && isKnown && isFree
  private val isFinished = completes && isLast
  private val ends = isFinished || abandons
  private val after = Row()
  after.generation := Mux(ends, row.generation + 1, row.generation)
  after.pending := Mux(isStart, loaded.tasks, Mux(abandons, B(0, p.tasks bits), left))
  after.workflow := Mux(isStart, event.workflow, row.workflow)
  after.request := Mux(isStart, event.request, row.request)
  private val isSweeping = io.sweep.covers(p.invocations)
  private val changes = isNow && (starts || completes || abandons)
  rows.write(
    Mux(isSweeping, io.sweep.row.resize(p.invocationBits), slot),
    Mux(isSweeping, B(0, Row().getBitsWidth bits), after.asBits),
    isSweeping || changes,
  )
  list.io.take.ready := isNow && starts
  list.io.give.valid := isNow && ends
  list.io.give.payload := slot
  io.stale := isNow && !isStart && !completes && !abandons
  io.abandoned := isNow && abandons

  // Phase 0: the children are read. Phase 2: the job.
  private val job = Reg(Job(p))
  private val gives = RegNextWhen(valid && (isStart || completes), io.phase === 0) init False
  private val released = RegNextWhen(childRows.readSync(row.workflow @@ event.task, io.phase === 0), io.phase === 1)
  when(io.phase === 0) {
    job.effect := Effect.RELEASE
    when(isFinished)(job.effect := Effect.FINISHED)
    when(isStart && !isFree)(job.effect := Effect.INVOCATIONS_FULL)
    when(isStart && !isKnown)(job.effect := Effect.NO_WORKFLOW)
    job.invocation.slot := slot
    job.invocation.generation := row.generation
    job.workflow := after.workflow
    job.isStart := isStart
    job.task := event.task
    job.pending := after.pending
    job.candidates := loaded.roots
    job.request := after.request
    job.key := event.key
    job.payload := event.payload
    job.payloadBytes := event.payloadBytes
  }
  queue.io.push.valid := io.phase === 2 && gives
  queue.io.push.payload := job
  when(!job.isStart)(queue.io.push.candidates := released)
}
