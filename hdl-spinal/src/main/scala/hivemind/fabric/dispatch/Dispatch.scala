package hivemind.fabric.dispatch

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream

/** What the engine has done since its reset. Counters wrap. */
case class DispatchCounters() extends Bundle {
  val requests, completions, dispatched, retried, stale, started, finished, abandoned, results = UInt(32 bits)

  /** Messages on the slow path, by their reason. */
  val malformed, disabled, withoutWorker, tableFull, exhausted, withoutWorkflow, invocationsFull = UInt(32 bits)
}

/** The dispatcher and orchestrator of Speedo (sections 3 and 4) between streams of messages.
  *
  * Each CALL that comes in ends as one message: a RESULT, or one on the slow path. A START likewise, unless a task of it goes to
  * the slow path: then the host resolves the task, or abandons the invocation.
  */
class Dispatch(val p: DispatchParameters) extends Component {
  val io = new Bundle {

    /** CALL and START. */
    val requests = slave(Axi4Stream(p.stream))

    /** DONE from workers; RESOLVE and ABANDON from the host. */
    val completions = slave(Axi4Stream(p.stream))

    /** DISPATCH to workers. */
    val dispatched = master(Axi4Stream(p.stream))

    /** RESULT to who asked. */
    val results = master(Axi4Stream(p.stream))

    /** SLOW to the host. */
    val slow = master(Axi4Stream(p.stream))
    val settings = in(DispatchSettings())

    /** Rows of the tables; each waits at most for one frame. */
    val host = slave(Stream(TableWrite()))
    val counters = out(DispatchCounters())

    /** High when the tables are cleared after a reset. Before, nothing is taken. */
    val isReady = out Bool ()
  }
  private val phase = Reg(Schedule.phase()) init 0
  phase := Mux(phase === Schedule.cycles - 1, U(0, 3 bits), phase + 1)
  private val sweep = Reg(Sweep(p))
  sweep.isActive.init(True)
  sweep.row.init(0)
  sweep.covered.init((BigInt(1) << sweep.covered.getWidth) - 1)
  when(sweep.isActive)(sweep.row := sweep.row + 1)
  when(sweep.row === p.sweepRows - 1)(sweep.isActive := False)
  for (n <- 0 until sweep.covered.getWidth) when(sweep.row === (1 << n) - 1)(sweep.covered(n) := False)
  io.isReady := !sweep.isActive

  private val dispatcher = new Dispatcher(p)
  private val inFlight = new InFlight(p)
  private val progress = new Progress(p)
  private val walker = new Walker(p)

  // The host's writes, in the phase in which no table is read.
  private val host = Flow(TableWrite())
  io.host.ready := phase === Schedule.hostWrites - 1 && !sweep.isActive
  host.valid := RegNext(io.host.fire, init = False)
  host.payload := RegNext(io.host.payload)

  for ((partPhase, partSweep) <- Seq(
      (dispatcher.io.phase, dispatcher.io.sweep),
      (inFlight.io.phase, inFlight.io.sweep),
      (progress.io.phase, progress.io.sweep),
    )) {
    partPhase := phase
    partSweep := sweep
  }
  walker.io.phase := phase
  Seq(dispatcher.io.host, progress.io.host, walker.io.host).foreach(_ << host)
  dispatcher.io.balancer := io.settings.balancer
  dispatcher.io.free << inFlight.io.free
  dispatcher.io.released << inFlight.io.released
  inFlight.io.insert << dispatcher.io.insert
  inFlight.io.timeout := io.settings.timeout
  inFlight.io.retries := io.settings.retries

  // Messages come in. Stages between the parts take a message in two cycles, and let no path go through them.
  private def read(input: Axi4Stream.Axi4Stream): Stream[Received] = {
    val reader = new MessageReader(p)
    reader.io.input << input
    reader.io.output
  }
  private val request = read(io.requests)
  private val isCall = request.isSound && request.message.is(Kind.CALL)
  private val isStart = request.isSound && request.message.is(Kind.START)
  private val namesWorkflow = request.message.function.asUInt < p.workflows
  private val requestReason = Reason()
  requestReason := Reason.NONE
  when(isStart && !namesWorkflow)(requestReason := Reason.NO_WORKFLOW)
  when(!io.settings.enabled)(requestReason := Reason.DISABLED)
  when(!isCall && !isStart)(requestReason := Reason.MALFORMED)
  private val requestWays = StreamDemux(request, Mux(requestReason =/= Reason.NONE, U(2), Mux(isStart, U(1), U(0))), 3)
  private val requestRefused = requestWays(2).translateWith(request.message.because(requestReason.asBits.resized))

