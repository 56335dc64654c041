package hivemind.fabric.top

import hivemind.fabric.IdBlock
import hivemind.fabric.distil.{DistilRegisters, Op}
import hivemind.fabric.net.Frames
import hivemind.fabric.net.Frames.{Coap, Frame}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import java.nio.ByteBuffer
import scala.util.Random

/** The whole fabric, by what a board's pins would see: frames on the GMII, registers on the serial line. */
class DistilFabricTest extends AnyFunSuite {
  private object At {
    val Engine = 0x100
    val Scratch = 0x11c
    val Apply = 0x120
    val Unit = 0x124
    val Window = 0x128
    val Counters = 0x14c
    val ShellCounters = 0x2c
  }
  private val counterPlaces =
    Seq("frames", "absorbed", "summaries", "withoutNumber", "outOfRange", "sourceTaken").zipWithIndex.map { case (name, n) => name -> (At.Counters + 4 * n) } ++
      Seq("received", "damaged", "overflowed", "sent").zipWithIndex.map { case (name, n) => name -> (At.ShellCounters + 4 * n) }
  private def counters(board: FabricHarness): Map[String, Long] = counterPlaces.map { case (name, place) => name -> board.read(place) }.toMap

  private def start(board: FabricHarness, op: Op.E, window: Int): Unit = {
    board.write(At.Unit, 1 | op.position << 2)
    board.write(At.Window, window)
    board.write(At.Apply, 1)
  }
  private def reading(n: Int): Frame = Coap(payload = Frames.double(n.toDouble), messageId = n & 0xffff).frame
  private def other(random: Random): Frame = IndexedSeq.fill(60 + random.nextInt(1200))(random.nextInt().toByte).updated(12, 9.toByte)
  private def value(frame: Frame): Double = ByteBuffer.wrap(frame.slice(50, 58).toArray).getDouble
  private def isReading(frame: Frame): Boolean = frame.size == 60 && frame(36) == 0x16 && frame(12) == 8

  test("the identity is read back, a register keeps what is written, what is not there is refused") {
    FabricHarness.distil.doSim("identity", 1) { dut =>
      val board = new FabricHarness(dut)
      assert(board.read(0) == IdBlock.word("SHEL").toLong)
      assert(board.read(At.Engine) == IdBlock.word("DSTL").toLong)
      assert(board.read(At.Engine + 4) == DistilRegisters.version)
      assert(Seq(1, 2, 3).map(window => board.read(0x1c + 4 * window)) == Seq(IdBlock.word("DSTL").toLong, 0L, 0L))
      for (block <- Seq(0, At.Engine)) {
        val uuid = (0 until 4).map(n => board.read(block + 8 + 4 * n))
        assert(uuid.forall(_ != 0) && (uuid(1) >> 12 & 15) == 3, uuid)
      }
      board.write(At.Scratch, 0xdeadbeefL)
      assert(board.read(At.Scratch) == 0xdeadbeefL)
      // no engine, no register of one, and beyond all windows
      for (address <- Seq(0x200, 0xf00, 0x1000)) assert(board.serial(Seq('R'.toInt, address >> 8, address & 0xff), 1) == Seq('e'.toInt), address)
      // a request that breaks off is forgotten
      board.serial(Seq('W'.toInt, 0), 0)
      dut.clockDomain.waitSampling(140000)
      assert(board.read(At.Scratch) == 0xdeadbeefL)
    }
  }

  test("disabled, every frame leaves as it came; damaged ones, and those beyond the buffer, are dropped and counted") {
    FabricHarness.distil.doSim("pass", 2) { dut =>
      val board = new FabricHarness(dut, 7999)
      val random = new Random(5)
      val frames = Seq.tabulate(60)(n => if (n % 3 == 0) other(random) else reading(n))
      for ((frame, n) <- frames.zipWithIndex) {
        board.send(frame)
        if (n % 10 == 3) board.send(frame, damage = true)
        if (n % 10 == 7) board.send(frame, error = true)
      }
      board.send(IndexedSeq.fill(9000)(3.toByte))
      board.send(IndexedSeq.fill(20)(4.toByte))
      board.settle()
      assert(board.out == frames :+ (IndexedSeq.fill(20)(4.toByte) ++ Seq.fill(40)(0.toByte)))
      val counted = counters(board)
      assert(counted("received") == 61 && counted("sent") == 61 && counted("damaged") == 12 && counted("overflowed") == 1, counted)
    }
  }

  test("staged settings take effect by apply, not before") {
    FabricHarness.distil.doSim("staged", 3) { dut =>
      val board = new FabricHarness(dut)
      board.write(At.Unit, 1 | Op.AVERAGE.position << 2)
      board.write(At.Window, 2)
      Seq(1, 2).foreach(n => board.send(reading(n)))
      board.settle()
      assert(board.out == Seq(reading(1), reading(2)))
      board.write(At.Apply, 1)
      Seq(3, 6).foreach(n => board.send(reading(n)))
      board.settle()
      assert(board.out.size == 3 && value(board.out(2)) == 4.5)
      // an op that is none forwards
      board.write(At.Unit, 1 | 7 << 2)
      board.write(At.Apply, 1)
      board.send(reading(9))
      board.settle()
      assert(board.out(3) == reading(9))
    }
  }

  test("the window changes under traffic: each reading is in one window, each other frame passes") {
    FabricHarness.distil.doSim("window", 4) { dut =>
      val board = new FabricHarness(dut)
      val random = new Random(7)
      start(board, Op.AVERAGE, 4)
      var isDone = false
      var sent = 0
      var others = Seq[Frame]()
      val traffic = fork {
        while (!isDone) {
          if (random.nextInt(4) == 0) {
            others :+= other(random)
            board.send(others.last)
          } else {
            board.send(reading(sent))
            sent += 1
          }
        }
      }
      val windows = Seq(4, 9, 3, 12, 2)
      for (window <- windows.tail) {
        dut.clockDomain.waitSampling(5000)
        board.write(At.Window, window)
        board.write(At.Apply, 1)
      }
      dut.clockDomain.waitSampling(5000)
      isDone = true
      traffic.join()
      board.settle()

      assert(board.out.filterNot(isReading) == others)
      // readings are 0, 1, 2 ...: the mean of those from a on says how many a window held
      var next = 0
      val sizes = for (summary <- board.out.filter(isReading)) yield {
        val size = 2 * (value(summary) - next) + 1
        assert(size.isWhole && size >= 1, s"the window at $next has $size readings")
        next += size.toInt
        size.toInt
      }
      val counted = counters(board)
      assert(counted("absorbed") + counted("summaries") == sent && sent - next < 12, s"$counted $sent $next")
      // windows of the sizes set, in that order; one that was filling at a change may end in between
      val runs = sizes.foldLeft(Seq[(Int, Int)]()) {
        case (seen :+ ((size, times)), next) if size == next => seen :+ (size -> (times + 1))
        case (seen, next)                                    => seen :+ (next -> 1)
      }
      val settled = runs.filter(_._2 > 1).map(_._1)
      assert(settled == windows && runs.size - settled.size <= windows.size - 1, runs)
    }
  }
}
