package hivemind.fabric.distil

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import spinal.lib.fsm._

/** What leaves in the place of a frame. */
object Verdict extends SpinalEnum {

  /** PASS: the frame itself. DROP: nothing. REPLACE: a summary. */
  val PASS, DROP, REPLACE = newElement()
}

/** Lets each frame leave as its verdict says, in the order in which the frames came. */
class Egress(p: DistilParameters) extends Component {
  val io = new Bundle {
    val frames = slave(Axi4Stream(p.stream))
    val verdicts = slave(Stream(Verdict()))
    val summaries = slave(Axi4Stream(p.stream))
    val output = master(Axi4Stream(p.stream))
  }
  io.verdicts.ready := False
  io.frames.ready := False
  io.summaries.ready := False
  io.output.valid := False
  io.output.payload := io.frames.payload

  val flow = new StateMachine {
    val frame: State = new State with EntryPoint {
      whenIsActive {
        val passes = io.verdicts.payload === Verdict.PASS
        io.output.valid := io.verdicts.valid && io.frames.valid && passes
        io.frames.ready := io.verdicts.valid && (io.output.ready || !passes)
        when(io.frames.fire && io.frames.last) {
          when(io.verdicts.payload === Verdict.REPLACE)(goto(summary)) otherwise (io.verdicts.ready := True)
        }
      }
    }
    val summary: State = new State {
      whenIsActive {
        io.output << io.summaries
        when(io.summaries.fire && io.summaries.last) {
          io.verdicts.ready := True
          goto(frame)
        }
      }
    }
  }
}
