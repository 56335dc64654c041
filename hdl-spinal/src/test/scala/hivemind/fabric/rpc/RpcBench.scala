package hivemind.fabric.rpc

import hivemind.fabric.net.Frames.Frame
import hivemind.fabric.net.Host
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** An engine with connections. */
class RpcBench(dut: RpcEngine, p: RpcParameters, seed: Int, isCalm: Boolean = false, isBroken: Long => Boolean = _ => false) {
  val random = new Random(seed)
  private val (gap, stall) = if (isCalm) (0.0, 0.0) else (Seq(0.0, 0.3)(seed % 2), Seq(0.0, 0.3, 0.7)(seed % 3))
  val board = new RpcHarness(dut, p, random, gap, stall, if (isCalm) (4, 5) else Seq((0, 1), (5, 60), (0, 30))(seed / 2 % 3), isBroken)
  val host = new RpcHost(board)
  val peers: mutable.Map[Int, Peering] = mutable.Map()
  for (number <- random.shuffle((0 until p.connections).toList).take(6)) {
    val peer = Host(0x020000000000L + random.nextInt(1 << 30), random.nextInt(), random.nextInt(65536))
    connect(number, Peering(peer, random.nextInt(p.flows)))
  }
  def connect(number: Int, peering: Peering): Unit = {
    assert(board.connect(number, peering.peer, peering.flow) == 0)
    peers(number) = peering
  }
  def active(flows: Set[Int]): Unit = board.write(RpcHarness.At.Active, flows.map(1L << _).sum)
  def someFlows: Set[Int] = {
    val flows = (0 until p.flows).filter(_ => random.nextBoolean()).toSet
    if (flows.isEmpty) Set(random.nextInt(p.flows)) else flows
  }
  def same(what: String, got: Any, expected: Any): Unit = assert(got == expected, s"seed $seed, $what: $got instead of $expected")
  def until(what: String)(isDone: => Boolean): Unit = {
    val deadline = board.now + 15000
    while (!isDone) assert(board.now < deadline, s"seed $seed: waited in vain for $what")
  }

  /** Lines of each flow are in the order in which they came, each unchanged and at most once. */
  def checkReceived(arrivals: Seq[Arrival]): Map[Int, Int] = {
    val places = arrivals.filter(_.outcome == "ring").map(_.call).zipWithIndex.map { case (call, n) => call.id -> (n, call) }.toMap
    val flows = mutable.Map[Int, Int]()
    for ((lines, flow) <- host.received.zipWithIndex) {
      var latest = -1
      for (line <- lines) {
        val id = Call.id(line)
        assert(places.contains(id) && line == places(id)._2.line, s"seed $seed: flow $flow has a line that was not sent: $line")
        assert(places(id)._1 > latest, s"seed $seed: line $id is out of order in flow $flow")
        assert(!flows.contains(id), s"seed $seed: line $id came twice")
        latest = places(id)._1
        flows(id) = flow
      }
    }
    flows.toMap
  }

  /** Frames that left are those of the lines of each flow, in their order. */
  def checkSent(produced: Seq[(Int, Call)], expected: Map[Int, Frame]): Unit = {
    val flowOf = produced.map { case (flow, call) => call.id -> flow }.toMap
    val left = board.out.groupBy(frame => flowOf.getOrElse(Call.id(frame.drop(42)), -1))
    for (flow <- -1 until p.flows) {
      val due = produced.collect { case (`flow`, call) if expected.contains(call.id) => expected(call.id) }
      val got = left.getOrElse(flow, Seq()).toSeq
      assert(got == due, s"seed $seed: flow $flow sent ${got.size} frames, ${due.size} are due, or they differ")
    }
  }

  /** Lets cycles pass. */
  def clock(cycles: Int): Unit = sleep(10L * cycles)
}

object RpcBench {

  /** A line for a transmit ring, and the frame that it becomes, if any. */
  def outgoing(random: Random, id: Int, peers: collection.Map[Int, Peering], p: RpcParameters): (Call, Option[Frame]) = {
    val numbers = peers.keys.toSeq.sorted
    val call = Call(numbers(random.nextInt(numbers.size)), id, random.nextInt(), 1 + random.nextInt(2), length = random.nextInt(49), filler = random.nextInt().toByte)
    random.nextInt(14) match {
      case 0 => (call.copy(connection = (0 until p.connections).filterNot(numbers.contains).head), None)
      case 1 => (call.copy(connection = call.connection + 16 * p.connections), None)
      case 2 => (call.copy(version = 0), None)
      case 3 => (call.copy(kind = 3), None)
      case 4 => (call.copy(length = 49), None)
      case _ => (call, Some(RpcReference.frame(call, peers.toMap)))
    }
  }
}
