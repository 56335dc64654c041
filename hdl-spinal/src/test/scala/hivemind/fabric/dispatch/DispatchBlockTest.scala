package hivemind.fabric.dispatch

import hivemind.fabric.Models
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib.bus.amba3.apb.sim.Apb3Driver

/** The engine as its host sees it: through the registers. */
class DispatchBlockTest extends AnyFunSuite {
  private val parameters = DispatchParameters(
    functions = 4,
    workers = 4,
    workersPerFunction = 2,
    workflows = 2,
    tasks = 4,
    invocations = 2,
    inFlight = 4,
  )
  private lazy val compiled = Models.compile(new DispatchBlock(parameters))

  test("the host reads who the engine is, loads a function, and calls take it once the settings are applied") {
    compiled.doSim("block") { dut =>
      SimTimeout(10000000)
      val documents = ujson.read(dut.map.json())
      val address = documents("slices").arr.map(slice => slice("name").str -> slice("addr").num.toInt).toMap
      dut.clockDomain.forkStimulus(10)
      val bus = Apb3Driver(dut.io.bus, dut.clockDomain)
      def read(name: String) = bus.read(address(name))
      def write(name: String, value: BigInt): Unit = bus.write(address(name), value)
      for (stream <- Seq(dut.io.requests, dut.io.completions)) stream.valid #= false
      for (stream <- Seq(dut.io.dispatched, dut.io.results, dut.io.slow)) stream.ready #= true
      def call(): Unit =
        for ((data, keep, last) <- DispatchHarness.beats(Msg(Msg.Call, function = 77, request = 3).bytes)) {
          dut.io.requests.valid #= true
          dut.io.requests.data #= data
          dut.io.requests.keep #= keep
          dut.io.requests.last #= last
          dut.clockDomain.waitSamplingWhere(dut.io.requests.ready.toBoolean)
          dut.io.requests.valid #= false
        }
      dut.clockDomain.waitSampling(5)
      while ((read("STATUS") & 1) == 0) dut.clockDomain.waitSampling()
      assert(read("ENGINE") == BigInt("DISP".getBytes) && read("VERSION") == 1)
      assert((0 until 4).map(n => read(s"INTERFACE_$n")) == dut.map.interfaceWords)
      write("SCRATCH", 0x12345678)
      assert(read("SCRATCH") == 0x12345678)

      def settle(): Unit = dut.clockDomain.waitSampling(60)
      call()
      settle()
      assert(read("DISABLED") == 1)

      val row = BigInt(77) | (BigInt(1) << 32) | (BigInt(2) << 40)
      for (n <- 0 until 4) write(s"ROW_$n", (row >> (32 * n)) & 0xffffffffL)
      write("PLACE", Crc(77) % 2)
      write("COMMIT", 1)
      write("DISPATCH", 1)
      call()
      settle()
      assert(read("DISABLED") == 2, "a setting took effect before it was applied")
      write("APPLY", 1)
      call()
      settle()
      assert(read("DISPATCHED") == 1 && read("DISABLED") == 2 && read("REQUESTS") == 3)
      assert((read("STATUS") & 4) == 0)
    }
  }
}
