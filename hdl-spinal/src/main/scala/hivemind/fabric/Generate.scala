package hivemind.fabric

import hivemind.fabric.distil.{Distil, DistilParameters}
import spinal.core._

import java.nio.file.{Files, Path}

/** Writes the Verilog of an engine. The same sources and parameters give the same bytes.
  *
  * Usage: `runMain hivemind.fabric.Generate FOLDER [NAME=VALUE ...]`, the names as in [[DistilParameters]].
  */
object Generate {
  private def distil(settings: Map[String, Int]): DistilParameters = {
    val d = DistilParameters()
    val known = Seq("widthBytes", "captureBytes", "slots", "bufferBytes", "sources", "integerBits", "fractionBits", "windowBits")
    val unknown = settings.keySet -- known
    require(unknown.isEmpty, s"distil has no parameter ${unknown.mkString(", ")}; it has ${known.mkString(", ")}")
    def get(name: String, default: Int) = settings.getOrElse(name, default)
    DistilParameters(
      widthBytes = get("widthBytes", d.widthBytes),
      captureBytes = get("captureBytes", d.captureBytes),
      slots = get("slots", d.slots),
      bufferBytes = get("bufferBytes", d.bufferBytes),
      sources = get("sources", d.sources),
      integerBits = get("integerBits", d.integerBits),
      fractionBits = get("fractionBits", d.fractionBits),
      windowBits = get("windowBits", d.windowBits),
    )
  }

  def main(args: Array[String]): Unit = {
    val folder = Path.of(args.headOption.getOrElse("generated"))
    val settings = args.drop(1).map { pair =>
      val Array(name, value) = pair.split("=", 2)
      name -> value.toInt
    }.toMap
    Files.createDirectories(folder)
    SpinalConfig(
      targetDirectory = folder.toString,
      defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC),
      headerWithDate = false,
      rtlHeader = null,
    ).generateVerilog(new Distil(distil(settings)))
  }
}
