package hivemind.fabric.rmem

import org.scalatest.funsuite.AnyFunSuite

class RmemParametersTest extends AnyFunSuite {
  private val faults: Seq[(String, () => RmemParameters)] = Seq(
    "widthBytes" -> (() => RmemParameters(widthBytes = 8)),
    "maxBytes" -> (() => RmemParameters(maxBytes = 100)),
    "maxBytes" -> (() => RmemParameters(maxBytes = 8192)),
    "bufferBytes" -> (() => RmemParameters(bufferBytes = 1024)),
    "window" -> (() => RmemParameters(window = 3)),
    "burstBeats" -> (() => RmemParameters(burstBeats = 512)),
    "ways" -> (() => RmemParameters(ways = 1)),
    "sets" -> (() => RmemParameters(sets = 8)),
    "addressBits" -> (() => RmemParameters(addressBits = 64)),
    "classes" -> (() => RmemParameters(classes = 9)),
  )
  for (((name, parameters), n) <- faults.zipWithIndex) test(s"$n: refuses $name beyond its limits") {
    assert(intercept[IllegalArgumentException](parameters()).getMessage.contains(s"$name must be"))
  }
}
