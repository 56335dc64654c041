package hivemind.fabric

import org.scalatest.Assertions._
import spinal.core.{Component, SpinalConfig}

import java.nio.file.Files
import java.util.regex.Pattern

/** A bug in the Verilog of a module: the text that is replaced, and by what. A replaced `x <= y;` is followed by the wrong one; of
  * `assign x = y;` the wrong `y` is given.
  */
case class PlantedBug(name: String, module: String, find: String, wrong: String)

object PlantedBugs {

  /** A model with every bug behind its number, as [[plant]] does. */
  def model[T <: Component](dut: => T, bugs: Seq[PlantedBug]): Model[T] = {
    val folder = Models.folder("planted")
    val report = SpinalConfig(targetDirectory = folder.toString).generateVerilog(dut)
    val file = folder.resolve(s"${report.toplevelName}.v")
    Files.writeString(file, plant(Files.readString(file), report.toplevelName, bugs))
    Models.compiled(report)
  }

  /** The Verilog with every bug behind its number, from 1: that bug is on while the input `planted` of the top has its number. */
  def plant(verilog: String, top: String, bugs: Seq[PlantedBug]): String = bugs.zipWithIndex.foldLeft(verilog) {
    case (text, (PlantedBug(name, module, find, wrong), n)) =>
      val body = s"(?s)\\nmodule $module \\(.*?\\nendmodule".r.findFirstIn(text).getOrElse(fail(s"no module $module"))
      assert(body.split(Pattern.quote(find), -1).length == 2, s"$name: not one place holds $find")
      val isOn = s"($top.planted == 4'd${n + 1})"
      val changed =
        if (find.startsWith("assign ")) {
          val Array(left, right) = find.stripSuffix(";").split(" = ", 2)
          s"$left = ($isOn ? ($wrong) : ($right));"
        } else if (find.contains("<=") && find.endsWith(";")) s"$find if$isOn begin $wrong end" else s"($isOn ? ($wrong) : ($find))"
      text.replace(body, body.replace(find, changed))
  }
}
