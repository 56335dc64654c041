package hivemind.fabric.dispatch

import org.scalatest.funsuite.AnyFunSuite

class DispatchParametersTest extends AnyFunSuite {
  private val faults: Seq[(String, () => DispatchParameters)] = Seq(
    "functions" -> (() => DispatchParameters(functions = 100)),
    "workers" -> (() => DispatchParameters(workers = 512)),
    "workersPerFunction" -> (() => DispatchParameters(workersPerFunction = 3)),
    "workersPerFunction" -> (() => DispatchParameters(workers = 4, workersPerFunction = 8)),
    "workflows" -> (() => DispatchParameters(workflows = 1)),
    "tasks" -> (() => DispatchParameters(tasks = 128)),
    "invocations" -> (() => DispatchParameters(invocations = 1)),
    "inFlight" -> (() => DispatchParameters(inFlight = 2)),
    "generationBits" -> (() => DispatchParameters(generationBits = 17)),
    "tickCycles" -> (() => DispatchParameters(tickCycles = 1000)),
  )
  for (((name, parameters), n) <- faults.zipWithIndex) test(s"$n: refuses $name beyond its limits") {
    assert(intercept[IllegalArgumentException](parameters()).getMessage.contains(s"$name must be"))
  }

  test("parameters go by the names of the schema") {
    assert(DispatchParameters.schema.parameters.map(_.name) == DispatchParameters().productElementNames.toSeq)
    assert(DispatchParameters.of(Map("tasks" -> 8)) == DispatchParameters(tasks = 8))
    val error = intercept[IllegalArgumentException](DispatchParameters.of(Map("size" -> 1)))
    assert(error.getMessage.contains("dispatch has no parameter size; it has functions"))
  }
}
