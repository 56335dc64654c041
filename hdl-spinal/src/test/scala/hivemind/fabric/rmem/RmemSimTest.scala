package hivemind.fabric.rmem

import hivemind.fabric.IdBlock
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.mutable
import scala.util.Random

/** The engine against `RmemReference`, with a memory that answers late, out of step and with errors. */
class RmemSimTest extends AnyFunSuite {
  private val p = RmemHarness.small
  private val full = sys.env.get("HIVEMIND_HDL_QUICK").isEmpty
  private val seeds = if (full) 60 else 12

  for (group <- 0 until 4) test(s"answers as the reference does: every fourth of $seeds seeds from $group") {
    for (seed <- group until seeds by 4) RmemHarness.compiled.doSim(s"rmem-$seed", seed) { dut => RmemScenario.run(dut, seed, phases = 4, messages = 120) }
  }

  test("the identity is read back, a register keeps what is written") {
    RmemHarness.compiled.doSim("rmem-identity", 1) { dut =>
      val board = RmemScenario.started(dut, new Random(1))._1
      assert(board.read(0) == IdBlock.word(RmemRegisters.code).toLong)
      assert(board.read(4) == RmemRegisters.version)
      assert((board.read(0xc) >> 12 & 15) == 3)
      board.write(0x1c, 0xdeadbeefL)
      assert(board.read(0x1c) == 0xdeadbeefL)
      assert(board.read(RmemHarness.Limits) == (p.maxBytes | (p.sets * p.ways) << 16))
    }
  }

  test("a command at once after the reset waits for the table to be emptied") {
    RmemHarness.compiled.doSim("rmem-early", 1) { dut =>
      val random = new Random(2)
      val board = new RmemHarness(dut, p.copy(sets = 16), random, 0, 0)
      board.start(new TestMemory(dut.io.memory, dut.clockDomain, random, RmemScenario.memorySize, (0, 1), 0, _ => false).start())
      assert(board.insert(Placed(5, 0, 64, 1, 1)) == 0 && board.remove(5) == 0 && board.remove(5) == 1)
    }
  }

  test("a removed object is out of reach when the command has ended, and requests from before it are answered by it") {
    for (seed <- 0 until (if (full) 20 else 5)) RmemHarness.compiled.doSim(s"rmem-revoked-$seed", seed)(RmemScenario.revoke(_, seed))
  }

  test("no more is read than there is room for") {
    RmemHarness.compiled.doSim("rmem-flood", 1)(RmemScenario.flood(_, 1))
  }

  test("a read after a write sees it, a write after a read does not change it, whatever the memory does") {
    for (seed <- 0 until (if (full) 20 else 5)) RmemHarness.compiled.doSim(s"rmem-order-$seed", seed) { dut =>
      val random = new Random(seed)
      val (board, _) = RmemScenario.started(dut, random)
      assert(board.insert(Placed(1, 0x1000, 64, 1, 1)) == 0)
      val values = Seq.fill(100)(random.nextInt().toByte)
      val messages = values.zipWithIndex.flatMap { case (value, n) => Seq(Message.write(1, 8, Seq.fill(40)(value), n), Message.read(1, 8, 40, n)) }
      messages.foreach(board.send)
      board.settle(messages.size)
      val seen = board.out.zipWithIndex.collect { case (answer, n) if n % 2 == 1 => answer.drop(16).toSet }
      assert(seen == values.map(Set(_)).to(mutable.ArrayBuffer), s"seed $seed")
    }
  }
}
