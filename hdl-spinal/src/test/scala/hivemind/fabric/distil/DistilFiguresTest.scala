package hivemind.fabric.distil

import hivemind.fabric.Models
import hivemind.fabric.net.Frames
import hivemind.fabric.net.Frames.{Coap, Frame}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable

/** What readings cost in cycles, with the default parameters. The bounds are those of docs/bench/fabric-distil.md. */
class DistilFiguresTest extends AnyFunSuite {
  private val p = DistilParameters()

  /** Cycles for which a command is on the port of a unit, until it is taken. */
  private def cyclesOf(dut: FunctionUnit, instruction: SpinalEnumElement[Instruction.type], value: Double): Int = {
    dut.io.command.instruction #= instruction
    dut.io.command.number.negative #= value < 0
    dut.io.command.number.magnitude #= (BigDecimal(value.abs) * BigDecimal(2).pow(p.fractionBits)).toBigInt
    dut.io.command.valid #= true
    var cycles = 1
    dut.clockDomain.waitSampling()
    while (!dut.io.command.ready.toBoolean) {
      cycles += 1
      dut.clockDomain.waitSampling()
    }
    dut.io.command.valid #= false
    dut.clockDomain.waitSampling(4)
    cycles
  }

  test("CALC takes 8 cycles, RESULT at most 46") {
    Models.compile(new FunctionUnit(p)).doSim("unit", 1) { dut =>
      dut.io.settings.op #= Op.AVERAGE
      dut.io.settings.window #= 10
      dut.io.settings.keyed #= false
      dut.io.settings.above #= 0
      dut.io.settings.below #= 0
      dut.io.command.valid #= false
      dut.io.command.source #= 0
      dut.clockDomain.forkStimulus(10)
      dut.clockDomain.waitSampling(2 * p.sources)
      // every place of the highest bit
      val windows = for (scale <- (-62 to 26).map(math.pow(2, _))) yield {
        val calcs = (1 to 10).map(n => cyclesOf(dut, Instruction.CALC, scale * (1 + n / 7.0)))
        (calcs.max, cyclesOf(dut, Instruction.RESULT, 0))
      }
      val (calcs, results) = windows.unzip
      info(s"distil figure: CALC ${calcs.max} cycles, RESULT of means of ten ${results.min} to ${results.max} cycles")
      assert(calcs.max <= 8)
      assert(results.max <= 46)
    }
  }

  private val bytes = 121
  private def reading(n: Int): Frame = {
    val head = Coap(source = 0x0a000000 + n % 16, options = Seq(), payload = Frames.double(20 + n % 100 / 8.0))
    val frame = head.copy(payload = head.payload ++ Seq.fill(bytes - 14 - 20 - 8 - 5 - head.payload.size)('x'.toByte), messageId = n % 65536).frame
    assert(frame.size == bytes)
    frame
  }

  /** Feeds frames as fast as they are taken, with a gap of cycles between them. Gives when the last beat of each was taken, when the first
    * beat of each summary left, and how many readings were absorbed.
    */
  private def run(name: String, frames: Seq[Frame], gap: Int = 0): (Seq[Long], Seq[Long], Long) = {
    val taken, left = mutable.ArrayBuffer[Long]()
    var absorbed = 0L
    DistilFiguresTest.engine.doSim(name, 1) { dut =>
      val clock = dut.clockDomain
      var now = 0L
      dut.io.settings.op #= Op.AVERAGE
      dut.io.settings.window #= 10
      dut.io.settings.keyed #= true
      dut.io.settings.above #= 0
      dut.io.settings.below #= 0
      dut.io.reset #= false
      dut.io.input.valid #= false
      dut.io.output.ready #= true
      clock.forkStimulus(10)
      clock.waitSampling(4 * p.sources)
      var isFirst = true
      clock.onSamplings {
        now += 1
        if (dut.io.output.valid.toBoolean) {
          if (isFirst) left += now
          isFirst = dut.io.output.last.toBoolean
        }
      }
      for (frame <- frames) {
        DistilHarness.send(dut, frame)(())
        taken += now
        if (gap > 0) clock.waitSampling(gap)
      }
      while (dut.io.counters.frames.toLong < frames.size) clock.waitSampling()
      clock.waitSampling(400)
      absorbed = dut.io.counters.absorbed.toLong
    }
    (taken.toSeq, left.toSeq, absorbed)
  }

  test("readings of 121 bytes in means of ten are taken every 36 cycles, and none is lost") {
    val count = 3200
    val (taken, left, absorbed) = run("rate", (0 until count).map(reading))
    val each = (taken(count - 1) - taken(count / 4 - 1)).toDouble / (count - count / 4)
    info(f"distil figure: a reading of $bytes B every $each%.2f cycles; ${left.size} summaries of $count")
    assert(left.size == count / 10 && absorbed == count - count / 10)
    assert(each <= 36)
  }

  test("a summary leaves at most 110 cycles after the last beat of its reading") {
    val (taken, left, _) = run("latency", (0 until 50).map(n => reading(16 * n)), gap = 400)
    val waits = for ((time, n) <- left.zipWithIndex) yield time - taken(10 * n + 9)
    info(s"distil figure: last beat in to first beat of the summary out, nothing else under way: ${waits.min} to ${waits.max} cycles")
    assert(waits.size == 5 && waits.max <= 110)
  }
}

object DistilFiguresTest {
  private lazy val engine = Models.compile(new Distil(DistilParameters()))
}
