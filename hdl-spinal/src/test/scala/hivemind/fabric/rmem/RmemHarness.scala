package hivemind.fabric.rmem

import spinal.core._
import hivemind.fabric.{Model, Models, RegisterHost, StreamBench}
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** A simulated engine: messages in and out, and its registers, with random gaps and back-pressure. */
class RmemHarness(dut: RmemEngine, p: RmemParameters, random: Random, gap: Double, stall: Double) {
  private val clock = dut.clockDomain
  private val registers = new RegisterHost(dut.io.bus, clock)
  private val streams = new StreamBench(dut.io.input, dut.io.output, clock, random, gap, stall)

  /** Messages that have left, and in which cycle each ended. */
  val out: mutable.ArrayBuffer[IndexedSeq[Byte]] = streams.out
  val times: mutable.ArrayBuffer[Long] = streams.times

  /** Cycles since the start. */
  def now: Long = streams.now

  /** Called before the clock starts: the memory is attached then. */
  def start(attach: => Unit): Unit = {
    SimTimeout(20000000)
    attach
    clock.forkStimulus(10)
    streams.start()
    clock.waitSampling(p.sets + 10)
  }

  def send(message: Message): Unit = {
    val beats = (message.bytes.size + p.widthBytes - 1) / p.widthBytes
    streams.send(message.bytes, if (message.hasHole) 1 + random.nextInt(beats - 1) else -1)
  }

  /** Waits until as many messages have left, and none leaves for a while. */
  def settle(messages: Int): Unit = {
    var waited = 0
    while (out.size < messages && waited < 20000) {
      clock.waitSampling()
      waited += 1
    }
    clock.waitSampling(200)
    assert(out.size == messages, s"$messages messages came, ${out.size} were answered")
  }

  def read(address: Int): Long = registers.read(address)
  def write(address: Int, value: Long): Unit = registers.write(address, value)

  /** Runs a command of the table and returns its outcome. */
  private def command(bits: Int): Int = {
    write(RmemHarness.Command, bits)
    var result = read(RmemHarness.Result)
    while ((result & 1) != 0) result = read(RmemHarness.Result)
    (result >> 1).toInt
  }
  private def name(value: Long): Unit = {
    write(RmemHarness.Name, value & 0xffffffffL)
    write(RmemHarness.Name + 4, value >>> 32)
  }
  def insert(placed: Placed): Int = {
    name(placed.name)
    write(RmemHarness.Base, placed.base & 0xffffffffL)
    write(RmemHarness.Base + 4, placed.base >>> 32)
    write(RmemHarness.Size, placed.size)
    write(RmemHarness.Access, placed.readers | placed.writers << 8)
    command(1)
  }
  def remove(value: Long): Int = {
    name(value)
    command(2)
  }
  def clear(): Int = command(4)
}

object RmemHarness {
  val Command = 0x20
  val Result = 0x24
  val Objects = 0x28
  val Limits = 0x2c
  val Name = 0x30
  val Base = 0x38
  val Size = 0x40
  val Access = 0x44
  val Counters = 0x48

  /** Small, so that every queue fills, bursts are short and sets overflow. */
  val small: RmemParameters = RmemParameters(maxBytes = 256, bufferBytes = 512, window = 4, burstBeats = 4, ways = 2, sets = 16, addressBits = 20, classes = 3)
  lazy val compiled: Model[RmemEngine] = compile(new RmemEngine(small))
  lazy val usual: Model[RmemEngine] = compile(new RmemEngine(RmemParameters()))

  def compile[T <: Component](dut: => T): Model[T] = Models.compile(dut)
}
