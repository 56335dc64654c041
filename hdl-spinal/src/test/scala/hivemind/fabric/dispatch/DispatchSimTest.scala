package hivemind.fabric.dispatch

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

/** The engine against `Reference`: random workflows, calls and broken frames, with random gaps and back-pressure. */
class DispatchSimTest extends AnyFunSuite {
  private val p = DispatchHarness.parameters
  private val full = sys.env.get("HIVEMIND_HDL_QUICK").isEmpty
  private val seeds = if (full) 24 else 4
  private val requests = 120
  private def simulate(name: String, seed: Int = 1)(body: Dispatch => Unit): Unit = DispatchHarness.compiled.doSim(name, seed)(body)

  for (isLossy <- Seq(false, true); (window, room) <- Seq(2 -> "with room", 24 -> "with full tables"))
    test(s"random requests ${if (isLossy) "with losses" else "without loss"}, $room, over $seeds seeds") {
      for (seed <- 0 until seeds) simulate(s"random-$isLossy-$window-$seed", seed) { dut =>
        val random = new Random(seed * 100 + window)
        val (gap, stall) = (Seq(0.0, 0.5)(seed % 2), Seq(0.0, 0.3, 0.8)(seed % 3))
        val swarm = new Swarm(dut, random, policy = seed % 4, isLossy, window, gap, stall)
        try swarm.run(requests)
        catch { case error: AssertionError => throw new AssertionError(s"seed $seed: ${error.getMessage}", error) }
        assert(swarm.reference.ends.getOrElse("result", 0) > requests / 10, "hardly anything was done")
      }
    }

  private def call(function: Long, request: Long = 1, key: Long = 0) = Msg(Msg.Call, function = function, request = request, key = key)
  private def prepared(dut: Dispatch, balancer: Int = 0, timeout: Int = 0, retries: Int = 0): Bench = {
    val bench = new Bench(dut, new Random(1))
    bench.start(balancer, timeout, retries)
    bench
  }

  test("as many requests are in flight as the table holds, and the next goes to the slow path") {
    simulate("table-full") { dut =>
      val bench = prepared(dut)
      bench.loadFunction(5, Seq(1, 2, 3))
      for (n <- 0 until p.inFlight + 3) bench.send(call(5, n))
      bench.settle()
      val first = bench.dispatched.toSeq
      assert(first.size == p.inFlight && first.map(_.tag).distinct.size == p.inFlight)
      assert(bench.slow.map(m => (m.reason, m.request)).toSeq == (0 until 3).map(n => (Msg.TableFull, (p.inFlight + n).toLong)))
      for (m <- first) bench.complete(Msg(Msg.Done, tag = m.tag))
      bench.send(call(5, 999))
      bench.settle()
      assert(bench.results.size == p.inFlight && bench.dispatched.last.request == 999)
      assert(!first.map(_.tag).contains(bench.dispatched.last.tag), "a handle is used twice")
    }
  }

  test("as many invocations are in progress as the table holds; one that is abandoned makes room, and its tasks come to nothing") {
    simulate("invocations-full") { dut =>
      val bench = prepared(dut)
      bench.loadFunction(5, Seq(1))
      bench.loadFlow(2, Flow.chain(3, 5))
      def start(n: Int) = bench.send(Msg(Msg.Start, function = 2, request = n))
      for (n <- 0 to p.invocations) start(n)
      bench.settle()
      assert(bench.dispatched.map(_.request).toSeq == (0 until p.invocations))
      assert(bench.slow.map(m => (m.kind, m.reason, m.request)).toSeq == Seq((Msg.Start, Msg.InvocationsFull, p.invocations.toLong)))
      val first = bench.dispatched.head
      bench.complete(Msg(Msg.Abandon, invocation = first.invocation))
      bench.settle()
      bench.complete(Msg(Msg.Done, tag = first.tag))
      bench.complete(Msg(Msg.Abandon, invocation = first.invocation))
      start(77)
      bench.settle()
      val next = bench.dispatched.last
      assert(bench.dispatched.size == p.invocations + 1 && next.request == 77 && next.invocation != first.invocation)
      assert(dut.io.counters.abandoned.toLong == 1 && dut.io.counters.stale.toLong == 0)
    }
  }

  test("round robin goes through the workers of each function in turn, and begins anew with a new row") {
    simulate("round-robin") { dut =>
      val bench = prepared(dut)
      bench.loadFunction(5, Seq(9, 3, 12))
      bench.loadFunction(6, Seq(1, 2))
      for (n <- 0 until 8) bench.send(call(if (n % 2 == 0) 5 else 6))
      bench.settle()
      assert(bench.dispatched.map(_.worker).toSeq == Seq(9, 1, 3, 2, 12, 1, 9, 2))
      bench.dispatched.clear()
      bench.loadFunction(5, Seq(4, 7))
      for (_ <- 0 until 3) bench.send(call(5))
      bench.settle()
      assert(bench.dispatched.map(_.worker).toSeq == Seq(4, 7, 4))
    }
  }

