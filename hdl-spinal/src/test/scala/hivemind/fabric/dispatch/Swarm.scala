package hivemind.fabric.dispatch

import scala.collection.mutable
import scala.util.Random

/** Clients, workers and a host around an engine, all by chance; what passes is checked by a [[Reference]].
  *
  * @param isLossy workers lose requests, answer late and twice
  * @param window requests that may be open at once
  */
class Swarm(dut: Dispatch, random: Random, policy: Int, isLossy: Boolean, window: Int, gap: Double, stall: Double) {
  private val p = dut.p
  val bench = new Bench(dut, random, gap, stall)
  private val retries = if (isLossy) random.nextInt(3) else 0
  bench.start(policy, timeout = if (isLossy) 30 else 0, retries = retries)

  private def id() = random.nextInt() & 0xffffffffL
  private val workersOf: Map[Long, Seq[Int]] = Iterator
    .continually(id() -> random.shuffle((0 until p.workers).toList).take(1 + random.nextInt(p.workersPerFunction)))
    .filter { case (function, members) => bench.loadFunction(function, members) }
    .take(6)
    .toMap
  private val strangers = Seq.fill(2)(id())
  private def someFunction() = if (random.nextInt(15) == 0) strangers(random.nextInt(2)) else workersOf.keys.toSeq(random.nextInt(workersOf.size))
  private val flows: Map[Long, Flow] = (0 until p.workflows - 1).map { n =>
    val flow = Flow.random(random, p.tasks, Seq.fill(4)(someFunction()))
    bench.loadFlow(n, flow)
    n.toLong -> flow
  }.toMap

  val reference = new Reference(workersOf, flows, retries, isLossy, mayBeFull = window * p.tasks > p.inFlight)
  private case class Later(at: Long, run: () => Unit)
  private val later = mutable.ArrayBuffer[Later]()
  private def soon(limit: Int)(run: => Unit): Unit = later += Later(bench.cycle + random.nextInt(limit), () => run)

  private def answer(message: Msg): Unit = {
    val done = Msg(Msg.Done, tag = message.tag, key = id(), payload = id(), payloadBytes = random.nextInt(65536))
    def send(): Unit = {
      reference.done(done)
      bench.complete(done)
    }
    val delay = if (isLossy && random.nextInt(4) == 0) 1500 else 100
    if (!isLossy || random.nextInt(5) > 0) soon(delay)(send())
    if (random.nextInt(10) == 0) soon(delay)(send())
  }
  private def see(message: Msg, task: Int): Unit = soon(300) {
    val isOpen = reference.open.exists(_.request == message.request)
    if (isOpen && random.nextInt(5) == 0) {
      reference.abandoned(message.request)
      bench.complete(Msg(Msg.Abandon, invocation = message.invocation))
    } else if (isOpen) {
      val resolve =
        Msg(Msg.Resolve, task, key = id(), payload = id(), payloadBytes = random.nextInt(65536), invocation = message.invocation)
      reference.resolved(message.request, resolve)
      bench.complete(resolve)
    }
  }

  private def request(): Unit = {
    val isStart = random.nextBoolean()
    val function = if (isStart) random.nextInt(p.workflows + 1).toLong else someFunction()
    val kind = if (isStart) Msg.Start else Msg.Call
    val message = Msg(kind, function = function, request = id(), key = id(), payload = id(), payloadBytes = random.nextInt(65536))
    reference.requested(message)
    bench.send(message)
  }

  /** A frame that is no message for the port. What the engine reports of it: its first 32 bytes, and zeros after the first word. */
  private def broken(): Unit = {
    val good = Msg(1 + random.nextInt(7), random.nextInt(256), function = 3, request = id(), tag = 0xffffffffL, invocation = 0xffffffffL)
    val atRequests = random.nextBoolean()
    val bytes = random.nextInt(6) match {
      case 0 => good.bytes.take(if (random.nextBoolean()) 16 else 1 + random.nextInt(31))
      case 1 => good.bytes ++ Seq.fill(if (random.nextBoolean()) 16 else 1 + random.nextInt(100))(7.toByte)
      case 2 => good.bytes.updated(0, 0x5c.toByte)
      case 3 => good.bytes.updated(1, (0x20 | good.kind).toByte)
      case 4 => good.copy(kind = Seq(0, 8, 15)(random.nextInt(3))).bytes
      case _ => good.copy(kind = if (atRequests) 3 + random.nextInt(5) else Seq(1, 2, 3, 7, 4, 5, 6)(random.nextInt(7))).bytes
    }
    val padded = bytes.take(32).padTo(32, 0.toByte)
    reference.sentMalformed(Msg.of(padded).copy(reason = 0))
    if (atRequests) bench.sendBytes(bytes) else bench.completeBytes(bytes)
  }

  private def step(): Unit = {
    bench.step()
    while (bench.dispatched.nonEmpty) {
      val message = bench.dispatched.dequeue()
      reference.dispatched(message)
      answer(message)
    }
    while (bench.results.nonEmpty) reference.result(bench.results.dequeue())
    while (bench.slow.nonEmpty) {
      val message = bench.slow.dequeue()
      for (task <- reference.slow(message)) see(message, task)
    }
    val (now, rest) = later.partition(_.at <= bench.cycle)
    later.clear()
    later ++= rest
    now.foreach(_.run())
  }

  def run(requests: Int): Unit = {
    var sent = 0
    while (sent < requests || reference.open.nonEmpty || later.nonEmpty) {
      if (sent < requests && reference.open.size < window && bench.waiting < 8) {
        request()
        sent += 1
        if (random.nextInt(8) == 0) broken()
      }
      step()
      assert(bench.cycle < 4000000, s"never ends: ${reference.open}")
    }
    val until = bench.cycle + 1500
    while (bench.cycle < until) step()
    assert(reference.open.isEmpty && reference.allMalformedSeen, "something was lost")
  }
}
