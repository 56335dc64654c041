package hivemind.fabric.top

import hivemind.fabric.{PlantedBug, PlantedBugs}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import scala.util.Try

/** Bugs planted in the Verilog of the shell around rmem and rpc: one of [[RpcShellScenarios]] must fail with each. */
class PlantedRpcShellTest extends AnyFunSuite {
  private val bugs = Seq(
    PlantedBug("a datagram for another port goes to rpc", "Steering", "({head[295 : 288],head[303 : 296]} == 16'h1327)", "1'b1"),
    PlantedBug("what is read goes to the other master", "MemoryShare", "(readers_payload == 1'b0)", "(readers_payload == 1'b1)"),
    PlantedBug("data counts as written for the other master", "MemoryShare", "(writers_payload == 1'b0)", "(writers_payload == 1'b1)"),
    PlantedBug("an answer to a write goes to the other master", "MemoryShare", "(answered_payload == 1'b0)", "(answered_payload == 1'b1)"),
  )
  private lazy val planted = PlantedBugs.model(new PlantedFabric(FabricHarness.rpcParameters), bugs)
  private def passes(number: Int): Boolean = Try {
    for ((name, scenario) <- Seq[(String, Fabric => Unit)]("answered" -> (RpcShellScenarios.answered(_)), "beside" -> (RpcShellScenarios.beside(_))))
      planted.doSim(s"rpc-planted-$number-$name", 1) { dut =>
        dut.planted #= number
        scenario(dut)
      }
  }.isSuccess
  test("without a planted bug the same model passes")(assert(passes(0)))
  for ((bug, n) <- bugs.zipWithIndex) test(s"caught: ${bug.name}")(assert(!passes(n + 1)))
}
