package hivemind.fabric.rpc

import spinal.core._
import spinal.lib._

/** Takes the bursts of the rings that are due, each ring in its turn. */
class JobPicker(p: RpcParameters) extends Component {
  val io = new Bundle {
    val dues = in Bits (p.flows bits)
    val jobs = in(Vec.fill(p.flows)(Job(p)))
    val takes = out Bits (p.flows bits)
    val job = master(Stream(Job(p)))
  }
  private val chosen = Reg(Bits(p.flows bits)) init 0
  private val turn = Reg(Bits(p.flows bits)) init 1
  private val taken = Stream(Job(p))
  private val isChosen = chosen.orR
  private val isStillDue = (chosen & io.dues).orR
  taken.valid := isStillDue
  taken.payload := MuxOH.or(chosen, io.jobs)
  io.takes := Mux(taken.fire, chosen, B(0, p.flows bits))
  when(!isChosen)(chosen := OHMasking.roundRobin(io.dues, turn))
  when(isChosen && (taken.fire || !isStillDue)) {
    chosen := 0
    turn := chosen.rotateLeft(1)
  }
  io.job << taken.m2sPipe()
}
