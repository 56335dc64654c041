package hivemind.fabric.rmem

import spinal.core._
import spinal.lib._

/** The operations that the memory owes an answer, in order. Each ends with its last unit: a beat that was read, or a burst that
  * was written.
  *
  * @param depth operations that may be pending or wait to be taken as done
  */
class Pending(p: RmemParameters, depth: Int) extends Component {
  require(isPow2(depth), s"depth must be a power of two, not $depth")
  val io = new Bundle {
    val push = slave(Stream(PendingOperation(p)))

    /** A unit of the oldest operation has come; its payload: with an error. */
    val unit = slave(Flow(Bool()))

    /** The oldest operation has ended; its payload: with an error in any unit. */
    val done = master(Stream(Bool()))

    /** Whether an operation on `place` has not ended. */
    val place = in UInt (p.placeBits bits)
    val conflicts = out Bool ()

    /** Every operation has ended. */
    val isIdle = out Bool ()
  }
  private val bits = log2Up(depth)
  private val pushed, ended, taken = Reg(UInt(bits + 1 bits)) init 0
  private val operations = Vec(Reg(PendingOperation(p)), depth)
  private val actives = Vec(Reg(Bool()) init False, depth)
  private val failures = Vec(Reg(Bool()), depth)

  io.push.ready := (pushed ^ taken) =/= depth
  when(io.push.fire) {
    operations(pushed.resize(bits)) := io.push.payload
    actives(pushed.resize(bits)) := True
    pushed := pushed + 1
  }

  private val seen = Reg(UInt(p.beatBits bits)) init 0
  private val hasFailed = Reg(Bool()) init False
  io.isIdle := ended === pushed
  private val oldest = operations(ended.resize(bits))
  private val isLast = seen + 1 === oldest.units
  when(io.unit.valid && !io.isIdle) {
    seen := Mux(isLast, U(0), seen + 1)
    hasFailed := !isLast && (hasFailed || io.unit.payload)
    when(isLast) {
      failures(ended.resize(bits)) := hasFailed || io.unit.payload
      actives(ended.resize(bits)) := False
      ended := ended + 1
    }
  }

  io.done.valid := taken =/= ended
  io.done.payload := failures(taken.resize(bits))
  when(io.done.fire)(taken := taken + 1)

  io.conflicts := operations.zip(actives).map { case (operation, isActive) => isActive && operation.place === io.place }.reduceBalancedTree(_ || _)
}

case class PendingOperation(p: RmemParameters) extends Bundle {
  val place = UInt(p.placeBits bits)

  /** From 1. */
  val units = UInt(p.beatBits bits)
}
