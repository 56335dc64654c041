package hivemind.fabric.net

import spinal.core._
import spinal.lib._

/** The Internet checksum (RFC 1071) over words of a stream. Byte 0 of a word is its lowest. */
object Checksum {

  /** Cycles that a sum takes. */
  val SumCycles = 2

  /** Sum of the big-endian 16-bit words of `data`, bytes whose `include` bit is clear counted as zero; [[SumCycles]] later. */
  def sum(data: Bits, include: Bits): UInt = {
    val bytes: Seq[Bits] = data.subdivideIn(8 bits).zip(include.asBools).map { case (byte, on) => Mux(on, byte, B(0, 8 bits)) }.toSeq
    val words = bytes.grouped(2).map(pair => (pair(0) ## pair(1)).asUInt).toSeq
    val parts = words.grouped(4).map(part => RegNext(part.reduceBalancedTree(_ +^ _))).toSeq
    RegNext(parts.reduceBalancedTree(_ +^ _))
  }

  /** Folds a sum of up to 32 bits to 17 bits; a second fold with `foldOnce` gives the 16-bit ones' complement sum. */
  def foldOnce(sum: UInt): UInt = (sum(15 downto 0) +^ (sum >> 16).resize(16 bits))
}
