package hivemind.fabric.rpc

import hivemind.fabric.Models
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.SpinalConfig

class RpcParametersTest extends AnyFunSuite {
  private val faults: Seq[(String, () => RpcParameters)] = Seq(
    "widthBytes" -> (() => RpcParameters(widthBytes = 64)),
    "flows" -> (() => RpcParameters(flows = 1)),
    "flows" -> (() => RpcParameters(flows = 32)),
    "maxBatch" -> (() => RpcParameters(maxBatch = 64)),
    "maxRing" -> (() => RpcParameters(maxRing = 100)),
    "maxRing" -> (() => RpcParameters(maxRing = 8, maxBatch = 16)),
    "connections" -> (() => RpcParameters(connections = 2048)),
    "addressBits" -> (() => RpcParameters(addressBits = 40)),
    "transport" -> (() => RpcParameters(transport = 6)),
  )
  for (((name, parameters), n) <- faults.zipWithIndex) test(s"$n: refuses $name beyond its limits") {
    assert(intercept[IllegalArgumentException](parameters()).getMessage.contains(s"$name must be"))
  }

  private def generate(parameters: RpcParameters): Unit =
    SpinalConfig(targetDirectory = Models.folder("generated").toString).generateVerilog(new RpcEngine(parameters))
  test("is generated with the least of everything")(generate(RpcParameters(16, 2, 2, 8, 16, 20)))
  test("is generated with the most of everything")(generate(RpcParameters(32, 16, 32, 16384, 1024, 38)))
}
