package hivemind.fabric.dispatch

import hivemind.fabric.{Model, Models}
import spinal.core._
import spinal.core.sim._
import spinal.lib.bus.amba4.axis.Axi4Stream.Axi4Stream

import scala.collection.mutable
import scala.util.Random

/** The engine as one simulation model, compiled once for all tests of a process. */
object DispatchHarness {
  val parameters: DispatchParameters = DispatchParameters(
    functions = 16,
    workers = 16,
    workersPerFunction = 4,
    workflows = 8,
    tasks = 16,
    invocations = 16,
    inFlight = 32,
    tickCycles = 16,
  )
  lazy val compiled: Model[Dispatch] = Models.compile(new Dispatch(parameters))
  type Beat = (BigInt, BigInt, Boolean)

  /** A frame of bytes as beats. */
  def beats(bytes: IndexedSeq[Byte]): Seq[Beat] = {
    val words = bytes.grouped(16).toSeq
    for ((word, n) <- words.zipWithIndex) yield {
      val data = word.zipWithIndex.map { case (byte, lane) => BigInt(byte & 0xff) << (8 * lane) }.sum
      (data, (BigInt(1) << word.size) - 1, n == words.size - 1)
    }
  }
}

/** Drives an engine cycle by cycle: sends what is in its queues, with gaps, and hands on what comes out, with stalls.
  *
  * @param gap probability of a cycle without a beat at each input
  * @param stall probability of a cycle in which an output is not taken
  */
class Bench(dut: Dispatch, random: Random, gap: Double = 0, stall: Double = 0) {
  import DispatchHarness.{beats, Beat}
  private val p = dut.p
  private val clock = dut.clockDomain
  private val requests, completions = mutable.Queue[Beat]()
  val dispatched, results, slow = mutable.Queue[Msg]()
  var cycle = 0L

  private class Input(stream: Axi4Stream, queue: mutable.Queue[Beat]) {
    private var isDriven = false
    def step(): Unit = {
      if (isDriven && stream.ready.toBoolean) {
        queue.dequeue()
        isDriven = false
      }
      if (!isDriven) {
        isDriven = queue.nonEmpty && random.nextDouble() >= gap
        stream.valid #= isDriven
        if (isDriven) {
          stream.data #= queue.head._1
          stream.keep #= queue.head._2
          stream.last #= queue.head._3
        }
      }
    }
  }

  private class Output(stream: Axi4Stream, queue: mutable.Queue[Msg], name: String) {
    private var held: Option[Beat] = None
    private val bytes = mutable.ArrayBuffer[Byte]()
    private var isReady = false
    var isBlocked = false
    def step(): Unit = {
      val beat = (stream.data.toBigInt, stream.keep.toBigInt, stream.last.toBoolean)
      if (stream.valid.toBoolean) {
        assert(held.forall(_ == beat), s"$name changed while it waited")
        held = if (isReady) None else Some(beat)
        if (isReady) {
          assert(beat._2 == 0xffff, s"$name has a gap")
          bytes ++= (0 until 16).map(n => ((beat._1 >> (8 * n)) & 0xff).toByte)
          assert(beat._3 == (bytes.size == 32), s"$name: a message of ${bytes.size} bytes")
          if (beat._3) {
            assert(bytes(0) == 0x5d && (bytes(1) >> 4) == 1, s"$name: magic or version")
            queue += Msg.of(bytes.toIndexedSeq)
            bytes.clear()
          }
        }
      } else assert(held.isEmpty, s"$name took a beat back")
      isReady = !isBlocked && random.nextDouble() >= stall
      stream.ready #= isReady
    }
  }
  private val inputs = Seq(new Input(dut.io.requests, requests), new Input(dut.io.completions, completions))
  private val toWorkers = new Output(dut.io.dispatched, dispatched, "dispatched")
  private val outputs = Seq(toWorkers, new Output(dut.io.results, results, "results"), new Output(dut.io.slow, slow, "slow"))

