package hivemind.fabric

import hivemind.fabric.distil.DistilParameters
import hivemind.fabric.rmem.RmemParameters
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Path}
import java.security.MessageDigest
import java.util.UUID

class GenerateTest extends AnyFunSuite {
  private def generate(what: String, settings: String*): Path = {
    val folder = Files.createTempDirectory("hivemind-fabric")
    Generate.main(Array(what, folder.toString) ++ settings)
    folder
  }
  private def hashes(folder: Path): Map[String, String] = folder.toFile.listFiles.map { file =>
    val digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file.toPath))
    file.getName -> BigInt(1, digest).toString(16)
  }.toMap

  test("the same parameters give the same bytes, others give others") {
    val eight = hashes(generate("engine", "sources=8"))
    assert(eight == hashes(generate("engine", "sources=8")))
    assert(eight != hashes(generate("engine", "sources=16")))
  }

  test("a fabric comes with its register map as JSON, C header and page, and the same bytes a second later") {
    val folder = generate("fabric", "sources=8")
    val once = hashes(folder)
    assert(once.keySet == Set("Ecpix5.v", "registers.json", "registers.h", "registers.html"))
    Thread.sleep(1100)
    assert(once == hashes(generate("fabric", "sources=8")))
    def text(name: String) = Files.readString(folder.resolve(name))
    val map = ujson.read(text("registers.json"))
    val slices = map("slices").arr.map(slice => slice("name").str -> slice("addr").num.toInt).toMap
    assert(slices("ENGINE") == 0 && slices("WINDOW") == 0x28)
    assert(UUID.fromString(map("interface").str).version == 3)
    assert(!text("Ecpix5.v").contains("Git hash"), "the Verilog depends on the commit that is checked out")
    assert(text("registers.h").contains("WINDOW") && text("registers.html").contains("readings of one summary"))
  }

  test("the schema has every parameter, with its default among its values") {
    val schema = ujson.read(Files.readString(generate("schema").resolve("schema.json"))).arr
    assert(schema.map(_("name").str).toSeq == DistilParameters().productElementNames.toSeq)
    for (parameter <- schema) assert(parameter("values").arr.contains(parameter("default")), parameter("name"))
  }

  test("dispatch comes with its registers, the same bytes each time, and a schema of its own") {
    val small = Seq("functions=4", "workers=4", "workersPerFunction=2", "tasks=4", "workflows=2", "invocations=2", "inFlight=4")
    val folder = generate("dispatch", small: _*)
    val once = hashes(folder)
    assert(once.keySet == Set("DispatchBlock.v", "registers.json", "registers.h", "registers.html"))
    assert(once == hashes(generate("dispatch", small: _*)))
    assert(Files.readString(folder.resolve("registers.h")).contains("DISPATCH_ENGINE"))
    val schema = ujson.read(Files.readString(generate("dispatch-schema").resolve("schema.json"))).arr
    assert(schema.map(_("name").str).contains("workersPerFunction"))
  }

  test("rmem comes with its register map, and its schema has every parameter") {
    val folder = generate("rmem", "sets=16")
    assert(hashes(folder).keySet == Set("RmemEngine.v", "registers.json", "registers.h", "registers.html"))
    assert(hashes(folder) == hashes(generate("rmem", "sets=16")))
    assert(Files.readString(folder.resolve("registers.h")).contains("RMEM"))
    val schema = ujson.read(Files.readString(generate("rmem-schema").resolve("schema.json"))).arr
    assert(schema.map(_("name").str).toSeq == RmemParameters().productElementNames.toSeq)
  }

  private val faults = Seq(
    Seq("engine", "size=8") -> "distil has no parameter size; it has widthBytes",
    Seq("engine", "sources=9") -> "sources must be one of 2, 4, 8",
    Seq("engine", "sources") -> "'sources' is no parameter; write NAME=VALUE",
    Seq("motor") -> "there is no 'motor' to write; there are engine, fabric and schema, dispatch",
    Seq("dispatch", "workers=9") -> "workers must be one of 2, 4, 8",
    Seq("rmem", "sources=8") -> "rmem has no parameter sources; it has widthBytes",
  )
  for ((arguments, message) <- faults) test(s"refuses ${arguments.mkString(" ")}") {
    assert(intercept[IllegalArgumentException](generate(arguments.head, arguments.tail: _*)).getMessage.contains(message))
  }
}
