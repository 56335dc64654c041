package hivemind.fabric.dispatch

import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Cycles that decisions take: every port takes and gives a word in each cycle, and workers answer at once. */
class DispatchSpeedTest extends AnyFunSuite {
  private val function = 5L

  /** Cycles for each dispatched request in the middle of many, answered as they come. */
  private def cyclesEach(bench: Bench, count: Int): Double = {
    var seen = 0
    var (begun, ended) = (0L, 0L)
    while (seen < count) {
      bench.step()
      while (bench.dispatched.nonEmpty) {
        bench.complete(Msg(Msg.Done, tag = bench.dispatched.dequeue().tag))
        seen += 1
        if (seen == count / 4) begun = bench.cycle
        if (seen == count) ended = bench.cycle
      }
      assert(bench.cycle < 100L * count, "too slow")
    }
    assert(bench.slow.isEmpty, "a table was full")
    (ended - begun).toDouble / (count - count / 4)
  }

  for (policy <- 0 until 4) test(s"a call is decided in every fifth cycle, with balancer $policy") {
    DispatchHarness.compiled.doSim(s"speed-$policy") { dut =>
      val bench = new Bench(dut, new Random(1))
      bench.start(balancer = policy, timeout = 1000)
      bench.loadFunction(function, Seq(1, 2, 3, 4))
      for (n <- 0 until 2000) bench.send(Msg(Msg.Call, function = function, request = n, key = n))
      val cycles = cyclesEach(bench, 2000)
      info(f"$cycles%.2f cycles for each decision")
      assert(cycles <= 5.01)
    }
  }

  test("a call reaches its worker, and its result the caller, within 40 cycles each") {
    DispatchHarness.compiled.doSim("latency") { dut =>
      val bench = new Bench(dut, new Random(1))
      bench.start()
      bench.loadFunction(function, Seq(1, 2, 3, 4))
      val waits = for (n <- 0 until 50) yield {
        bench.settle(60 + n)
        bench.dispatched.clear()
        bench.results.clear()
        bench.send(Msg(Msg.Call, function = function, request = n))
        val begun = bench.cycle
        while (bench.dispatched.isEmpty) bench.step()
        val dispatched = bench.cycle
        bench.complete(Msg(Msg.Done, tag = bench.dispatched.head.tag))
        while (bench.results.isEmpty) bench.step()
        (dispatched - begun, bench.cycle - dispatched)
      }
      val (there, back) = waits.unzip
      info(s"call to dispatch: ${there.min} to ${there.max} cycles, done to result: ${back.min} to ${back.max}")
      assert(there.max <= 40 && back.max <= 40)
    }
  }

  private val shapes = Seq(
    ("a chain of 8 tasks", Flow.chain(8, function), 16, 5.7),
    ("one task, 6 at once, and one that joins them", Flow.diamond(6, function), 4, 10.5),
  )
  for ((name, flow, open, limit) <- shapes) test(s"workflows: $name") {
    DispatchHarness.compiled.doSim(s"speed-${flow.tasks.size}-${flow.roots.size}-$limit") { dut =>
      val bench = new Bench(dut, new Random(1))
      bench.start()
      bench.loadFunction(function, Seq(1, 2, 3, 4))
      bench.loadFlow(1, flow)
      val rounds = 200
      for (n <- 0 until open) bench.send(Msg(Msg.Start, function = 1, request = n))
      var (started, ended, tasks) = (open, 0, 0)
      var (begun, finished) = (0L, 0L)
      while (ended < rounds) {
        bench.step()
        assert(bench.slow.isEmpty, "a table was full")
        while (bench.dispatched.nonEmpty) {
          bench.complete(Msg(Msg.Done, tag = bench.dispatched.dequeue().tag))
          tasks += 1
        }
        while (bench.results.nonEmpty) {
          bench.results.dequeue()
          ended += 1
          if (started < rounds) bench.send(Msg(Msg.Start, function = 1, request = { started += 1; started }))
          if (ended == open) { begun = bench.cycle; tasks = 0 }
          finished = bench.cycle
        }
      }
      info(f"${(finished - begun).toDouble / tasks}%.2f cycles for each task, with $open invocations at once")
      assert((finished - begun).toDouble / tasks <= limit)
    }
  }
}