  private val completion = read(io.completions)
  private val isDone = completion.isSound && completion.message.is(Kind.DONE) &&
    Handle.isInRange(completion.message.tag, p.slotBits, p.generationBits)
  private val isOfHost = completion.isSound && (completion.message.is(Kind.RESOLVE) || completion.message.is(Kind.ABANDON)) &&
    Handle.isInRange(completion.message.invocation, p.invocationBits, p.generationBits) && completion.message.task < p.tasks
  private val completionWays = StreamDemux(completion, Mux(isDone, U(0), Mux(isOfHost, U(1), U(2))), 3)
  private val malformed = B(Reason.MALFORMED.position, 4 bits)
  private val completionRefused = completionWays(2).translateWith(completion.message.because(malformed))

  // Workers are done, or their time is over.
  private val done = Done(p)
  done.tag := Handle.of(completion.message.tag, p.slotBits, p.generationBits)
  done.key := completion.message.key
  done.payload := completion.message.payload
  done.payloadBytes := completion.message.payloadBytes
  inFlight.io.done << completionWays(0).translateWith(done).halfPipe()

  private val retired = inFlight.io.retired
  private val isCompleted = retired.outcome === Outcome.COMPLETED
  private val retiredWay =
    Mux(isCompleted, Mux(retired.work.isTask, U(0), U(1)), Mux(retired.outcome === Outcome.RETRIED, U(2), U(3)))
  private val retiredWays = StreamDemux(retired, retiredWay, 4)

  // Invocations: what completes goes before what begins.
  private val taskDone = event(Step.COMPLETE)
  taskDone.invocation := retired.work.invocation
  taskDone.task := retired.work.task
  taskDone.key := retired.work.key
  taskDone.payload := retired.work.payload
  taskDone.payloadBytes := retired.work.payloadBytes
  private val hostSays = event(Step.COMPLETE)
  when(completion.message.is(Kind.ABANDON))(hostSays.step := Step.ABANDON)
  hostSays.invocation := Handle.of(completion.message.invocation, p.invocationBits, p.generationBits)
  hostSays.task := completion.message.task.resized
  hostSays.key := completion.message.key
  hostSays.payload := completion.message.payload
  hostSays.payloadBytes := completion.message.payloadBytes
  private val begins = event(Step.START)
  begins.workflow := request.message.function(p.workflowBits - 1 downto 0).asUInt
  begins.request := request.message.request
  begins.key := request.message.key
  begins.payload := request.message.payload
  begins.payloadBytes := request.message.payloadBytes
  progress.io.events << StreamArbiterFactory().lowerFirst
    .on(
      Seq(
        retiredWays(0).translateWith(taskDone).halfPipe(),
        completionWays(1).translateWith(hostSays).halfPipe(),
        requestWays(1).translateWith(begins).halfPipe(),
      )
    )
    .halfPipe()

  private val job = progress.io.jobs.halfPipe()
  private val jobWay = job.effect.mux(Effect.RELEASE -> U(0), Effect.FINISHED -> U(1), default -> U(2))
  private val jobWays = StreamDemux(job, jobWay, 3)
  walker.io.jobs << jobWays(0)
  private val invocation = Message.zero()
  invocation.function := job.workflow.asBits.resized
  invocation.request := job.request
  invocation.key := job.key
  invocation.payload := job.payload.payload
  invocation.payloadBytes := job.payloadBytes
  private val finishedInvocation, refusedInvocation = Message()
  Seq(finishedInvocation, refusedInvocation).foreach(_.allowOverride())
  finishedInvocation := invocation
  finishedInvocation.kind := Kind.RESULT.position
  finishedInvocation.invocation := job.invocation.word
  refusedInvocation := invocation
  refusedInvocation.kind := Kind.START.position
  refusedInvocation.reason :=
    Mux(job.effect === Effect.NO_WORKFLOW, B(Reason.NO_WORKFLOW.position, 4 bits), B(Reason.INVOCATIONS_FULL.position, 4 bits))

