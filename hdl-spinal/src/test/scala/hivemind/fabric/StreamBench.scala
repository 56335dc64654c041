package hivemind.fabric

import spinal.core._
import spinal.core.sim._
import spinal.lib.bus.amba4.axis.Axi4Stream.Axi4Stream

import scala.collection.mutable
import scala.util.Random

/** Drives the streams of a simulated engine: frames go in and come out as beats, with random gaps and back-pressure. Throws when the
  * output does not keep the protocol.
  */
class StreamBench(input: Axi4Stream, output: Axi4Stream, clock: ClockDomain, random: Random, gap: Double, stall: Double) {
  private val W = input.config.dataWidth

  /** Frames that have left, and in which cycle each ended. */
  val out: mutable.ArrayBuffer[IndexedSeq[Byte]] = mutable.ArrayBuffer()
  val times: mutable.ArrayBuffer[Long] = mutable.ArrayBuffer()

  /** Cycles since the start. */
  var now = 0L

  input.valid #= false
  output.ready #= false

  /** Called once the clock runs. */
  def start(): Unit = {
    fork(receive())
    clock.onSamplings(now += 1)
  }

  private def receive(): Unit = {
    val current = mutable.ArrayBuffer[Byte]()
    var held: Option[(BigInt, BigInt, Boolean)] = None
    while (true) {
      clock.waitSampling()
      val (valid, ready) = (output.valid.toBoolean, output.ready.toBoolean)
      if (!valid) assert(held.isEmpty, "the output took a beat back")
      else {
        val beat = (output.data.toBigInt, output.keep.toBigInt, output.last.toBoolean)
        assert(held.forall(_ == beat), "the output changed while it waited")
        held = if (ready) None else Some(beat)
        if (ready) {
          val kept = (0 until W).count(beat._2.testBit)
          assert(beat._2 == (BigInt(1) << kept) - 1 && (beat._3 || kept == W) && kept > 0, "a beat with holes")
          assert(beat._1 >> (8 * kept) == 0, "bytes leave beside those of the frame")
          for (lane <- 0 until kept) current += ((beat._1 >> (8 * lane)) & 0xff).toByte
          if (beat._3) {
            out += current.toIndexedSeq
            times += now
            current.clear()
          }
        }
      }
      output.ready #= random.nextDouble() >= stall
    }
  }

  /** Sends a frame; a lane of the beat `holed`, if there is one, is not kept: none that would only make the frame shorter. */
  def send(frame: IndexedSeq[Byte], holed: Int = -1): Unit = {
    val beats = frame.grouped(W).toSeq
    for ((beat, index) <- beats.zipWithIndex) {
      while (random.nextDouble() < gap) clock.waitSampling()
      val isLast = index == beats.size - 1
      val keep = (BigInt(1) << beat.size) - 1
      input.valid #= true
      input.data #= beat.zipWithIndex.map { case (byte, lane) => BigInt(byte & 0xff) << (8 * lane) }.reduce(_ | _)
      input.keep #= (if (index == holed) keep.clearBit(random.nextInt(if (isLast) math.max(1, beat.size - 1) else beat.size)) else keep)
      input.last #= isLast
      clock.waitSamplingWhere(input.ready.toBoolean)
      input.valid #= false
    }
  }
}
