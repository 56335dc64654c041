package hivemind.fabric.distil

import hivemind.fabric.{Parameter, Schema}
import spinal.core._
import spinal.lib.bus.amba4.axis.Axi4StreamConfig

/** What a distil engine is built with. Changing any of it needs a new bitstream. What each means: [[DistilParameters.schema]]. */
case class DistilParameters(
    widthBytes: Int = 16,
    captureBytes: Int = 128,
    slots: Int = 4,
    bufferBytes: Int = 2048,
    sources: Int = 64,
    integerBits: Int = 32,
    fractionBits: Int = 64,
    windowBits: Int = 16,
) {
  DistilParameters.schema.check(productElementNames.zip(productIterator.map(_.asInstanceOf[Int])).toMap)
  require(
    bufferBytes >= 2 * captureBytes,
    s"bufferBytes must be at least ${2 * captureBytes}, twice captureBytes, not $bufferBytes",
  )
  require(
    integerBits + fractionBits >= 56,
    s"integerBits + fractionBits must be at least 56 for a result to have all bits of a double, not ${integerBits + fractionBits}",
  )

  val wordsPerSlot: Int = captureBytes / widthBytes
  val valueBits: Int = integerBits + fractionBits

  /** Bits of the magnitude of a sum of a whole window. */
  val sumBits: Int = valueBits + windowBits

  val positionBits: Int = log2Up(captureBytes + 32)
  val stream: Axi4StreamConfig = Axi4StreamConfig(dataWidth = widthBytes, useKeep = true, useLast = true)
}

object DistilParameters {
  private val powers = (from: Int, to: Int) => Iterator.iterate(from)(_ * 2).takeWhile(_ <= to).toSeq

  /** The parameters with their limits, as the generator exports them. */
  val schema: Schema = Schema(
    Seq(
      Parameter("widthBytes", 16, Seq(16), "B", "bytes of a frame taken per cycle; 16 is the one width that is tested"),
      Parameter("captureBytes", 128, 64 to 256 by 16, "B", "longest frame that is distilled; longer ones pass through"),
      Parameter("slots", 4, powers(2, 16), "frames", "frames that may wait for the function unit"),
      Parameter("bufferBytes", 2048, powers(128, 65536), "B", "bytes that wait at the output; must hold a captured frame twice"),
      Parameter("sources", 64, powers(2, 4096), "senders", "senders with a state of their own"),
      Parameter("integerBits", 32, 8 to 64, "bit", "bits before the binary point of a value"),
      Parameter("fractionBits", 64, 8 to 96, "bit", "bits after it"),
      Parameter("windowBits", 16, 2 to 16, "bit", "width of the window register: windows of up to 2^windowBits - 1 values"),
    ),
  )

  /** Parameters by name; those that are not named have their defaults. */
  def of(settings: Map[String, Int]): DistilParameters = {
    val all = schema.defaults ++ schema.known(settings)
    DistilParameters(
      widthBytes = all("widthBytes"),
      captureBytes = all("captureBytes"),
      slots = all("slots"),
      bufferBytes = all("bufferBytes"),
      sources = all("sources"),
      integerBits = all("integerBits"),
      fractionBits = all("fractionBits"),
      windowBits = all("windowBits"),
    )
  }
}
