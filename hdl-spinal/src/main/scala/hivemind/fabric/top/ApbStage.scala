package hivemind.fabric.top

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.{Apb3, Apb3Config}

/** Passes accesses of a bus on with registers in both directions, for blocks that are far from each other. An access takes three cycles more. */
class ApbStage(config: Apb3Config) extends Component {
  val io = new Bundle {
    val input = slave(Apb3(config))
    val output = master(Apb3(config))
  }
  private object Phase extends SpinalEnum {
    val IDLE, SETUP, ACCESS, ANSWER = newElement()
  }
  private val phase = RegInit(Phase.IDLE)
  private val isSelected, isEnabled = RegInit(False)
  io.output.PSEL := isSelected.asBits.resized
  io.output.PENABLE := isEnabled
  // Only an access of one's own is held: registers that hold the same are made one, and its decoder then spans all blocks.
  private val isAsked = phase === Phase.IDLE && io.input.PSEL.orR
  io.output.PADDR := RegNextWhen(io.input.PADDR, isAsked)
  io.output.PWRITE := RegNextWhen(io.input.PWRITE, isAsked)
  io.output.PWDATA := RegNextWhen(io.input.PWDATA, isAsked)
  io.input.PREADY := phase === Phase.ANSWER
  io.input.PRDATA := RegNextWhen(io.output.PRDATA, phase === Phase.ACCESS)
  io.input.PSLVERROR := RegNextWhen(io.output.PSLVERROR, phase === Phase.ACCESS)
  switch(phase) {
    is(Phase.IDLE)(when(isAsked) {
      isSelected := True
      phase := Phase.SETUP
    })
    is(Phase.SETUP) {
      isEnabled := True
      phase := Phase.ACCESS
    }
    is(Phase.ACCESS)(when(io.output.PREADY) {
      isSelected := False
      isEnabled := False
      phase := Phase.ANSWER
    })
    is(Phase.ANSWER)(when(io.input.PENABLE)(phase := Phase.IDLE))
  }
}

object ApbStage {

  /** What accesses a block through a stage. */
  def apply(block: Apb3): Apb3 = {
    val stage = new ApbStage(block.config)
    block <> stage.io.output
    stage.io.input
  }
}
