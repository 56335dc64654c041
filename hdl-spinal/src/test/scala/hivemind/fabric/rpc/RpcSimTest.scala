package hivemind.fabric.rpc

import hivemind.fabric.IdBlock
import hivemind.fabric.rpc.RpcHarness.At
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** The engine with words of 16 and of 32 bytes against [[RpcScenario]], with many seeds. */
class RpcSimTest extends AnyFunSuite {
  private val full = sys.env.get("HIVEMIND_HDL_QUICK").isEmpty
  private val seeds = Map("traffic" -> 40, "changes" -> 40, "steering" -> 20, "batches" -> 4, "limits" -> 8, "errors" -> 4)
  private val models = Seq(("16", RpcHarness.small, () => RpcHarness.compiled), ("32", RpcHarness.wide, () => RpcHarness.compiledWide))
  private val claims = Map(
    "traffic" -> "every line arrives once, unchanged and in order, where the scheme says, or is counted; frames leave as the rings have them",
    "changes" -> "batch, flush, scheme, flows, rings and connections change under traffic without a loss",
    "steering" -> "the flow of each request is the one that the scheme names, before a change and after it",
    "batches" -> "batches are as large as the register says, and do not wait for longer than the flush",
    "limits" -> "full rings drop and count; indices and commands that cannot be are refused",
    "errors" -> "what the memory answers with an error is not sent, and is counted",
  )

  for ((width, p, model) <- models; (name, scenario) <- RpcScenario.all) {
    val count = if (full) seeds(name) else math.max(2, seeds(name) / 5)
    test(s"$width bytes wide, $name: ${claims(name)} ($count seeds)") {
      for (seed <- 0 until count) model().doSim(s"rpc-$name-$width-$seed", seed)(scenario(_, p, seed))
    }
  }

  test("the identity is read back, a register keeps what is written, the limits are there") {
    RpcHarness.compiled.doSim("rpc-identity", 1) { dut =>
      val board = new RpcHarness(dut, RpcHarness.small, new Random(1), 0, 0, (0, 1))
      assert(board.read(0) == IdBlock.word(RpcRegisters.code).toLong)
      assert(board.read(4) == RpcRegisters.version)
      assert((board.read(0xc) >> 12 & 15) == 3)
      board.write(0x1c, 0xdeadbeefL)
      assert(board.read(0x1c) == 0xdeadbeefL)
      assert(board.read(At.Limits) == (4 | 8 << 8 | 7 << 16 | 4 << 24))
    }
  }
}
