package hivemind.fabric.top

import hivemind.fabric.{Model, Models}
import hivemind.fabric.dispatch.DispatchParameters
import hivemind.fabric.distil.DistilParameters
import hivemind.fabric.net.Frames.Frame
import hivemind.fabric.rmem.RmemParameters
import hivemind.fabric.rpc.RpcParameters
import spinal.core._
import spinal.core.sim._

import java.util.zip.CRC32
import scala.collection.mutable

/** A whole fabric as one simulation model, with frames on its GMII and register requests on its serial line. */
class FabricHarness(dut: Fabric, linePeriod: Int = 8001) {
  private val clock = dut.clockDomain
  private val current = mutable.ArrayBuffer[Byte]()

  /** What came out: frames without their check sequence, which has been tested. */
  val out: mutable.ArrayBuffer[Frame] = mutable.ArrayBuffer[Frame]()
  var quiet = 0

  private def put(data: Int, valid: Boolean, error: Boolean = false): Unit = {
    dut.io.receive.data #= data
    dut.io.receive.valid #= valid
    dut.io.receive.error #= error
  }

  SimTimeout(1000000000000L)
  put(0, valid = false)
  dut.io.uart.rxd #= true
  dut.io.receiveClock #= false
  clock.forkStimulus(8000)
  fork {
    while (true) {
      sleep(linePeriod / 2)
      dut.io.receiveClock #= true
      sleep(linePeriod - linePeriod / 2)
      dut.io.receiveClock #= false
    }
  }
  clock.waitSampling(30)
  fork {
    while (true) {
      clock.waitSampling()
      if (dut.io.transmit.valid.toBoolean) {
        assert(!dut.io.transmit.error.toBoolean, "a frame broke off")
        current += dut.io.transmit.data.toInt.toByte
        quiet = 0
      } else {
        if (current.nonEmpty) out += FabricHarness.unpack(current.toIndexedSeq)
        current.clear()
        quiet += 1
      }
    }
  }

  // Inputs change while the clock of the line is low.
  private def lineCycle(): Unit = {
    waitUntil(dut.io.receiveClock.toBoolean)
    waitUntil(!dut.io.receiveClock.toBoolean)
  }

  def send(frame: Frame, damage: Boolean = false, error: Boolean = false): Unit = {
    val bytes = FabricHarness.preamble ++ frame ++ FabricHarness.checkSequence(frame).map(b => if (damage) (b ^ 1).toByte else b)
    for ((byte, n) <- bytes.zipWithIndex) {
      put(byte & 0xff, valid = true, error = error && n == 20)
      lineCycle()
    }
    put(0, valid = false)
    for (_ <- 0 until 12) lineCycle()
  }

  /** Sends bytes on the serial line and gives what is answered. */
  def serial(request: Seq[Int], replyBytes: Int): Seq[Int] = {
    val reply = listen(replyBytes)
    for (byte <- request) {
      for (bit <- Seq(0) ++ (0 until 8).map(n => (byte >> n) & 1) ++ Seq(1)) {
        dut.io.uart.rxd #= bit == 1
        clock.waitSampling(UartBridge.cyclesPerBit)
      }
    }
    reply()
  }

  private def listen(bytes: Int): () => Seq[Int] = {
    val got = mutable.ArrayBuffer[Int]()
    val thread = fork {
      for (_ <- 0 until bytes) {
        waitUntil(!dut.io.uart.txd.toBoolean)
        clock.waitSampling(UartBridge.cyclesPerBit * 3 / 2)
        var byte = 0
        for (n <- 0 until 8) {
          if (dut.io.uart.txd.toBoolean) byte |= 1 << n
          clock.waitSampling(UartBridge.cyclesPerBit)
        }
        got += byte
      }
    }
    () => {
      thread.join()
      got.toSeq
    }
  }

  def read(address: Int): Long = {
    val reply = serial(Seq('R'.toInt, address >> 8, address & 0xff), 5)
    assert(reply.head == 'r'.toInt, s"reading $address was answered by $reply")
    reply.tail.foldLeft(0L)((value, byte) => value << 8 | byte)
  }

  def write(address: Int, value: Long): Unit = {
    val bytes = (24 to 0 by -8).map(n => ((value >> n) & 0xff).toInt)
    assert(serial(Seq('W'.toInt, address >> 8, address & 0xff) ++ bytes, 1) == Seq('w'.toInt))
  }

  /** Waits until nothing has left for a while. */
  def settle(): Unit = {
    quiet = 0
    while (quiet < 3000) clock.waitSampling(100)
  }
}

object FabricHarness {
  private def compile(p: FabricParameters): Model[Fabric] = Models.compile(new Fabric(p))

  /** Distil alone. */
  lazy val distil: Model[Fabric] = compile(FabricParameters(distil = Some(DistilParameters(sources = 4))))

  /** All engines, with small tables. */
  val small: FabricParameters = FabricParameters(
    distil = Some(DistilParameters(sources = 4)),
    dispatch = Some(DispatchParameters(functions = 16, workers = 16, workersPerFunction = 4, tasks = 8, workflows = 2, invocations = 8, inFlight = 32)),
    rmem = Some(RmemParameters(sets = 16)),
    memoryKiB = 16,
  )
  lazy val all: Model[Fabric] = compile(small)

  /** rmem, and rpc with its rings. */
  val rpcParameters: FabricParameters =
    FabricParameters(rmem = Some(RmemParameters(sets = 16)), rpc = Some(RpcParameters(flows = 2, maxBatch = 4, maxRing = 16, connections = 16)), memoryKiB = 16)
  lazy val rpc: Model[Fabric] = compile(rpcParameters)

  private val preamble: Seq[Byte] = Seq.fill(7)(0x55.toByte) :+ 0xd5.toByte

  def checkSequence(frame: Frame): Seq[Byte] = {
    val crc = new CRC32
    crc.update(frame.toArray)
    (0 until 4).map(n => (crc.getValue >> (8 * n)).toByte)
  }

  private def unpack(bytes: Frame): Frame = {
    assert(bytes.take(8) == preamble, "a frame without a preamble")
    val frame = bytes.drop(8).dropRight(4)
    assert(bytes.takeRight(4) == checkSequence(frame), "a frame with a wrong check sequence")
    frame
  }
}
