package hivemind.fabric.distil

import spinal.core._
import spinal.lib.bus.amba4.axis.Axi4StreamConfig

/** What a distil engine is built with. Changing any of it needs a new bitstream.
  *
  * @param widthBytes   bytes of a frame taken per cycle; 16 is the one width that is tested, so the only one allowed
  * @param captureBytes longest frame that is distilled, in bytes; longer ones pass through
  * @param slots        frames that may wait for the function unit
  * @param bufferBytes  bytes that wait at the output; must hold a captured frame twice
  * @param sources      senders with a state of their own; a power of two
  * @param integerBits  bits before the binary point of a value
  * @param fractionBits bits after it
  * @param windowBits   width of the window register: windows of up to 2^windowBits - 1 values
  */
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
  require(widthBytes == 16, s"widthBytes must be 16, not $widthBytes")
  require(
    captureBytes % widthBytes == 0 && captureBytes >= 64 && captureBytes <= 256,
    s"captureBytes must be a multiple of widthBytes ($widthBytes) from 64 to 256, not $captureBytes",
  )
  require(slots >= 2 && slots <= 16 && isPow2(slots), s"slots must be 2, 4, 8 or 16, not $slots")
  require(
    bufferBytes % widthBytes == 0 && bufferBytes >= 2 * captureBytes,
    s"bufferBytes must be a multiple of widthBytes ($widthBytes) and at least ${2 * captureBytes}, not $bufferBytes",
  )
  require(sources >= 2 && sources <= 4096 && isPow2(sources), s"sources must be a power of two from 2 to 4096, not $sources")
  require(integerBits >= 8 && integerBits <= 64, s"integerBits must be from 8 to 64, not $integerBits")
  require(fractionBits >= 8 && fractionBits <= 96, s"fractionBits must be from 8 to 96, not $fractionBits")
  require(windowBits >= 2 && windowBits <= 16, s"windowBits must be from 2 to 16, not $windowBits")
  require(
    integerBits + fractionBits + windowBits >= 56 + windowBits,
    s"integerBits + fractionBits must be at least 56 for a result to have all bits of a double, not ${integerBits + fractionBits}",
  )

  val wordsPerSlot: Int = captureBytes / widthBytes
  val valueBits: Int = integerBits + fractionBits

  /** Bits of the magnitude of a sum of a whole window. */
  val sumBits: Int = valueBits + windowBits

  val positionBits: Int = log2Up(captureBytes + 32)
  val stream: Axi4StreamConfig = Axi4StreamConfig(dataWidth = widthBytes, useKeep = true, useLast = true)

  private def isPow2(n: Int): Boolean = (n & (n - 1)) == 0
}
