package hivemind.fabric.dispatch

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import java.nio.file.{Files, Path}
import scala.util.{Random, Try}

/** The engine with an input that switches one of the planted bugs on; 0: none. */
class PlantedDispatch(p: DispatchParameters) extends Dispatch(p) {
  val planted = in UInt (4 bits)
}

/** Bugs planted in the Verilog of the engine: the random simulations must fail with each of them, and pass without. */
class PlantedBugsTest extends AnyFunSuite {

  /** What is wrong, in which module, and the text that is replaced. */
  private val bugs = Seq(
    ("a task does not wait for its parents", "Walker", "(! (|(row_parents & job_pending)))", "1'b1"),
    ("a late answer counts", "InFlight", "(entryNext == event_tag_generation)", "1'b1"),
    ("one way of the match table is not compared", "Dispatcher", "(_zz_row_function_3 == first_function)", "1'b1"),
    ("a child that two parents release is passed over", "Progress", "(event_step == Step_COMPLETE) && isOurs", "(event_step == Step_COMPLETE) && (isOurs && (event_task != 4'd3))"),
    ("a request that times out is tried once too often", "InFlight", "(io_retries <= entry_work_attempt)", "(io_retries < entry_work_attempt)"),
    ("the payload of a call is that of its request", "InFlight", "result_work_payload <= event_payload;", "result_work_payload <= entry_work_payload;"),
    ("a frame that is too short is taken for a message", "MessageReader", "((index == 2'b01) && isFull)", "isFull"),
  )

  /** The Verilog with every bug behind its number. */
  private def plant(verilog: String): String = bugs.zipWithIndex.foldLeft(verilog) { case (text, ((name, module, find, wrong), n)) =>
    val body = s"(?s)\\nmodule $module \\(.*?\\nendmodule".r.findFirstIn(text).getOrElse(fail(s"no module $module"))
    assert(body.split(java.util.regex.Pattern.quote(find), -1).length == 2, s"$name: not one place holds $find")
    val isOn = s"(PlantedDispatch.planted == 4'd${n + 1})"
    val changed =
      if (find.contains("<=") && find.endsWith(";")) s"$find if$isOn begin $wrong end" else s"($isOn ? ($wrong) : ($find))"
    text.replace(body, body.replace(find, changed))
  }

  private lazy val model: SimCompiled[PlantedDispatch] = {
    val folder = Path.of("target/planted")
    Files.createDirectories(folder)
    val report = SpinalConfig(targetDirectory = folder.toString).generateVerilog(new PlantedDispatch(DispatchHarness.parameters))
    val file = folder.resolve("PlantedDispatch.v")
    Files.writeString(file, plant(Files.readString(file)))
    SimConfig.withVerilator.workspacePath("target/sim").compile(report)
  }

  /** Whether the random simulations find something wrong, within some seeds. */
  private def fails(number: Int, seeds: Range): Boolean = seeds.exists { seed =>
    Try(model.doSim(s"planted-$number-$seed", seed) { dut =>
      dut.planted #= number
      new Swarm(dut, new Random(seed), seed % 4, isLossy = seed % 2 == 1, window = 4, gap = 0, stall = 0.3).run(80)
    }).isFailure
  }

  test("without a bug, the same simulations pass")(assert(!fails(0, 0 until 4)))
  for (((name, _, _, _), n) <- bugs.zipWithIndex) test(s"caught: $name")(assert(fails(n + 1, 0 until 12)))
}
