package hivemind.fabric.dispatch

import scala.util.Random

/** Messages for tests, written byte by byte without the tables of the hardware. */
case class Msg(
    kind: Int,
    task: Int = 0,
    attempt: Int = 0,
    reason: Int = 0,
    function: Long = 0,
    request: Long = 0,
    tag: Long = 0,
    key: Long = 0,
    payload: Long = 0,
    invocation: Long = 0,
    payloadBytes: Int = 0,
    worker: Int = 0,
) {
  def bytes: IndexedSeq[Byte] = {
    def be(value: Long, size: Int) = (size - 1 to 0 by -1).map(n => (value >> (8 * n)).toByte)
    val start = IndexedSeq(0x5d, 0x10 | kind, task, (attempt << 4) | reason).map(_.toByte)
    start ++ Seq(function, request, tag, key, payload, invocation).flatMap(be(_, 4)) ++ be(payloadBytes, 2) ++ be(worker, 2)
  }
}

object Msg {
  val Call = 1; val Start = 2; val Dispatch = 3; val Done = 4; val Resolve = 5; val Abandon = 6; val Result = 7
  val Malformed = 1; val Disabled = 2; val NoWorker = 3; val TableFull = 4; val Exhausted = 5; val NoWorkflow = 6; val InvocationsFull = 7

  def of(bytes: IndexedSeq[Byte]): Msg = {
    def at(offset: Int, size: Int) = bytes.slice(offset, offset + size).foldLeft(0L)((sum, byte) => (sum << 8) | (byte & 0xff))
    Msg(
      kind = (at(1, 1) & 15).toInt,
      task = at(2, 1).toInt,
      attempt = (at(3, 1) >> 4).toInt,
      reason = (at(3, 1) & 15).toInt,
      function = at(4, 4),
      request = at(8, 4),
      tag = at(12, 4),
      key = at(16, 4),
      payload = at(20, 4),
      invocation = at(24, 4),
      payloadBytes = at(28, 2).toInt,
      worker = at(30, 2).toInt,
    )
  }
}

/** The tasks of a workflow that a test loads: parents and function of each. */
case class Flow(parents: Map[Int, Set[Int]], functions: Map[Int, Long]) {
  val tasks: Set[Int] = parents.keySet
  def children(task: Int): Set[Int] = tasks.filter(parents(_).contains(task))
  val roots: Set[Int] = tasks.filter(parents(_).isEmpty)
}

object Flow {

  /** A random graph without cycles: chains, fans, joins and barriers as they come. */
  def random(random: Random, limit: Int, functions: Seq[Long]): Flow = {
    val ids = random.shuffle((0 until limit).toList).take(1 + random.nextInt(limit))
    val density = Seq(0.15, 0.4, 0.9)(random.nextInt(3))
    val parents = ids.zipWithIndex.map { case (id, n) =>
      id -> ids.take(n).filter(_ => random.nextDouble() < density).toSet
    }.toMap
    Flow(parents, ids.map(_ -> functions(random.nextInt(functions.size))).toMap)
  }

  def chain(length: Int, function: Long): Flow =
    Flow((0 until length).map(n => n -> (if (n == 0) Set[Int]() else Set(n - 1))).toMap, (0 until length).map(_ -> function).toMap)

  /** One task, then `width` at once, then one that joins them. */
  def diamond(width: Int, function: Long): Flow = {
    val middle = (1 to width).toSet
    val parents = Map(0 -> Set[Int]()) ++ middle.map(_ -> Set(0)) ++ Map(width + 1 -> middle)
    Flow(parents, parents.keySet.map(_ -> function).toMap)
  }
}

/** CRC-16 with polynomial 0x1021, from 0, bit by bit. */
object Crc {
  def apply(value: Long): Int = (31 to 0 by -1).foldLeft(0) { (crc, n) =>
    val out = ((crc >> 15) & 1) ^ ((value >> n) & 1).toInt
    ((crc << 1) & 0xffff) ^ (if (out == 1) 0x1021 else 0)
  }
}
