package hivemind.fabric.rmem

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

/** The engine with faults that can be switched on: `bug` is the number of one, or 0. */
class PlantedRmem(p: RmemParameters) extends RmemEngine(p) {
  val bug: UInt = in UInt (5 bits)
  private def plant(number: Int)(fault: => Unit): Unit = rmem.rework(when(bug.pull() === number)(fault))
  private val Seq(readsOvertake, writesOvertake, hasty, overrun, readErrors, writeErrors, strobes, keeps, far, classes, bounds, permissions, last, place) =
    PlantedRmem.names.indices.map(_ + 1)

  plant(readsOvertake)(rmem.access.io.writesConflict := False)
  plant(writesOvertake)(rmem.access.io.readsConflict := False)
  plant(hasty)(rmem.translation.io.isQuiet := True)
  plant(overrun)(rmem.access.io.freed := rmem.io.memory.r.valid)
  plant(readErrors)(rmem.reads.io.unit.payload := False)
  plant(writeErrors)(rmem.writes.io.unit.payload := False)
  plant(strobes)(rmem.io.memory.w.strb.setAll())
  plant(keeps)(rmem.io.output.keep.setAll())
  plant(far)(rmem.translation.io.requests.isFar := False)
  plant(classes)(rmem.translation.io.requests.requesterClass := 0)
  plant(bounds)(when(rmem.translation.io.accesses.status === Status.OUT_OF_BOUNDS)(rmem.access.io.accesses.status := Status.OK))
  plant(permissions)(when(rmem.translation.io.accesses.status === Status.NOT_PERMITTED)(rmem.access.io.accesses.status := Status.OK))
  plant(last)(rmem.io.memory.w.last := False)
  plant(place)(rmem.reads.io.place := 0)
}

object PlantedRmem {
  val names: Seq[String] = Seq(
    "reads overtake writes",
    "writes overtake reads",
    "the table changes while requests use the memory",
    "more is read than there is room for",
    "errors of reads are not seen",
    "errors of writes are not seen",
    "whole beats are written",
    "whole beats leave",
    "offsets beyond 4 GiB wrap",
    "every requester is of class 0",
    "bounds are not held",
    "permissions are not held",
    "bursts do not end",
    "reads are looked for in the place of another object",
  )
}

class RmemBugsTest extends AnyFunSuite {
  private lazy val compiled = RmemHarness.compile(new PlantedRmem(RmemHarness.small))
  private def isCaught(bug: Int, seed: Int): Boolean = {
    def fails(name: String, scenario: PlantedRmem => Unit): Boolean =
      try {
        compiled.doSim(s"rmem-bug-$bug-$name-$seed", seed) { dut =>
          dut.bug #= bug
          scenario(dut)
        }
        false
      } catch { case _: AssertionError | _: Exception => true }
    fails("scenario", RmemScenario.run(_, seed, phases = 2, messages = 120)) || fails("revoke", RmemScenario.revoke(_, seed)) ||
      fails("flood", RmemScenario.flood(_, seed))
  }
  test("without a planted bug the engine is sound")(assert(!isCaught(0, 1)))
  for ((name, index) <- PlantedRmem.names.zipWithIndex) test(s"is caught: $name") {
    assert((0 until 8).exists(isCaught(index + 1, _)))
  }
}
