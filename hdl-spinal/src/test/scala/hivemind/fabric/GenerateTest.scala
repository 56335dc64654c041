package hivemind.fabric

import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Path}

class GenerateTest extends AnyFunSuite {
  private def generate(settings: String*): Seq[Byte] = {
    val folder = Files.createTempDirectory("hivemind-fabric")
    Generate.main(folder.toString +: settings.toArray)
    Files.readAllBytes(Path.of(folder.toString, "Distil.v")).toSeq
  }

  test("the same parameters give the same bytes, others give others") {
    assert(generate("sources=8") == generate("sources=8"))
    assert(generate("sources=8") != generate("sources=16"))
  }

  test("an unknown parameter is refused") {
    assert(intercept[IllegalArgumentException](generate("size=8")).getMessage.contains("distil has no parameter size; it has widthBytes"))
  }
}
