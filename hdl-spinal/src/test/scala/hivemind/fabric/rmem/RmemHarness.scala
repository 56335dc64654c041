package hivemind.fabric.rmem

import spinal.core._
import hivemind.fabric.{Models, RegisterHost}
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** A simulated engine: messages in and out, and its registers, with random gaps and back-pressure. */
class RmemHarness(dut: RmemEngine, p: RmemParameters, random: Random, gap: Double, stall: Double) {
  private val W = p.widthBytes
  private val clock = dut.clockDomain
  private val registers = new RegisterHost(dut.io.bus, clock)

  /** Messages that have left, and in which cycle each ended. */
  val out: mutable.ArrayBuffer[IndexedSeq[Byte]] = mutable.ArrayBuffer()
  val times: mutable.ArrayBuffer[Long] = mutable.ArrayBuffer()

  /** Cycles since the start. */
  var now = 0L

  /** Called before the clock starts: the memory is attached then. */
  def start(attach: => Unit): Unit = {
    SimTimeout(20000000)
    dut.io.input.valid #= false
    dut.io.output.ready #= false
    attach
    clock.forkStimulus(10)
    fork(receive())
    clock.waitSampling(p.sets + 10)
  }

  private def receive(): Unit = {
    val current = mutable.ArrayBuffer[Byte]()
    var held: Option[(BigInt, BigInt, Boolean)] = None
    while (true) {
      clock.waitSampling()
      now += 1
      val (valid, ready) = (dut.io.output.valid.toBoolean, dut.io.output.ready.toBoolean)
      if (!valid) assert(held.isEmpty, "the output took a beat back")
      else {
        val beat = (dut.io.output.data.toBigInt, dut.io.output.keep.toBigInt, dut.io.output.last.toBoolean)
        assert(held.forall(_ == beat), "the output changed while it waited")
        held = if (ready) None else Some(beat)
        if (ready) {
          val kept = (0 until W).count(beat._2.testBit)
          assert(beat._2 == (BigInt(1) << kept) - 1 && (beat._3 || kept == W) && kept > 0, "a beat with holes")
          assert(beat._1 >> (8 * kept) == 0, "bytes leave beside those of the message")
          for (lane <- 0 until kept) current += ((beat._1 >> (8 * lane)) & 0xff).toByte
          if (beat._3) {
            out += current.toIndexedSeq
            times += now
            current.clear()
          }
        }
      }
      dut.io.output.ready #= random.nextDouble() >= stall
    }
  }

  def send(message: Message): Unit = {
    val beats = message.bytes.grouped(W).toSeq
    val holed = if (message.hasHole) 1 + random.nextInt(beats.size - 1) else -1
    for ((beat, index) <- beats.zipWithIndex) {
      while (random.nextDouble() < gap) clock.waitSampling()
      dut.io.input.valid #= true
      dut.io.input.data #= beat.zipWithIndex.map { case (byte, lane) => BigInt(byte & 0xff) << (8 * lane) }.reduce(_ | _)
      val keep = (BigInt(1) << beat.size) - 1
      dut.io.input.keep #= (if (index == holed) keep.clearBit(random.nextInt(if (index == beats.size - 1) math.max(1, beat.size - 1) else beat.size)) else keep)
      dut.io.input.last #= index == beats.size - 1
      clock.waitSamplingWhere(dut.io.input.ready.toBoolean)
      dut.io.input.valid #= false
    }
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
  lazy val compiled: SimCompiled[RmemEngine] = compile(new RmemEngine(small))
  lazy val usual: SimCompiled[RmemEngine] = compile(new RmemEngine(RmemParameters()))

  def compile[T <: Component](dut: => T): SimCompiled[T] = Models.compile(dut)
}
