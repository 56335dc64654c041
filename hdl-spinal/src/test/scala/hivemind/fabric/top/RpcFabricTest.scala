package hivemind.fabric.top

import hivemind.fabric.rmem.RmemParameters
import hivemind.fabric.rpc.RpcParameters
import org.scalatest.funsuite.AnyFunSuite

/** A fabric of rmem and rpc against [[RpcShellScenarios]]. */
class RpcFabricTest extends AnyFunSuite {
  test("RPCs from the network are in the ring, and a host that reads and writes the rings over the network answers them")(
    FabricHarness.rpc.doSim("rpc", 1)(RpcShellScenarios.answered(_))
  )
  test("memory is read and written while RPCs come; what is for another passes")(FabricHarness.rpc.doSim("rpc-beside", 2)(RpcShellScenarios.beside(_)))

  private val faults = Seq[(String, () => FabricParameters)](
    "rpc needs rmem" -> (() => FabricParameters(rpc = Some(RpcParameters()))),
    "rpc.widthBytes must be 16" -> (() => FabricParameters(rmem = Some(RmemParameters()), rpc = Some(RpcParameters(widthBytes = 32)))),
  )
  for ((message, parameters) <- faults) test(s"refuses: $message")(assert(intercept[IllegalArgumentException](parameters()).getMessage.contains(message)))
}
