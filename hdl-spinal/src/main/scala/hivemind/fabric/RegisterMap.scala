package hivemind.fabric

import spinal.lib.bus.regif.{BusIf, BusIfDoc, DocCHeader, DocHtml, DocJson}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.UUID

/** A register block as documents: JSON, a C header and a page. They carry no date, so equal blocks give equal bytes. */
case class RegisterMap(interface: UUID, documents: Map[String, () => String]) {

  /** The UUID in words of 32 bits, the highest first. */
  def interfaceWords: Seq[BigInt] = {
    val bits = Seq(interface.getMostSignificantBits, interface.getLeastSignificantBits)
    bits.flatMap(long => Seq(BigInt(long >>> 32), BigInt(long & 0xffffffffL)))
  }

  def write(folder: Path): Unit = for ((file, text) <- documents) Files.writeString(folder.resolve(file), text())
}

object RegisterMap {

  /** The map of an engine's block whose registers have all been declared. Its UUID is of names, places and kinds of access alone. */
  def of(block: BusIf, engine: String = "distil"): RegisterMap = {
    val signature = for (slice <- block.slices; field <- slice.getFields())
      yield s"${slice.getAddr()} ${slice.getName()} ${field.getName()} ${field.getSection()} ${field.getAccessType()}"
    val interface = UUID.nameUUIDFromBytes(signature.mkString("\n").getBytes(UTF_8))
    def body(document: BusIfDoc): () => String = () => {
      document.setBusIf(block)
      document.body().linesIterator.map(_.stripTrailing).filterNot(isDated).mkString("", "\n", "\n")
    }
    RegisterMap(
      interface,
      Map(
        "registers.json" -> (() => body(DocJson(engine))().replaceFirst("\\{", s"""{\n  "interface"  : "$interface",""")),
        "registers.h" -> body(DocCHeader(s"${engine}_registers", engine.toUpperCase)),
        "registers.html" -> body(DocHtml(engine)),
      ),
    )
  }

  private def isDated(line: String): Boolean = line.contains("\"date\"") || line.matches(".*\\d\\d:\\d\\d:\\d\\d.*")
}
