package hivemind.fabric

import hivemind.fabric.dispatch.{DispatchBlock, DispatchParameters, DispatchPins}
import hivemind.fabric.distil.{Distil, DistilParameters}
import hivemind.fabric.rmem.{RmemEngine, RmemParameters}
import hivemind.fabric.rpc.{RpcEngine, RpcParameters}
import hivemind.fabric.top.{Ecpix5, FabricParameters}
import spinal.core._

import java.nio.file.{Files, Path}

/** Writes the Verilog of a fabric, or of an engine alone. The same sources and parameters give the same bytes.
  *
  * Usage: `runMain hivemind.fabric.Generate WHAT FOLDER [NAME=VALUE ...]`, where WHAT is
  *   - `fabric ENGINE[+ENGINE ...]`: a whole fabric with the documents of its registers; names are `engine.parameter`, as
  *     `schema` writes them as JSON
  *   - `distil`, `dispatch`, `rmem` or `rpc`: that engine alone, all but distil with their registers
  *   - `dispatch-pins`: what is placed and routed to measure dispatch alone
  */
object Generate {
  private val names = "fabric ENGINES, schema, distil, dispatch, dispatch-pins, rmem and rpc"

  private def setting(pair: String): (String, Int) = pair.split("=", 2) match {
    case Array(name, value) if value.toIntOption.isDefined => name -> value.toInt
    case _ => throw new IllegalArgumentException(s"'$pair' is no parameter; write NAME=VALUE with a whole number")
  }

  def main(args: Array[String]): Unit = {
    require(args.nonEmpty, s"name what to write, $names, and the folder")
    val isFabric = args(0) == "fabric"
    val rest = args.drop(if (isFabric) 2 else 1)
    require(rest.nonEmpty, "name the folder to write to")
    val folder = Path.of(rest.head)
    val settings = rest.tail.map(setting).toMap
    Files.createDirectories(folder)
    val config = SpinalConfig(
      targetDirectory = folder.toString,
      defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC),
      headerWithDate = false,
      rtlHeader = null,
    )
    args(0) match {
      case "fabric" =>
        val parameters = FabricParameters.of(args(1).split('+').toSet, settings)
        config.generateVerilog(new Ecpix5(parameters)).toplevel.writeRegisters(folder)
      case "schema" => Files.writeString(folder.resolve("schema.json"), FabricParameters.json)
      case "distil" => config.generateVerilog(new Distil(DistilParameters.of(settings)))
      case "dispatch" =>
        RegisterMap.write(folder, Seq(0 -> config.generateVerilog(new DispatchBlock(DispatchParameters.of(settings))).toplevel.map))
      case "dispatch-pins" => config.generateVerilog(new DispatchPins(DispatchParameters.of(settings)))
      case "rmem" =>
        RegisterMap.write(folder, Seq(0 -> config.generateVerilog(new RmemEngine(RmemParameters.of(settings))).toplevel.map))
      case "rpc" =>
        RegisterMap.write(folder, Seq(0 -> config.generateVerilog(new RpcEngine(RpcParameters.of(settings))).toplevel.map))
      case other => throw new IllegalArgumentException(s"there is no '$other' to write; there are $names")
    }
    folder.toFile.listFiles.filter(_.getName.endsWith(".v")).foreach(file => withoutCommit(file.toPath))
  }

  /** SpinalHDL writes the commit of the working folder into the head of the Verilog, which is no part of the design. */
  private def withoutCommit(verilog: Path): Unit = {
    val lines = Files.readString(verilog).linesIterator.filterNot(_.startsWith("// Git hash"))
    Files.writeString(verilog, lines.mkString("", "\n", "\n"))
  }
}