  // Requests go to workers: those dispatched before come first, then tasks, then calls.
  private val call = Work(p)
  call.function := request.message.function
  call.request := request.message.request
  call.key := request.message.key
  call.payload := request.message.payload
  call.payloadBytes := request.message.payloadBytes
  call.isTask := False
  call.invocation.slot := 0
  call.invocation.generation := 0
  call.task := 0
  call.attempt := 0
  dispatcher.io.work << StreamArbiterFactory().lowerFirst
    .on(
      Seq(
        retiredWays(2).translateWith(retired.work).halfPipe(),
        walker.io.work,
        requestWays(0).translateWith(call).halfPipe(),
      )
    )
    .halfPipe()

  // Messages leave.
  private def write(messages: Stream[Message]): Axi4Stream.Axi4Stream = {
    val writer = new MessageWriter(p)
    writer.io.input << messages.halfPipe()
    writer.io.output
  }
  private val toWorker = dispatcher.io.dispatched.payload.work.message(Kind.DISPATCH)
  toWorker.tag := dispatcher.io.dispatched.tag.word
  toWorker.worker := dispatcher.io.dispatched.worker.resized
  io.dispatched << write(dispatcher.io.dispatched.translateWith(toWorker))

  private val results = Seq(
    retiredWays(1).translateWith(retired.work.message(Kind.RESULT)),
    jobWays(1).translateWith(finishedInvocation),
  )
  io.results << write(StreamArbiterFactory().roundRobin.on(results.map(_.halfPipe())))

  /** Joins streams two by two, with a register after each arbiter, so that no path goes through more than one. */
  private def join(streams: Seq[Stream[Message]]): Stream[Message] = streams match {
    case Seq(one) => one
    case many     => join(many.grouped(2).map(pair => StreamArbiterFactory().roundRobin.on(pair).halfPipe()).toSeq)
  }
  private def refusal(work: Work, reason: Bits): Message = {
    val message = work.message(Kind.CALL)
    when(work.isTask)(message.kind := Kind.DISPATCH.position)
    message.because(reason)
  }
  private val exhausted = refusal(retired.work, B(Reason.EXHAUSTED.position, 4 bits))
  private val refused = refusal(dispatcher.io.refused.work, dispatcher.io.refused.reason.asBits.resized)
  private val slow = Seq(
    requestRefused,
    completionRefused,
    dispatcher.io.refused.translateWith(refused),
    retiredWays(3).translateWith(exhausted),
    jobWays(2).translateWith(refusedInvocation),
  )
  private val slowMessages = join(slow.map(_.halfPipe()))
  io.slow << write(slowMessages)

  private def event(step: SpinalEnumElement[Step.type]): ProgressStep = {
    val event = ProgressStep(p)
    event.step := step
    event.invocation.slot := 0
    event.invocation.generation := 0
    event.task := 0
    event.workflow := 0
    event.request := 0
    event.allowOverride()
    event
  }

  private val counters = Reg(DispatchCounters())
  counters.flatten.foreach { case counter: UInt => counter.init(0) }
  io.counters := counters
  private def count(counter: UInt, event: Bool): Unit = when(RegNext(event, init = False))(counter := counter + 1)
  count(counters.requests, request.fire)
  count(counters.completions, completion.fire)
  count(counters.dispatched, dispatcher.io.dispatched.fire)
  count(counters.retried, retiredWays(2).fire)
  count(counters.stale, inFlight.io.stale)
  count(counters.started, jobWays(0).fire && job.isStart)
  count(counters.finished, jobWays(1).fire)
  count(counters.abandoned, progress.io.abandoned)
  count(counters.results, retiredWays(1).fire)
  private val slowReason = slowMessages.payload.reason
  for ((counter, reason) <- Seq(
      counters.malformed -> Reason.MALFORMED,
      counters.disabled -> Reason.DISABLED,
      counters.withoutWorker -> Reason.NO_WORKER,
      counters.tableFull -> Reason.TABLE_FULL,
      counters.exhausted -> Reason.EXHAUSTED,
      counters.withoutWorkflow -> Reason.NO_WORKFLOW,
      counters.invocationsFull -> Reason.INVOCATIONS_FULL,
    )) count(counter, slowMessages.fire && slowReason === reason.position)
}
