package hivemind.fabric

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

/** A memory that is written and read in every cycle. */
class OneMemory extends Component {
  val io = new Bundle {
    val readAddress, writeAddress = in UInt (4 bits)
    val write = in Bits (8 bits)
    val read = out Bits (8 bits)
  }
  private val memory = Mem(Bits(8 bits), 16)
  memory.write(io.writeAddress, io.write)
  io.read := memory.readSync(io.readAddress)
}

class ModelsTest extends AnyFunSuite {
  test("a row that is read while it is written gives junk, and any other is read") {
    Models.compile(new OneMemory).doSim("junk", 1) { dut =>
      dut.clockDomain.forkStimulus(10)
      def cycle(read: Int, write: Int, value: Int): Int = {
        dut.io.readAddress #= read
        dut.io.writeAddress #= write
        dut.io.write #= value
        dut.clockDomain.waitSampling()
        sleep(1)
        dut.io.read.toInt
      }
      cycle(0, 3, 0x12)
      assert(cycle(3, 4, 0x34) == 0x12)
      assert(cycle(3, 3, 0x56) == 0xed)
      assert(cycle(3, 4, 0x34) == 0x56)
    }
  }
}
