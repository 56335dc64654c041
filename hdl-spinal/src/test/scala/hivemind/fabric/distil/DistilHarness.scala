package hivemind.fabric.distil

import hivemind.fabric.{Model, Models}
import hivemind.fabric.net.Frames.Frame
import spinal.core._
import spinal.core.sim._

import java.math.{BigDecimal => Big}
import scala.collection.mutable
import scala.util.Random

/** The engine as one simulation model, fed with frames. It is compiled once for all tests of a process. */
object DistilHarness {
  val parameters: DistilParameters = DistilParameters(sources = 4)
  private val p = parameters

  lazy val compiled: Model[Distil] = Models.compile(new Distil(p))

  case class Setup(op: String, window: Int, keyed: Boolean, above: Double = 0, below: Double = 0)
  private val codes = Map(
    "forward" -> Op.FORWARD,
    "counter" -> Op.COUNTER,
    "average" -> Op.AVERAGE,
    "min" -> Op.MIN,
    "max" -> Op.MAX,
    "filter" -> Op.FILTER,
  )

  private def fixed(x: Double): BigInt = new Big(x).multiply(new Big(BigInt(1).bigInteger.shiftLeft(p.fractionBits))).toBigInteger

  /** Sends a frame; `pause` is done before each of its beats. */
  def send(dut: Distil, frame: Frame)(pause: => Unit): Unit = {
    val W = dut.p.widthBytes
    for ((beat, index) <- frame.grouped(W).toSeq.zipWithIndex) {
      pause
      dut.io.input.valid #= true
      dut.io.input.data #= beat.zipWithIndex.map { case (byte, lane) => BigInt(byte & 0xff) << (8 * lane) }.sum
      dut.io.input.keep #= (BigInt(1) << beat.size) - 1
      dut.io.input.last #= index == (frame.size - 1) / W
      dut.clockDomain.waitSamplingWhere(dut.io.input.ready.toBoolean)
      dut.io.input.valid #= false
    }
  }

  /** Sends frames and returns what comes out, until all have been decided and the output is quiet. */
  def run(dut: Distil, setup: Setup, frames: Seq[Frame], random: Random, gap: Double, stall: Double): Seq[Frame] = {
    val W = p.widthBytes
    SimTimeout(40000000)
    val clock = dut.clockDomain
    dut.io.settings.op #= codes(setup.op)
    dut.io.settings.window #= setup.window
    dut.io.settings.keyed #= setup.keyed
    dut.io.settings.above #= fixed(setup.above)
    dut.io.settings.below #= fixed(setup.below)
    dut.io.reset #= false
    dut.io.input.valid #= false
    dut.io.output.ready #= false
    clock.forkStimulus(10)
    val out = mutable.ArrayBuffer[Frame]()
    val current = mutable.ArrayBuffer[Byte]()
    clock.waitSampling(10)
    var quiet = 0
    fork {
      var held: Option[(BigInt, BigInt, Boolean)] = None
      while (true) {
        clock.waitSampling()
        val (valid, ready) = (dut.io.output.valid.toBoolean, dut.io.output.ready.toBoolean)
        if (valid) {
          val now = (dut.io.output.data.toBigInt, dut.io.output.keep.toBigInt, dut.io.output.last.toBoolean)
          assert(held.forall(_ == now), "the output changed while it waited")
          held = if (ready) None else Some(now)
          if (ready) {
            for (lane <- 0 until W if now._2.testBit(lane)) current += ((now._1 >> (8 * lane)) & 0xff).toByte
            if (now._3) {
              out += current.toIndexedSeq
              current.clear()
            }
          }
        } else assert(held.isEmpty, "the output took a beat back")
        quiet = if (valid) 0 else quiet + 1
        dut.io.output.ready #= random.nextDouble() >= stall
      }
    }
    for (frame <- frames) send(dut, frame)(while (random.nextDouble() < gap) clock.waitSampling())
    while (dut.io.counters.frames.toLong < frames.size || quiet < 400) clock.waitSampling()
    assert(current.isEmpty, "the last frame did not end")
    out.toSeq
  }
}
