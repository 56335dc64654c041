package hivemind.fabric.dispatch

import scala.collection.mutable

/** What the engine is meant to do, written from the documents alone: it is told every message that goes in or comes out, in the
  * order of each port, and throws an error at the first that may not be. Requests are known by their `request`, which tests
  * choose unique.
  *
  * @param isLossy whether requests may time out; without, the payload of each task is known exactly
  * @param mayBeFull whether a table may overflow
  */
class Reference(
    workersOf: Map[Long, Seq[Int]],
    flows: Map[Long, Flow],
    retries: Int,
    isLossy: Boolean,
    mayBeFull: Boolean,
) {
  private class Life(val request: Msg) {
    val attempts = mutable.Map[Int, Int]().withDefaultValue(0)

    /** What was sent as done, of each task: 0 in a call. */
    val done = mutable.Map[Int, Set[Msg]]().withDefaultValue(Set())

    /** What came with the message that made a task due. */
    val due = mutable.Map[Int, Msg]()
    var handle: Option[Long] = None
    val withHost = mutable.Set[Int]()
    var isResolved = false
    var isOver = false
    var end = ""
  }
  private val lives = mutable.LinkedHashMap[Long, Life]()
  private val tags = mutable.Map[Long, (Life, Int)]()
  private val malformed = mutable.Map[Msg, Int]().withDefaultValue(0)

  private def check(holds: Boolean, message: => String): Unit = if (!holds) throw new AssertionError(message)
  private def inputOf(message: Msg) = (message.key, message.payload, message.payloadBytes)

  def requested(message: Msg): Unit = {
    val life = new Life(message)
    lives(message.request) = life
    for (flow <- flowOf(life); task <- flow.roots) life.due(task) = message
  }
  def sentMalformed(message: Msg): Unit = malformed(message) += 1
  private def flowOf(life: Life) = if (life.request.kind == Msg.Start) flows.get(life.request.function) else None

  /** A DONE goes in. */
  def done(message: Msg): Unit = for ((life, task) <- tags.get(message.tag)) complete(life, task, message)

  /** A RESOLVE goes in, for a task that the host has. */
  def resolved(request: Long, message: Msg): Unit = {
    lives(request).isResolved = true
    complete(lives(request), message.task, message)
  }
  def abandoned(request: Long): Unit = close(lives(request), "abandoned")

  private def complete(life: Life, task: Int, message: Msg): Unit = {
    val isFirst = life.done(task).isEmpty
    life.done(task) += message
    for (flow <- flowOf(life) if isFirst; child <- flow.children(task))
      if (flow.parents(child).forall(life.done(_).nonEmpty)) life.due(child) = message
  }

  def dispatched(message: Msg): Unit = {
    val life = lives.getOrElse(message.request, throw new AssertionError(s"invented: $message"))
    check(message.kind == Msg.Dispatch && message.reason == 0, s"no dispatch: $message")
    check(!life.isOver || life.end == "abandoned", s"dispatched after its end (${life.end}): $message")
    check(!tags.contains(message.tag), s"a tag comes twice: $message")
    check(message.attempt == life.attempts(message.task), s"attempt ${life.attempts(message.task)} was due: $message")
    check(message.attempt == 0 || (isLossy && message.attempt <= retries), s"dispatched again: $message")
    check(workersOf.get(message.function).exists(_.contains(message.worker)), s"not a worker of its function: $message")
    life.attempts(message.task) += 1
    tags(message.tag) = (life, message.task)
    flowOf(life) match {
      case None =>
        check(message.task == 0 && message.invocation == 0, s"a call is no task: $message")
        check(message.function == life.request.function && inputOf(message) == inputOf(life.request), s"changed: $message")
      case Some(flow) =>
        check(flow.tasks.contains(message.task), s"no task of its workflow: $message")
        check(life.due.contains(message.task), s"dispatched before its parents: $message")
        check(message.function == flow.functions(message.task), s"another function: $message")
        check(life.handle.forall(_ == message.invocation), s"another invocation: $message")
        if (life.handle.isEmpty)
          check(!lives.values.exists(each => !each.isOver && each.handle.contains(message.invocation)), s"a handle in use: $message")
        life.handle = Some(message.invocation)
        val isExact = !isLossy && !life.isResolved
        val inputs = flow.parents(message.task).flatMap(life.done(_)).map(inputOf) ++ life.due.get(message.task).map(inputOf)
        if (isExact) check(inputOf(message) == inputOf(life.due(message.task)), s"not what released it: $message")
        else check(inputs.contains(inputOf(message)), s"not what released it: $message")
    }
  }

  def result(message: Msg): Unit = {
    val life = lives.getOrElse(message.request, throw new AssertionError(s"invented: $message"))
    check(message.kind == Msg.Result && message.function == life.request.function, s"no result: $message")
    val last: Set[Msg] = flowOf(life) match {
      case None => life.done(0)
      case Some(flow) =>
        for (task <- flow.tasks) check(life.done(task).nonEmpty, s"finished without task $task: $message")
        check(life.handle.forall(_ == message.invocation), s"another invocation: $message")
        flow.tasks.flatMap(life.done(_))
    }
    check(last.map(inputOf).contains(inputOf(message)), s"a result that nobody sent: $message")
    close(life, "result")
  }

  /** A message on the slow path. Returns the task that the host is to see to, if any. */
  def slow(message: Msg): Option[Int] = {
    if (message.reason == Msg.Malformed) {
      check(malformed(message.copy(reason = 0)) > 0, s"not sent so: $message")
      malformed(message.copy(reason = 0)) -= 1
      return None
    }
    val life = lives.getOrElse(message.request, throw new AssertionError(s"invented: $message"))
    if (life.end == "abandoned") return None
    check(!life.isOver, s"refused after its end (${life.end}): $message")
    val hasWorkers = workersOf.contains(message.function)
    message.reason match {
      case Msg.NoWorker        => check(message.kind != Msg.Start && !hasWorkers, s"it has workers: $message")
      case Msg.NoWorkflow      => check(message.kind == Msg.Start && flowOf(life).isEmpty, s"it is loaded: $message")
      case Msg.TableFull       => check(mayBeFull && message.kind != Msg.Start && hasWorkers, s"not full: $message")
      case Msg.InvocationsFull => check(mayBeFull && message.kind == Msg.Start && flowOf(life).nonEmpty, s"not full: $message")
      case Msg.Exhausted       => check(isLossy && message.attempt == retries && hasWorkers, s"not exhausted: $message")
      case _                   => check(false, s"no such reason here: $message")
    }
    if (message.kind == Msg.Dispatch) {
      check(flowOf(life).exists(_.functions.get(message.task).contains(message.function)), s"no task: $message")
      check(life.due.contains(message.task), s"refused before its parents: $message")
      check(life.withHost.add(message.task), s"the host has it already: $message")
      if (life.handle.isEmpty) life.handle = Some(message.invocation)
      check(life.handle.contains(message.invocation), s"another invocation: $message")
      Some(message.task)
    } else {
      check(message.kind == life.request.kind && message.function == life.request.function, s"changed: $message")
      check(inputOf(message) == inputOf(life.request), s"changed: $message")
      close(life, s"slow, reason ${message.reason}")
      None
    }
  }

  private def close(life: Life, end: String): Unit = {
    check(!life.isOver, s"ends twice, ${life.end} and $end: ${life.request}")
    life.isOver = true
    life.end = end
  }

  /** Requests that have not ended. */
  def open: Seq[Msg] = lives.values.filterNot(_.isOver).map(_.request).toSeq
  def ends: Map[String, Int] = lives.values.groupBy(_.end).map { case (end, all) => end -> all.size }
  def allMalformedSeen: Boolean = malformed.values.forall(_ == 0)
}
