package hivemind.fabric.rpc

import hivemind.fabric.{Model, Models, RegisterHost, StreamBench}
import hivemind.fabric.net.Frames.Frame
import hivemind.fabric.net.Host
import hivemind.fabric.rmem.TestMemory
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** A burst on the memory port: the address of its first line, its lines, and the cycle in which its address was taken. */
case class Burst(address: Long, lines: Int, cycle: Long)

/** A simulated engine: frames in and out, its registers, and the memory of its rings, with random gaps and back-pressure. */
class RpcHarness(val dut: RpcEngine, val p: RpcParameters, val random: Random, gap: Double, stall: Double, delay: (Int, Int), isBroken: Long => Boolean = _ => false) {
  private val W = p.widthBytes
  val clock = dut.clockDomain

  private val streams = new StreamBench(dut.io.input, dut.io.output, clock, random, gap, stall)

  /** Frames that have left, and in which cycle each ended. */
  val out: mutable.ArrayBuffer[Frame] = streams.out
  val times: mutable.ArrayBuffer[Long] = streams.times

  /** Bursts, as their addresses were taken. */
  val writes, reads: mutable.ArrayBuffer[Burst] = mutable.ArrayBuffer()

  /** Cycles since the start. */
  def now: Long = streams.now
  val memory = new TestMemory(dut.io.memory, clock, random, RpcHarness.memorySize, delay, stall / 2, isBroken)

  SimTimeout(8000000)
  private val registers = new RegisterHost(dut.io.bus, clock)
  dut.io.identity.mac #= RpcHarness.fabric.mac
  dut.io.identity.address #= RpcHarness.fabric.address & 0xffffffffL
  random.nextBytes(memory.bytes)
  memory.start()
  clock.forkStimulus(10)
  streams.start()
  clock.onSamplings {
    val axi = dut.io.memory
    def burst(address: BigInt, len: Int): Burst = {
      assert((len + 1) * W % 64 == 0 && address % 64 == 0, s"a burst of ${len + 1} beats is no lines")
      Burst(address.toLong, (len + 1) * W / 64, now)
    }
    if (axi.aw.valid.toBoolean && axi.aw.ready.toBoolean) writes += burst(axi.aw.addr.toBigInt, axi.aw.len.toInt)
    if (axi.ar.valid.toBoolean && axi.ar.ready.toBoolean) reads += burst(axi.ar.addr.toBigInt, axi.ar.len.toInt)
    if (axi.w.valid.toBoolean) assert(axi.w.strb.toBigInt == (BigInt(1) << W) - 1, "a line is written in part")
  }
  clock.waitSampling(p.connections + 20)

  /** Sends a frame; with `hole`, a lane of its second beat is not kept. */
  def send(frame: Frame, hole: Boolean = false): Unit = streams.send(frame, if (hole) 1 else -1)

  def read(address: Int): Long = registers.read(address)
  def write(address: Int, value: Long): Unit = registers.write(address, value)
  def counter(name: String): Long = read(RpcHarness.At.Counters + 4 * RpcHarness.counters.indexOf(name))

  /** The row of a connection. */
  def connect(number: Int, peer: Host, flow: Int, isUsed: Boolean = true): Int = {
    write(RpcHarness.At.PeerAddress, peer.address & 0xffffffffL)
    write(RpcHarness.At.PeerAddress + 4, peer.mac & 0xffffffffL)
    write(RpcHarness.At.PeerAddress + 8, peer.port | (peer.mac >> 32) << 16)
    write(RpcHarness.At.Connection, number | flow << 16 | (if (isUsed) 1L << 24 else 0))
    write(RpcHarness.At.Command, 4)
    result()
  }

  /** Starts to put a ring in its place. */
  def place(flow: Int, isTransmit: Boolean, address: Long, log: Int): Unit = {
    write(RpcHarness.At.Flow, flow)
    write(RpcHarness.At.RingBase, address / 64)
    write(RpcHarness.At.RingBase + 4, log)
    write(RpcHarness.At.Command, if (isTransmit) 2 else 1)
  }
  def isBusy: Boolean = (read(RpcHarness.At.Result) & 1) != 0
  def result(): Int = {
    var value = read(RpcHarness.At.Result)
    while ((value & 1) != 0) value = read(RpcHarness.At.Result)
    (value >> 1).toInt
  }
  def indices(flow: Int, isTransmit: Boolean): (Int, Int) = {
    write(RpcHarness.At.Flow, flow)
    val value = read(if (isTransmit) RpcHarness.At.TxIndex else RpcHarness.At.RxIndex)
    ((value & 0xffff).toInt, (value >> 16).toInt)
  }
  def ring(flow: Int, isTransmit: Boolean, index: Int): Unit =
    write(if (isTransmit) RpcHarness.At.TxDoorbell else RpcHarness.At.RxDoorbell, index | flow << 16 | 1L << 24)
}

object RpcHarness {
  object At {
    val Limits = 0x20
    val Balance = 0x24
    val Active = 0x28
    val Batch = 0x2c
    val Flush = 0x30
    val Command = 0x34
    val Result = 0x38
    val Flow = 0x3c
    val RingBase = 0x40
    val PeerAddress = 0x48
    val Connection = 0x54
    val RxIndex = 0x58
    val TxIndex = 0x5c
    val RxDoorbell = 0x60
    val TxDoorbell = 0x64
    val Busy = 0x68
    val Counters = 0x6c
  }
  val counters: Seq[String] =
    Seq("received", "sent", "malformed", "unknownConnection", "withoutFlow", "ringFull", "refused", "memoryErrors", "badDoorbells")
  val fabric: Host = Host(0x02000000aa01L, 0x0a000063, 4903)

  /** Small, so that rings fill, wrap and cross pages. */
  val small: RpcParameters = RpcParameters(flows = 4, maxBatch = 8, maxRing = 128, connections = 16, addressBits = 20)
  val wide: RpcParameters = small.copy(widthBytes = 32)
  val memorySize: Int = 1 << 20
  lazy val compiled: Model[RpcEngine] = compile(new RpcEngine(small))
  lazy val compiledWide: Model[RpcEngine] = compile(new RpcEngine(wide))

  def compile[T <: Component](dut: => T): Model[T] = Models.compile(dut)
}
