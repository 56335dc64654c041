package hivemind.fabric.rpc

/** The scenarios of the engine by name. */
object RpcScenario {
  val all: Seq[(String, (RpcEngine, RpcParameters, Int) => Unit)] = Seq(
    "traffic" -> ((dut, p, seed) => TrafficScenarios.traffic(dut, p, seed)),
    "changes" -> ((dut, p, seed) => TrafficScenarios.changes(dut, p, seed)),
    "steering" -> ((dut, p, seed) => SettingScenarios.steering(dut, p, seed)),
    "batches" -> ((dut, p, seed) => SettingScenarios.batches(dut, p, seed)),
    "limits" -> ((dut, p, seed) => LimitScenarios.limits(dut, p, seed)),
    "errors" -> ((dut, p, seed) => LimitScenarios.errors(dut, p, seed)),
  )
}
