package hivemind.fabric

import spinal.lib.bus.regif.{BusIf, BusIfDoc, DocCHeader, DocHtml, DocJson}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.UUID

/** A register block as documents: JSON, a C header and a page. They carry no date, so equal blocks give equal bytes. */
case class RegisterMap(engine: String, interface: UUID, json: () => String, header: () => String, page: () => String) {

  /** The UUID in words of 32 bits, the highest first. */
  def interfaceWords: Seq[BigInt] = {
    val bits = Seq(interface.getMostSignificantBits, interface.getLeastSignificantBits)
    bits.flatMap(long => Seq(BigInt(long >>> 32), BigInt(long & 0xffffffffL)))
  }
}

object RegisterMap {

  /** The map of an engine's block whose registers have all been declared. Its UUID is of names, places and kinds of access, and of
    * the parts with their windows.
    */
  def of(block: BusIf, engine: String, parts: Seq[(Int, RegisterMap)] = Seq()): RegisterMap = {
    val own = for (slice <- block.slices; field <- slice.getFields())
      yield s"${slice.getAddr()} ${slice.getName()} ${field.getName()} ${field.getSection()} ${field.getAccessType()}"
    val signature = own ++ parts.map { case (window, part) => s"$window ${part.engine} ${part.interface}" }
    def body(document: BusIfDoc): () => String = () => {
      document.setBusIf(block)
      document.body().linesIterator.map(_.stripTrailing).filterNot(isDated).mkString("", "\n", "\n")
    }
    RegisterMap(
      engine,
      UUID.nameUUIDFromBytes(signature.mkString("\n").getBytes(UTF_8)),
      body(DocJson(engine)),
      body(DocCHeader(s"${engine}_registers", engine.toUpperCase)),
      body(DocHtml(engine)),
    )
  }

  /** Writes blocks by the addresses at which they begin: `registers.json` of all of them, whose interface is that of the first, and
    * a C header and a page of each.
    */
  def write(folder: Path, blocks: Seq[(Int, RegisterMap)]): Unit = {
    val entries = for ((base, map) <- blocks)
      yield s"""{"engine": "${map.engine}", "interface": "${map.interface}", "base": $base, "registers": ${map.json().trim}}"""
    val text = s"""{"interface": "${blocks.head._2.interface}", "blocks": [\n${entries.mkString(",\n")}\n]}\n"""
    Files.writeString(folder.resolve("registers.json"), text)
    for ((_, map) <- blocks) {
      Files.writeString(folder.resolve(s"registers-${map.engine}.h"), map.header())
      Files.writeString(folder.resolve(s"registers-${map.engine}.html"), map.page())
    }
  }

  private def isDated(line: String): Boolean = line.contains("\"date\"") || line.matches(".*\\d\\d:\\d\\d:\\d\\d.*")
}
