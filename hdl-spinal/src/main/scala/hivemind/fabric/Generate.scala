package hivemind.fabric

import hivemind.fabric.dispatch.{DispatchBlock, DispatchParameters, DispatchPins}
import hivemind.fabric.distil.{Distil, DistilParameters}
import hivemind.fabric.rmem.{RmemEngine, RmemParameters}
import hivemind.fabric.top.Ecpix5
import spinal.core._

import java.nio.file.{Files, Path}

/** Writes the Verilog of a fabric, or of an engine alone. The same sources and parameters give the same bytes.
  *
  * Usage: `runMain hivemind.fabric.Generate engine|fabric|schema FOLDER [NAME=VALUE ...]`, the names as in
  * [[DistilParameters.schema]], which `schema` writes as JSON. `fabric` also writes the documents of the registers.
  * `dispatch|dispatch-schema` write the same of the engine dispatch with its registers ([[DispatchParameters.schema]]), and
  * `dispatch-pins` what is placed and routed to measure it alone.
  * `rmem` and `rmem-schema` do the same for remote memory, with the names of [[RmemParameters.schema]].
  */
object Generate {
  private val names = "engine, fabric and schema, dispatch, dispatch-pins and dispatch-schema, rmem and rmem-schema"

  private def setting(pair: String): (String, Int) = pair.split("=", 2) match {
    case Array(name, value) if value.toIntOption.isDefined => name -> value.toInt
    case _ => throw new IllegalArgumentException(s"'$pair' is no parameter; write NAME=VALUE with a whole number")
  }

  def main(args: Array[String]): Unit = {
    require(args.length >= 2, s"name what to write, $names, and the folder")
    val folder = Path.of(args(1))
    val settings = args.drop(2).map(setting).toMap
    Files.createDirectories(folder)
    val config = SpinalConfig(
      targetDirectory = folder.toString,
      defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC),
      headerWithDate = false,
      rtlHeader = null,
    )
    args(0) match {
      case "engine" => config.generateVerilog(new Distil(DistilParameters.of(settings)))
      case "fabric" =>
        val fabric = config.generateVerilog(new Ecpix5(DistilParameters.of(settings))).toplevel
        fabric.map.write(folder)
      case "schema" => Files.writeString(folder.resolve("schema.json"), DistilParameters.schema.json)
      case "dispatch" =>
        val block = config.generateVerilog(new DispatchBlock(DispatchParameters.of(settings))).toplevel
        block.map.write(folder)
      case "dispatch-pins"   => config.generateVerilog(new DispatchPins(DispatchParameters.of(settings)))
      case "dispatch-schema" => Files.writeString(folder.resolve("schema.json"), DispatchParameters.schema.json)
      case "rmem" =>
        val engine = config.generateVerilog(new RmemEngine(RmemParameters.of(settings))).toplevel
        engine.map.write(folder)
      case "rmem-schema" => Files.writeString(folder.resolve("schema.json"), RmemParameters.schema.json)
      case other         => throw new IllegalArgumentException(s"there is no '$other' to write; there are $names")
    }
    folder.toFile.listFiles.filter(_.getName.endsWith(".v")).foreach(file => withoutCommit(file.toPath))
  }

  /** SpinalHDL writes the commit of the working folder into the head of the Verilog, which is no part of the design. */
  private def withoutCommit(verilog: Path): Unit = {
    val lines = Files.readString(verilog).linesIterator.filterNot(_.startsWith("// Git hash"))
    Files.writeString(verilog, lines.mkString("", "\n", "\n"))
  }
}
