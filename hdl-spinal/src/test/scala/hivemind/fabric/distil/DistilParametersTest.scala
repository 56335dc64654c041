package hivemind.fabric.distil

import org.scalatest.funsuite.AnyFunSuite

class DistilParametersTest extends AnyFunSuite {
  private val faults: Seq[(String, () => DistilParameters)] = Seq(
    "widthBytes" -> (() => DistilParameters(widthBytes = 8)),
    "captureBytes" -> (() => DistilParameters(captureBytes = 100)),
    "captureBytes" -> (() => DistilParameters(captureBytes = 512)),
    "slots" -> (() => DistilParameters(slots = 3)),
    "bufferBytes" -> (() => DistilParameters(bufferBytes = 128)),
    "sources" -> (() => DistilParameters(sources = 48)),
    "integerBits" -> (() => DistilParameters(integerBits = 4)),
    "fractionBits" -> (() => DistilParameters(fractionBits = 128)),
    "windowBits" -> (() => DistilParameters(windowBits = 17)),
    "integerBits + fractionBits" -> (() => DistilParameters(integerBits = 8, fractionBits = 8)),
  )
  for (((name, parameters), n) <- faults.zipWithIndex) test(s"$n: refuses $name beyond its limits") {
    assert(intercept[IllegalArgumentException](parameters()).getMessage.contains(s"$name must be"))
  }
}
