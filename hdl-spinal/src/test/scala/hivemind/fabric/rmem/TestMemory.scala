package hivemind.fabric.rmem

import spinal.core.ClockDomain
import spinal.core.sim._
import spinal.lib.bus.amba4.axi.Axi4

import scala.collection.mutable
import scala.util.Random

/** A memory that does what AXI4 allows and no master likes: reads see the memory as it was when they came and answer late,
  * writes take place late. It also holds that what waits on a channel of requests stays, and that bursts are legal.
  *
  * @param delay cycles that an operation may take, the shortest and the longest
  * @param stall probability that a channel is not ready, or has nothing to say, in a cycle
  * @param isBroken whether the beat at an address is answered by an error
  */
class TestMemory(axi: Axi4, clock: ClockDomain, random: Random, size: Int, delay: (Int, Int), stall: Double, isBroken: Long => Boolean) {
  private val W = axi.config.dataWidth / 8
  val bytes: Array[Byte] = new Array(size)

  /** Called for each beat that is read or written, with its address. */
  var onBeat: (Long, Boolean) => Unit = (_, _) => ()
  private case class Beat(data: BigInt, isLast: Boolean, failed: Boolean, due: Long)
  private case class Burst(address: Long, beats: Int, due: Long)
  private val readData, writeAnswers = mutable.Queue[Beat]()
  private val writeBursts = mutable.Queue[Burst]()
  private val writeData = mutable.Queue[(BigInt, BigInt, Boolean)]()
  private var now = 0L
  private def due = now + delay._1 + (if (delay._2 > delay._1) random.nextInt(delay._2 - delay._1) else 0)

  private def checked(address: Long, len: Int, size: Int): Burst = {
    assert(1 << size == W, s"a burst of beats of ${1 << size} bytes")
    assert(address % W == 0 && address + (len + 1) * W <= bytes.length, f"a burst beyond the memory: $address%x")
    assert(address / 4096 == (address + len * W) / 4096, f"a burst across 4 KiB: $address%x, ${len + 1} beats")
    Burst(address, len + 1, due)
  }
  private def load(at: Long): BigInt = (0 until W).map(lane => BigInt(bytes(at.toInt + lane) & 0xff) << (8 * lane)).reduce(_ | _)

  private def write(): Unit = while (writeBursts.nonEmpty && writeBursts.head.due <= now && writeData.exists(_._3)) {
    val burst = writeBursts.dequeue()
    val failed = Seq.tabulate(burst.beats) { n =>
      val (data, strobe, isLast) = writeData.dequeue()
      assert(isLast == (n == burst.beats - 1), s"beat $n of a burst of ${burst.beats} says that it is ${if (isLast) "" else "not "}the last")
      val at = burst.address + n * W
      onBeat(at, true)
      if (!isBroken(at)) for (lane <- 0 until W if strobe.testBit(lane)) bytes(at.toInt + lane) = (data >> (8 * lane)).toByte
      isBroken(at)
    }
    writeAnswers += Beat(0, isLast = true, failed.exists(identity), now + 1)
  }

  /** What a channel of requests showed while it waited. */
  private val held = mutable.Map[String, Seq[BigInt]]()
  private def stays(name: String, valid: Boolean, ready: Boolean, payload: => Seq[BigInt]): Boolean = {
    if (held.contains(name)) assert(valid && payload == held(name), s"$name changed while it waited")
    if (valid && !ready) held(name) = payload else held.remove(name)
    valid && ready
  }

  def start(): Unit = {
    axi.ar.ready #= false
    axi.aw.ready #= false
    axi.w.ready #= false
    axi.r.valid #= false
    axi.b.valid #= false
    fork {
      while (true) {
        clock.waitSampling()
        now += 1
        if (stays("ar", axi.ar.valid.toBoolean, axi.ar.ready.toBoolean, Seq(axi.ar.addr.toBigInt, axi.ar.len.toBigInt))) {
          val burst = checked(axi.ar.addr.toLong, axi.ar.len.toInt, axi.ar.size.toInt)
          for (n <- 0 until burst.beats) {
            val at = burst.address + n * W
            onBeat(at, false)
            readData += Beat(load(at), n == burst.beats - 1, isBroken(at), burst.due)
          }
        }
        if (stays("aw", axi.aw.valid.toBoolean, axi.aw.ready.toBoolean, Seq(axi.aw.addr.toBigInt, axi.aw.len.toBigInt)))
          writeBursts += checked(axi.aw.addr.toLong, axi.aw.len.toInt, axi.aw.size.toInt)
        if (stays("w", axi.w.valid.toBoolean, axi.w.ready.toBoolean, Seq(axi.w.data.toBigInt, axi.w.strb.toBigInt, BigInt(axi.w.last.toBoolean.compare(false)))))
          writeData += ((axi.w.data.toBigInt, axi.w.strb.toBigInt, axi.w.last.toBoolean))
        write()
        if (axi.r.valid.toBoolean) assert(axi.r.ready.toBoolean, "data that was read had to wait")
        if (axi.b.valid.toBoolean) assert(axi.b.ready.toBoolean, "the answer to a write had to wait")
        def speaks(queue: mutable.Queue[Beat]) = queue.nonEmpty && queue.head.due <= now && random.nextDouble() >= stall
        val reads = speaks(readData)
        axi.r.valid #= reads
        if (reads) {
          val beat = readData.dequeue()
          axi.r.data #= beat.data
          axi.r.last #= beat.isLast
          axi.r.resp #= (if (beat.failed) 2 else 0)
        }
        val answers = speaks(writeAnswers)
        axi.b.valid #= answers
        if (answers) axi.b.resp #= (if (writeAnswers.dequeue().failed) 3 else 0)
        for (channel <- Seq(axi.ar.ready, axi.aw.ready, axi.w.ready)) channel #= random.nextDouble() >= stall
      }
    }
  }
}
