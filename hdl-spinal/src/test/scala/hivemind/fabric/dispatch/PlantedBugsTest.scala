package hivemind.fabric.dispatch

import hivemind.fabric.{PlantedBug, PlantedBugs}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.{Random, Try}

/** The engine with an input that switches one of the planted bugs on; 0: none. */
class PlantedDispatch(p: DispatchParameters) extends Dispatch(p) {
  val planted = in UInt (4 bits)
}

/** Bugs planted in the Verilog of the engine: the random simulations must fail with each of them, and pass without. */
class PlantedBugsTest extends AnyFunSuite {

  private val bugs = Seq(
    PlantedBug("a task does not wait for its parents", "Walker", "(! (|(row_parents & job_pending)))", "1'b1"),
    PlantedBug("a late answer counts", "InFlight", "(entryNext == event_tag_generation)", "1'b1"),
    PlantedBug("one way of the match table is not compared", "Dispatcher", "(_zz_row_function_3 == first_function)", "1'b1"),
    PlantedBug("a child that two parents release is passed over", "Progress", "(event_step == Step_COMPLETE) && isOurs", "(event_step == Step_COMPLETE) && (isOurs && (event_task != 4'd3))"),
    PlantedBug("a request that times out is tried once too often", "InFlight", "(io_retries <= entry_work_attempt)", "(io_retries < entry_work_attempt)"),
    PlantedBug("the payload of a call is that of its request", "InFlight", "result_work_payload <= event_payload;", "result_work_payload <= entry_work_payload;"),
    PlantedBug("a frame that is too short is taken for a message", "MessageReader", "((index == 2'b01) && isFull)", "isFull"),
  )

  private lazy val model = PlantedBugs.model(new PlantedDispatch(DispatchHarness.parameters), bugs)

  /** Whether the random simulations find something wrong, within some seeds. */
  private def fails(number: Int, seeds: Range): Boolean = seeds.exists { seed =>
    Try(model.doSim(s"planted-$number-$seed", seed) { dut =>
      dut.planted #= number
      new Swarm(dut, new Random(seed), seed % 4, isLossy = seed % 2 == 1, window = 4, gap = 0, stall = 0.3).run(80)
    }).isFailure
  }

  test("without a bug, the same simulations pass")(assert(!fails(0, 0 until 4)))
  for ((bug, n) <- bugs.zipWithIndex) test(s"caught: ${bug.name}")(assert(fails(n + 1, 0 until 12)))
}
