package hivemind.fabric

import hivemind.fabric.dispatch.DispatchParameters
import hivemind.fabric.distil.DistilParameters
import hivemind.fabric.rmem.RmemParameters
import hivemind.fabric.rpc.RpcParameters
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Path}
import java.security.MessageDigest
import java.util.UUID

class GenerateTest extends AnyFunSuite {
  private def generate(what: String, settings: String*): Path = {
    val folder = Models.folder("generated")
    Generate.main((what.split(' ') :+ folder.toString) ++ settings)
    folder
  }
  private def hashes(folder: Path): Map[String, String] = folder.toFile.listFiles.map { file =>
    val digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file.toPath))
    file.getName -> BigInt(1, digest).toString(16)
  }.toMap

  test("the same parameters give the same bytes, others give others") {
    val eight = hashes(generate("distil", "sources=8"))
    assert(eight == hashes(generate("distil", "sources=8")))
    assert(eight != hashes(generate("distil", "sources=16")))
  }

  test("a fabric comes with its register map as JSON, C header and page, and the same bytes a second later") {
    val settings = Seq("distil.sources=8", "shell.memoryKiB=16")
    val folder = generate("fabric distil+rmem", settings: _*)
    val once = hashes(folder)
    val documents = for (engine <- Set("shell", "distil", "rmem"); ending <- Set("h", "html")) yield s"registers-$engine.$ending"
    assert(once.keySet == documents ++ Set("Ecpix5.v", "registers.json"))
    Thread.sleep(1100)
    assert(once == hashes(generate("fabric rmem+distil", settings: _*)))
    def text(name: String) = Files.readString(folder.resolve(name))
    val map = ujson.read(text("registers.json"))
    val blocks = map("blocks").arr
    assert(blocks.map(block => block("engine").str -> block("base").num.toInt).toSeq == Seq("shell" -> 0, "distil" -> 256, "rmem" -> 768))
    val slices = blocks(1)("registers")("slices").arr.map(slice => slice("name").str -> slice("addr").num.toInt).toMap
    assert(slices("ENGINE") == 0 && slices("WINDOW") == 0x28)
    assert(UUID.fromString(map("interface").str).version == 3 && map("interface") == blocks(0)("interface"))
    assert(!text("Ecpix5.v").contains("Git hash"), "the Verilog depends on the commit that is checked out")
    assert(text("registers-distil.h").contains("WINDOW") && text("registers-distil.html").contains("readings of one summary"))
    // the interface of a fabric is that of all its parts
    assert(map("interface") != ujson.read(Files.readString(generate("fabric distil").resolve("registers.json")))("interface"))
  }

  test("the schema has every parameter, with its default among its values") {
    val schema = ujson.read(Files.readString(generate("schema").resolve("schema.json"))).obj
    def names(engine: String): Seq[String] = schema(engine).arr.map(_("name").str).toSeq
    assert(schema.keySet == Set("shell", "distil", "dispatch", "rmem", "rpc"))
    assert(names("distil") == DistilParameters().productElementNames.toSeq)
    assert(names("dispatch") == DispatchParameters().productElementNames.toSeq)
    assert(names("rmem") == RmemParameters().productElementNames.toSeq)
    assert(names("rpc") == RpcParameters().productElementNames.toSeq)
    for (parameter <- schema.values.flatMap(_.arr)) assert(parameter("values").arr.contains(parameter("default")), parameter("name"))
  }

  test("dispatch, rmem and rpc alone come with their registers, the same bytes each time") {
    val small = Seq("functions=4", "workers=4", "workersPerFunction=2", "tasks=4", "workflows=2", "invocations=2", "inFlight=4")
    val engines = Seq(("dispatch", "DispatchBlock.v", small), ("rmem", "RmemEngine.v", Seq("sets=16")), ("rpc", "RpcEngine.v", Seq("flows=2")))
    for ((engine, verilog, settings) <- engines) {
      val folder = generate(engine, settings: _*)
      val once = hashes(folder)
      assert(once.keySet == Set(verilog, "registers.json", s"registers-$engine.h", s"registers-$engine.html"))
      assert(once == hashes(generate(engine, settings: _*)))
      assert(Files.readString(folder.resolve(s"registers-$engine.h")).contains(s"${engine.toUpperCase}_ENGINE"))
    }
  }

  private val faults = Seq(
    Seq("distil", "size=8") -> "distil has no parameter size; it has widthBytes",
    Seq("distil", "sources=9") -> "sources must be one of 2, 4, 8",
    Seq("distil", "sources") -> "'sources' is no parameter; write NAME=VALUE",
    Seq("motor") -> "there is no 'motor' to write; there are fabric ENGINES, schema, distil",
    Seq("fabric distil+motor") -> "there is no engine motor; there are distil, dispatch, rmem, rpc",
    Seq("fabric distil", "rmem.sets=16") -> "with an engine of the fabric, not rmem",
    Seq("fabric rpc") -> "rpc needs rmem",
    Seq("fabric rmem", "sets=16") -> "parameters are named engine.parameter",
    Seq("fabric rmem", "shell.memoryKiB=17") -> "memoryKiB must be one of 16, 32, 64, 128",
    Seq("dispatch", "workers=9") -> "workers must be one of 2, 4, 8",
    Seq("rmem", "sources=8") -> "rmem has no parameter sources; it has widthBytes",
  )
  for ((arguments, message) <- faults) test(s"refuses ${arguments.mkString(" ")}") {
    assert(intercept[IllegalArgumentException](generate(arguments.head, arguments.tail: _*)).getMessage.contains(message))
  }
}
