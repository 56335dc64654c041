package hivemind.fabric.rpc

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

/** The engine with faults that can be switched on: `bug` is the number of one, or 0. */
class PlantedRpc(p: RpcParameters) extends RpcEngine(p) {
  val bug: UInt = in UInt (5 bits)
  private def plant(number: Int, where: Component = rpc)(fault: => Unit): Unit = where.rework(when(bug.pull() === number)(fault))
  private val Seq(
    overrun, early, slot, single, never, rxMoves, txMoves, hash, strangers, sound, errors, balanced, peer, sum, keeps, last, tx0, connection, spare, idle,
  ) = PlantedRpc.names.indices.map(_ + 1)

  plant(overrun, rpc.rxRings)(rpc.rxRings.isFull := 0)
  plant(rxMoves, rpc.rxRings)(rpc.rxRings.io.change.ready := True)
  plant(idle, rpc.rxRings)(rpc.rxRings.io.isUsable := rpc.rxRings.io.isOpen)
  plant(single)(rpc.rxRings.io.batch := 1)
  plant(never)(rpc.rxRings.io.tick := False)
  plant(txMoves, rpc.txRings)(rpc.txRings.io.change.ready := True)
  plant(early) {
    rpc.rxRings.io.done.valid := rpc.rxRings.io.job.fire
    rpc.rxRings.io.done.flow := rpc.rxRings.io.job.flow
    rpc.rxRings.io.done.count := rpc.rxRings.io.job.count
  }
  plant(slot)(rpc.ringWriter.io.stage.slot := 0)
  plant(hash)(when(rpc.io.settings.scheme === Scheme.KEY_HASH)(rpc.balancer.io.scheme := Scheme.CONNECTION))
  plant(strangers) {
    rpc.balancer.io.lines.asked.address := rpc.balancer.io.lines.connection.address
    rpc.balancer.io.lines.asked.port := rpc.balancer.io.lines.connection.port
  }
  plant(sound)(rpc.balancer.io.lines.asked.isSound := True)
  plant(errors)(rpc.ringReader.io.r.resp := 0)
  plant(balanced)(rpc.balancer.io.lines.asked.isResponse := False)
  plant(peer)(rpc.connections.io.txNumber := 0)
  plant(sum)(rpc.frameWriter.io.rows.asked.sum := 0)
  plant(keeps)(rpc.io.output.keep.setAll())
  plant(last)(rpc.io.memory.w.last := False)
  plant(tx0)(rpc.txRings.io.done.payload := 0)
  plant(connection)(rpc.frameWriter.io.rows.connection.isUsed := True)
  for (n <- 0 until p.flows) plant(spare)(rpc.balancer.io.rings.loads(n) := 0)
}

object PlantedRpc {
  val names: Seq[String] = Seq(
    "a full ring is written into",
    "lines count as written before the memory has answered",
    "lines of a flow wait in the same place",
    "every batch is of one line",
    "a batch that is not full is never written",
    "a receive ring changes while lines are in it",
    "a transmit ring changes while lines are in it",
    "keys are not hashed",
    "the sender of an RPC does not count",
    "unsound frames are taken",
    "errors of reads are not seen",
    "responses are balanced as requests are",
    "frames go to the peer of another connection",
    "the payload is not in the checksum",
    "whole beats leave",
    "bursts do not end",
    "lines count as read in another flow",
    "lines of no connection are sent",
    "every flow counts as idle",
    "a ring takes lines while it waits for a change",
  )
}

/** Each planted bug makes a scenario fail, which passes without it. */
class RpcBugsTest extends AnyFunSuite {
  private val p = RpcHarness.small
  private lazy val compiled = RpcHarness.compile(new PlantedRpc(p))

  private def fails(bug: Int, name: String, scenario: (RpcEngine, RpcParameters, Int) => Unit, seed: Int): Boolean =
    try {
      compiled.doSim(s"rpc-bug-$bug-$name-$seed", seed) { dut =>
        dut.bug #= bug
        scenario(dut, p, seed)
      }
      false
    } catch { case _: AssertionError | _: Exception => true }

  test("without a planted bug the engine is sound") {
    for ((name, scenario) <- RpcScenario.all) assert(!fails(0, name, scenario, 1), name)
  }
  for ((name, index) <- PlantedRpc.names.zipWithIndex) test(s"is caught: $name") {
    val caught = (1 until 4).flatMap(seed => RpcScenario.all.collectFirst { case (suite, scenario) if fails(index + 1, suite, scenario, seed) => suite }).headOption
    assert(caught.isDefined)
    info(s"by ${caught.get}")
  }
}
