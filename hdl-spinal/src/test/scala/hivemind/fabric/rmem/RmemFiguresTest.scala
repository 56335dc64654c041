package hivemind.fabric.rmem

import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** What a 64-byte request costs in cycles, with the default parameters and a memory that answers in 10 cycles. The bounds are
  * those of docs/bench/fabric-rmem.md.
  */
class RmemFiguresTest extends AnyFunSuite {
  private val p = RmemParameters()
  private val memoryCycles = 10
  private val bytes = 64

  private def run(name: String, messages: Seq[Message]): (Long, Seq[Long]) = {
    var result: (Long, Seq[Long]) = null
    RmemHarness.usual.doSim(name, 1) { dut =>
      val random = new Random(1)
      val board = new RmemHarness(dut, p, random, 0, 0)
      board.start(new TestMemory(dut.io.memory, dut.clockDomain, random, 1 << 20, (memoryCycles, memoryCycles), 0, _ => false).start())
      for (n <- 0 until 16) assert(board.insert(Placed(n, n * 0x1000L, 0x1000, 1, 1)) == 0)
      val start = board.now
      messages.foreach(board.send)
      board.settle(messages.size)
      assert(board.out.forall(_(8) == 0), "a request was refused")
      result = (start, board.times.toSeq)
    }
    result
  }
  private def read(n: Int) = Message.read(n % 16, 64L * (n / 16 % 64), bytes)
  private def write(n: Int) = Message.write(n % 16, 64L * (n / 16 % 64), Seq.fill(bytes)(n.toByte))

  for ((name, message, most) <- Seq(("read", read _, 43L), ("write", write _, 42L))) test(s"a $name of 64 bytes takes at most $most cycles from its first beat to its last") {
    val (start, times) = run(s"rmem-latency-$name", Seq(message(0)))
    info(s"rmem figure: latency of a $name of $bytes B: ${times.head - start} cycles, $memoryCycles of them the memory's")
    assert(times.head - start <= most)
  }

  for ((name, message, most) <- Seq[(String, Int => Message, Double)](("reads", read, 5.2), ("writes", write, 6.2), ("reads and writes in turn", n => if (n % 2 == 0) read(n) else write(n), 6.2)))
    test(s"$name of 64 bytes leave every $most cycles") {
      val (_, times) = run(s"rmem-rate-${name.take(5)}${name.length}", (0 until 2000).map(message))
      val each = (times(1899) - times(99)) / 1800.0
      info(f"rmem figure: $name of $bytes B: one every $each%.2f cycles")
      assert(each <= most)
    }
}
