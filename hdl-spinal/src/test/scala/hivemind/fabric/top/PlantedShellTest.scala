package hivemind.fabric.top

import hivemind.fabric.{PlantedBug, PlantedBugs}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Try

/** A fabric of all engines with an input that switches one of the planted bugs on; 0: none. */
class PlantedFabric(p: FabricParameters) extends Fabric(p) {
  val planted = in UInt (4 bits)
}

/** Bugs planted in the Verilog of the shell: the scenario named beside each must fail with it. They pass without, in [[AllEnginesTest]]. */
class PlantedShellTest extends AnyFunSuite {
  private val bugs: Seq[(PlantedBug, Fabric => Unit)] = Seq(
    PlantedBug("a part of a fragmented datagram is taken", "Steering", "(head[165 : 160] == 6'h0)", "1'b1") -> (ShellScenarios.address(_)),
    PlantedBug("a datagram for another address is taken", "Steering", "(isIp && isOurs)", "isIp") -> (ShellScenarios.address(_)),
    PlantedBug("a question for another address is answered", "Steering", "((isArp && isRequest) && isAsked)", "isArp && isRequest") ->
      (ShellScenarios.address(_)),
    PlantedBug("the checksum of datagrams does not count", "UdpReceiver", "(&_zz_isSound_6)", "1'b1") -> (ShellScenarios.remoteMemory(_)),
    PlantedBug("the checksum of IP does not count", "UdpReceiver", "(&_zz_isSound_3)", "1'b1") -> (ShellScenarios.remoteMemory(_)),
    PlantedBug("what is refused is in the next datagram", "UdpReceiver", "takesBack_regNext <= takesBack;", "takesBack_regNext <= 1'b0;") ->
      (ShellScenarios.remoteMemory(_)),
    PlantedBug("who has no class is of class 0", "RmemPort", "8'hff", "8'h00") -> (ShellScenarios.remoteMemory(_)),
    PlantedBug("the class that a request claims counts", "RmemPort", "(index == 6'h1c)", "1'b0") -> (ShellScenarios.remoteMemory(_)),
    PlantedBug(
      "a datagram is taken for the engine of the one after it",
      "PlantedFabric",
      "assign shellPorts_received_payload_peer_own = io_output_s2mPipe_rData_peer_own;",
      "shellPorts_receiver_io_output_payload_peer_own",
    ) -> (ShellScenarios.together(_)),
    PlantedBug("what goes to no peer is not counted", "DispatchPort", "(! row[98])", "1'b0") ->
      (ShellScenarios.dispatcher(_)),
    PlantedBug("a source without messages is waited for", "DispatchPort", "(! isBegun)", "1'b0") -> (ShellScenarios.dispatcher(_)),
    PlantedBug("a batch is one message", "DispatchPort", "(io_input_0_payload_last || (&_zz_io_requests_payload_last))", "io_input_0_payload_last") ->
      (ShellScenarios.dispatcher(_)),
  )

  private lazy val model = PlantedBugs.model(new PlantedFabric(FabricHarness.small), bugs.map(_._1))

  private def run(number: Int, scenario: Fabric => Unit): Unit = model.doSim(s"planted-$number", 1) { dut =>
    dut.planted #= number
    scenario(dut)
  }

  test("without a bug, the same model passes")(run(0, ShellScenarios.address(_)))
  for (((bug, scenario), n) <- bugs.zipWithIndex) test(s"caught: ${bug.name}") {
    model
    assert(Try(run(n + 1, scenario)).isFailure)
  }
}