  test("the hash of the key always names the same worker") {
    simulate("key-hash") { dut =>
      val bench = prepared(dut, balancer = 3)
      val members = Seq(9, 3, 12)
      bench.loadFunction(5, members)
      val keys = Seq.fill(30)(new Random(4)).zipWithIndex.map { case (_, n) => Crc(n * 7919L) * 65537L & 0xffffffffL }
      for (key <- keys) bench.send(call(5, key = key))
      bench.settle()
      assert(bench.dispatched.map(_.worker).toSeq == keys.map(key => members((Crc(key) * 3) >> 16)))
      assert(bench.dispatched.map(_.worker).distinct.size == 3)
    }
  }

  test("chance gives each worker its share") {
    simulate("random") { dut =>
      val bench = prepared(dut, balancer = 1)
      bench.loadFunction(5, Seq(9, 3, 12))
      val rounds = 100
      for (n <- 0 until rounds) {
        for (_ <- 0 until 20) bench.send(call(5))
        bench.settle(60 + n % 7)
        for (m <- bench.dispatched.takeRight(20)) bench.complete(Msg(Msg.Done, tag = m.tag))
      }
      val counts = bench.dispatched.groupBy(_.worker).map { case (worker, all) => worker -> all.size }
      assert(counts.keySet == Set(9, 3, 12))
      val expected = 20 * rounds / 3.0
      val chiSquare = counts.values.map(n => (n - expected) * (n - expected) / expected).sum
      assert(chiSquare < 13.8, s"not even, at the level of 0.1 %: $counts")
    }
  }

  test("the least loaded worker is that with the fewest requests in flight, the first of equals") {
    for (seed <- 0 until (if (full) 10 else 2)) simulate(s"least-loaded-$seed", seed) { dut =>
      val bench = prepared(dut, balancer = 2)
      val random = new Random(seed)
      val rows = Map(5L -> Seq(9, 3, 12, 4), 6L -> Seq(3, 9), 7L -> Seq(15, 4, 3))
      for ((function, members) <- rows) assert(bench.loadFunction(function, members))
      val load = scala.collection.mutable.Map[Int, Int]().withDefaultValue(0)
      var open = Seq[Msg]()
      for (n <- 0 until 150) {
        if (open.size < 25 && random.nextInt(5) > 1 || open.isEmpty) {
          val function = rows.keys.toSeq(random.nextInt(3))
          // two at once: the second is decided right after the first, and must see it
          for (_ <- 0 until 2) bench.send(call(function))
          bench.settle(40)
          for (m <- bench.dispatched) {
            assert(m.worker == rows(function).minBy(load(_)), s"seed $seed, request $n: $load")
            load(m.worker) += 1
            open :+= m
          }
        } else {
          val gone = random.shuffle(open).take(2)
          for (m <- gone) {
            bench.complete(Msg(Msg.Done, tag = m.tag))
            load(m.worker) -= 1
          }
          open = open.diff(gone)
          bench.settle(40)
        }
        bench.dispatched.clear()
      }
    }
  }

  test("a request that times out is tried again as often as it may, then goes to the slow path; late answers are ignored") {
    simulate("time-out") { dut =>
      val (timeout, retries) = (20, 2)
      val bench = prepared(dut, timeout = timeout, retries = retries)
      bench.loadFunction(5, Seq(1, 2))
      bench.send(call(5, request = 42))
      var times = Seq[Long]()
      while (bench.slow.isEmpty) {
        bench.step()
        if (bench.dispatched.size > times.size) times :+= bench.cycle
        assert(bench.cycle < 10000)
      }
      assert(bench.dispatched.map(m => (m.attempt, m.request, m.worker)).toSeq == Seq((0, 42, 1), (1, 42, 2), (2, 42, 1)))
      for ((a, b) <- (times :+ bench.cycle).zip(times.drop(1) :+ bench.cycle)) {
        val waited = b - a
        if (waited > 0) {
          // a tick may have begun before, and a search of all places takes five cycles for each
          assert(waited >= (timeout - 1) * p.tickCycles && waited <= (timeout + 1) * p.tickCycles + 5 * p.inFlight + 40, waited)
        }
      }
      val last = bench.slow.head
      assert((last.kind, last.reason, last.attempt, last.request) == ((Msg.Call, Msg.Exhausted, retries, 42L)))
      for (m <- bench.dispatched) bench.complete(Msg(Msg.Done, tag = m.tag))
      bench.settle()
      assert(bench.results.isEmpty && dut.io.counters.stale.toLong == 3 && dut.io.counters.retried.toLong == 2)
    }
  }

  test("a disabled engine sends every request to the slow path, as it came") {
    simulate("disabled") { dut =>
      val bench = new Bench(dut, new Random(1))
      bench.start(enabled = false)
      bench.loadFunction(5, Seq(1))
      val sent = Seq(call(5, 3, 4), Msg(Msg.Start, function = 1, request = 2))
      sent.foreach(bench.send)
      bench.settle()
      assert(bench.slow.toSeq == sent.map(_.copy(reason = Msg.Disabled)) && bench.dispatched.isEmpty)
    }
  }

  test("while workers take nothing, nothing is lost") {
    simulate("blocked") { dut =>
      val bench = prepared(dut)
      bench.loadFunction(5, Seq(1))
      bench.block(true)
      for (n <- 0 until 25) bench.send(call(5, n))
      bench.steps(1000)
      assert(bench.dispatched.isEmpty && bench.waiting > 0)
      bench.block(false)
      bench.settle()
      assert(bench.dispatched.map(_.request).toSeq == (0 until 25))
    }
  }
}
