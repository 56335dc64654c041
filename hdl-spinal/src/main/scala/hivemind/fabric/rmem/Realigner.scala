package hivemind.fabric.rmem

import spinal.core._
import spinal.lib._

/** How data is moved from lanes to other lanes. */
case class Realignment(p: RmemParameters) extends Bundle {

  /** Lanes upwards, with those above the highest going to the next beat. */
  val rotate = UInt(p.laneBits bits)

  /** The first beat of the input fills no beat of the output by itself: its lower lanes are not wanted. */
  val skipsFirst = Bool()

  /** Takes the input and gives no output. */
  val drops = Bool()
  val inputs = UInt(p.beatBits bits)

  /** Beats of input or output, whichever are more: from 1. */
  val steps = UInt(p.beatBits bits)
}

/** Moves data upwards by a number of lanes, across beats: that of a write to the lanes of its address, that of a read to lane 0. */
class Realigner(p: RmemParameters) extends Component {
  val io = new Bundle {

    /** Taken with its last beat. */
    val job = slave(Stream(Realignment(p)))
    val input = slave(Stream(Bits(p.widthBytes * 8 bits)))
    val output = master(Stream(Bits(p.widthBytes * 8 bits)))

    /** The beat at the output is the first, or the last, of its job. */
    val isFirst, isLast = out Bool ()
  }
  private val W = p.widthBytes
  private val step = Reg(UInt(p.beatBits bits)) init 0
  private val carried = Reg(Bits(W * 8 bits))
  private val rotated = io.input.payload.rotateLeft(io.job.rotate << 3)
  private val takes = step < io.job.inputs
  private val gives = !io.job.drops && !(io.job.skipsFirst && step === 0)
  private val canTake = !takes || io.input.valid
  private val canGive = !gives || io.output.ready

  io.output.valid := io.job.valid && gives && canTake
  io.output.payload := (0 until W).map(lane => Mux(io.job.rotate > lane, carried, rotated)(8 * lane + 7 downto 8 * lane)).reverse.reduce(_ ## _)
  io.input.ready := io.job.valid && takes && canGive
  io.isFirst := step === Mux(io.job.skipsFirst, U(1, p.beatBits bits), U(0, p.beatBits bits))
  io.isLast := step + 1 === io.job.steps
  io.job.ready := io.isLast && canTake && canGive
  when(io.job.valid && canTake && canGive) {
    step := Mux(io.isLast, U(0), step + 1)
    when(takes)(carried := rotated)
  }
}
