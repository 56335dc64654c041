package hivemind.fabric.top

import org.scalatest.funsuite.AnyFunSuite

/** A fabric of all engines against [[ShellScenarios]]. */
class AllEnginesTest extends AnyFunSuite {
  test("without an address everything passes; with one, questions for it are answered, and nothing else")(FabricHarness.all.doSim("address", 1)(ShellScenarios.address(_)))
  test("remote memory: what it answers is what the reference answers, in order, for classes by address")(FabricHarness.all.doSim("remoteMemory", 2)(ShellScenarios.remoteMemory(_)))
  test("the dispatcher: a batch of calls goes to workers where the table has them, results to who asked, the rest to the host")(FabricHarness.all.doSim("dispatcher", 3)(ShellScenarios.dispatcher(_)))
  test("datagrams for different engines one after the other: each goes to its own")(FabricHarness.all.doSim("together", 5)(ShellScenarios.together(_)))
  test("distil works beside the others: readings become averages while memory is read")(FabricHarness.all.doSim("beside", 4)(ShellScenarios.beside(_)))
}
