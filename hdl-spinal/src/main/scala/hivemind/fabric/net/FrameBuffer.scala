package hivemind.fabric.net

import spinal.core._
import spinal.lib._

/** What knows whether it is the last of a frame. */
trait OfFrame { def last: Bool }

/** Up to 16 bytes of a frame, the first in the lowest bits. */
case class FrameWord() extends Bundle with OfFrame {
  val data = Bits(128 bits)

  /** Bytes of the word, less 1; less than 15 only in the last word of a frame. */
  val count = UInt(4 bits)
  val last = Bool()
}

/** A byte of a frame. */
case class FrameByte() extends Bundle with OfFrame {
  val data = Bits(8 bits)
  val last = Bool()
}

/** A queue of whole frames: none leaves before its last word is in, and what is in of the latest can be taken back.
  *
  * @param words room in words; a frame of more words never fits
  */
class FrameBuffer[T <: Data with OfFrame](word: HardType[T], words: Int) extends Component {
  require(isPow2(words), s"words must be a power of two, not $words")
  val io = new Bundle {
    val push = slave(Stream(word()))

    /** Forgets the words since the last whole frame. Nothing may be pushed in that cycle. */
    val takeBack = in Bool ()
    val pop = master(Stream(word()))
  }

  private val memory = Mem(Bits(widthOf(word()) bits), words)
  private val pointer = HardType(UInt(log2Up(words) + 1 bits))
  private val written, whole, read = Reg(pointer()) init 0

  private val isFull = (written ^ read) === words
  io.push.ready := !isFull
  memory.write(written.resized, io.push.payload.asBits, io.push.fire)
  when(io.push.fire) {
    written := written + 1
    when(io.push.payload.last)(whole := written + 1)
  }
  when(io.takeBack)(written := whole)

  private val command = Stream(UInt(log2Up(words) bits))
  command.valid := read =/= whole
  command.payload := read.resized
  when(command.fire)(read := read + 1)
  private val answer = memory.streamReadSync(command)
  private val next = word()
  next.assignFromBits(answer.payload)
  io.pop << answer.translateWith(next).m2sPipe()
}