  /** Holds the workers' stream up, or lets it go. */
  def block(isBlocked: Boolean): Unit = toWorkers.isBlocked = isBlocked

  def send(message: Msg): Unit = sendBytes(message.bytes)
  def sendBytes(bytes: IndexedSeq[Byte]): Unit = requests ++= beats(bytes)
  def complete(message: Msg): Unit = completeBytes(message.bytes)
  def completeBytes(bytes: IndexedSeq[Byte]): Unit = completions ++= beats(bytes)
  def waiting: Int = requests.size + completions.size

  def step(): Unit = {
    clock.waitSampling()
    cycle += 1
    inputs.foreach(_.step())
    outputs.foreach(_.step())
  }
  def steps(count: Int): Unit = for (_ <- 0 until count) step()

  /** Runs until nothing has come out for a while. */
  def settle(quiet: Int = 150): Unit = {
    var seen = -1
    var since = 0
    while (since < quiet || waiting > 0) {
      step()
      val now = dispatched.size + results.size + slow.size
      since = if (now == seen) since + 1 else 0
      seen = now
    }
  }

  def start(balancer: Int = 0, timeout: Int = 0, retries: Int = 0, enabled: Boolean = true): Unit = {
    SimTimeout(400000000L)
    for (stream <- Seq(dut.io.requests, dut.io.completions)) stream.valid #= false
    for (stream <- Seq(dut.io.dispatched, dut.io.results, dut.io.slow)) stream.ready #= false
    dut.io.host.valid #= false
    set(balancer, timeout, retries, enabled)
    clock.forkStimulus(10)
    clock.waitSamplingWhere(dut.io.isReady.toBoolean)
  }
  def set(balancer: Int = 0, timeout: Int = 0, retries: Int = 0, enabled: Boolean = true): Unit = {
    dut.io.settings.enabled #= enabled
    dut.io.settings.balancer #= Seq(Balancer.ROUND_ROBIN, Balancer.RANDOM, Balancer.LEAST_LOADED, Balancer.KEY_HASH)(balancer)
    dut.io.settings.timeout #= timeout
    dut.io.settings.retries #= retries
  }

  /** Writes a row of a table. */
  def write(table: SpinalEnumElement[Table.type], address: Int, data: BigInt): Unit = {
    dut.io.host.valid #= true
    dut.io.host.table #= table
    dut.io.host.address #= address
    dut.io.host.data #= data
    do step() while (!dut.io.host.ready.toBoolean)
    dut.io.host.valid #= false
    step()
  }

  private val placed = mutable.Map[Int, Long]()

  /** Loads the workers of a function; false when both places of its hash are taken. */
  def loadFunction(function: Long, members: Seq[Int]): Boolean = {
    val set = Crc(function) % (p.functions / 2)
    val places = Seq(0, 1).map(way => way * (p.functions / 2) + set)
    places.find(place => placed.get(place).contains(function)).orElse(places.find(!placed.contains(_))) match {
      case None => false
      case Some(place) =>
        placed(place) = function
        val row = members.zipWithIndex.map { case (worker, n) => BigInt(worker) << (40 + 8 * n) }.sum
        write(Table.MATCH, place, row | (BigInt(members.size) << 32) | function)
        true
    }
  }

  def loadFlow(id: Int, flow: Flow): Unit = {
    def bits(tasks: Set[Int]) = tasks.map(BigInt(1) << _).sum
    for (task <- flow.tasks) {
      write(Table.TASK_PARENTS, id * p.tasks + task, bits(flow.parents(task)) | (BigInt(flow.functions(task)) << 64))
      write(Table.TASK_CHILDREN, id * p.tasks + task, bits(flow.children(task)))
    }
    write(Table.WORKFLOW, id, bits(flow.tasks) | (bits(flow.roots) << 64))
  }
}
