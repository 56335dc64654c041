package hivemind.fabric.rmem

import spinal.core.sim._
import spinal.lib.bus.amba4.axi.sim.{AxiMemorySim, AxiMemorySimConfig}

import scala.util.Random

/** Random objects and requests, sound and broken, held against [[RmemReference]]: every response, and at the end the memory. */
object RmemScenario {
  private val p = RmemHarness.small
  val memorySize: Int = 1 << p.addressBits

  /** A page that answers with errors. */
  def isBroken(address: Long): Boolean = address >> 12 == 0x42

  /** Objects side by side: at the last address, across a page that is broken, and small ones. */
  private def objects(random: Random): Seq[Placed] = {
    val bases = Seq(0L, 0x41f40L, memorySize - 512L) ++ Seq.tabulate(9)(n => 0x1000L * (n + 1) + 16 * random.nextInt(200))
    val sizes = Seq(300L, 0x800L, 512L) ++ Seq.fill(9)(Seq(1, 15, 16, 17, 64, 100, 555)(random.nextInt(7)).toLong)
    bases.zip(sizes).map { case (base, size) =>
      Placed(if (random.nextBoolean()) random.nextInt(40).toLong else random.nextLong(), base, size, random.nextInt(8) | random.nextInt(8), random.nextInt(8) | random.nextInt(8))
    }
  }

  private def message(random: Random, placed: Seq[Placed], tag: Int): Message = {
    // often the same object again, for the order of what follows each other
    val target = if (random.nextBoolean()) placed(1) else placed(random.nextInt(placed.size))
    val name = if (random.nextInt(15) == 0) random.nextInt(60).toLong else target.name
    val isWrite = random.nextBoolean()
    val most = Seq(20, 70, p.maxBytes)(random.nextInt(3))
    val length = if (random.nextInt(40) == 0) p.maxBytes + random.nextInt(40) else random.nextInt(most + 1)
    val room = math.max(1, target.size - length + 1).toInt
    val offset = random.nextInt(12) match {
      case 0 => target.size - random.nextInt(40)
      case 1 => Seq(-1L, -16L, 0xffffffffL, 0xfffffff0L, 1L << 32, 1L << 40, Long.MinValue)(random.nextInt(7))
      case 2 => random.nextInt(1000).toLong
      case _ => random.nextInt(math.min(room, 120)).toLong
    }
    val data = if (isWrite) Seq.fill(length)(random.nextInt().toByte) else Seq()
    val asked = random.nextInt(12) match {
      case 0 => random.nextInt(256)
      case 1 => 3
      case n => n % 3
    }
    val whole = Message.request(if (isWrite) 2 else 1, name, offset, length, data, random.nextInt(65536), tag, asked)
    random.nextInt(40) match {
      case 0 => whole.copy(whole.bytes.take(1 + random.nextInt(whole.bytes.size)))
      case 1 => whole.copy(whole.bytes ++ Seq.fill(1 + random.nextInt(40))(9.toByte))
      case 2 => whole.copy(whole.bytes.updated(0, random.nextInt(4).toByte))
      case 3 => whole.copy(whole.bytes.updated(1, random.nextInt(256).toByte))
      case 4 => whole.copy(hasHole = true)
      case 5 => whole.copy(whole.bytes.updated(24 + random.nextInt(4), random.nextInt().toByte))
      case 6 => whole.copy(whole.bytes ++ Seq.fill(random.nextInt(2000))(9.toByte))
      case _ => whole
    }
  }

  /** Throws where the engine and the reference differ. `phases` changes of the table, each followed by `messages` messages. */
  def run(dut: RmemEngine, seed: Int, phases: Int, messages: Int): Unit = {
    val random = new Random(seed)
    val (gap, stall) = (Seq(0.0, 0.4)(seed % 2), Seq(0.0, 0.3, 0.8)(seed % 3))
    val board = new RmemHarness(dut, p, random, gap, stall)
    val usesLibrary = seed % 4 == 3
    val reference = new RmemReference(p, memorySize, if (usesLibrary) _ => false else isBroken)
    random.nextBytes(reference.memory)
    var memory: () => Array[Byte] = null
    board.start {
      if (usesLibrary) {
        Random.setSeed(seed)
        val simulated = AxiMemorySim(dut.io.memory, dut.clockDomain, AxiMemorySimConfig(interruptProbability = 30, interruptMaxDelay = 9, writeResponseDelay = 7))
        for ((byte, at) <- reference.memory.zipWithIndex) simulated.memory.write(at, byte)
        dut.io.memory.r.resp #= 0
        simulated.start()
        memory = () => simulated.memory.readArray(0, memorySize)
      } else {
        val simulated = new TestMemory(dut.io.memory, dut.clockDomain, random, memorySize, Seq((0, 1), (5, 60), (0, 30))(seed % 3), Seq(0.0, 0.5)(seed / 2 % 2), isBroken)
        reference.memory.copyToArray(simulated.bytes)
        simulated.start()
        memory = () => simulated.bytes
      }
    }
    watch(dut)
    def same(what: String, got: Any, expected: Any): Unit = assert(got == expected, s"seed $seed, $what: $got instead of $expected")

    var sent = 0
    var checked = 0
    val present = scala.collection.mutable.Map[Long, Placed]()
    def overlap(one: Placed, other: Placed): Boolean = one.base < other.base + other.size && other.base < one.base + one.size
    val counts = scala.collection.mutable.Map[(Int, Boolean), Int]().withDefaultValue(0)
    for (phase <- 0 until phases) {
      if (random.nextInt(4) == 0) {
        same("clear", board.clear(), 0)
        reference.clear()
        present.clear()
      }
      for (name <- reference.names if random.nextInt(3) == 0) {
        same("remove", board.remove(name), reference.remove(name))
        present -= name
      }
      same("remove of nothing", board.remove(-77), 1)
      same("insert beyond the last address", board.insert(Placed(99, memorySize - 16, 17, 7, 7)), reference.insert(Placed(99, memorySize - 16, 17, 7, 7)))
      same("insert far beyond it", board.insert(Placed(99, 1L << 33, 17, 7, 7)), 3)
      val placed = objects(random)
      for (each <- placed) {
        val result = reference.insert(each)
        same(s"insert $each", board.insert(each), result)
        if (result == 0) present(each.name) = each
      }
      // two names for the same memory are different objects, whose requests may overlap: none is left of phases before
      for (old <- present.values.toSeq if !placed.contains(old) && placed.exists(overlap(_, old)))
        same(s"remove $old", board.remove(old.name), reference.remove(old.name))
      present.filterInPlace((name, _) => reference.names.exists(_ == name))
      same("objects", board.read(RmemHarness.Objects), reference.size.toLong)
      val batch = Seq.tabulate(messages)(n => message(random, placed, phase * messages + n))
      val expected = batch.map(reference(_))
      batch.foreach(board.send)
      sent += messages
      board.settle(sent)
      for (((request, answer), n) <- batch.zip(expected).zipWithIndex) {
        val got = board.out(checked + n)
        assert(got == answer, s"seed $seed, phase $phase, message $n:\n${hex(request.bytes)}\n${hex(got)} instead of\n${hex(answer)}")
        counts((answer(8).toInt, answer(1) == 2)) += 1
      }
      checked += messages
    }
    val counted = (0 until 8).map(n => board.read(RmemHarness.Counters + 4 * n)).toSeq
    val refused = (1 to 6).map(status => counts((status, false)) + counts((status, true)))
    same("counters", counted, (Seq(counts((0, false)), counts((0, true))) ++ refused).map(_.toLong))
    val left = memory()
    for (at <- 0 until memorySize if !isBroken(at)) assert(left(at) == reference.memory(at), f"seed $seed: byte $at%x of the memory")
  }

  /** No read and write of the same bytes may be under way together: the memory may do them in either order. */
  private def watch(dut: RmemEngine): Unit = {
    case class Burst(address: Long, end: Long)
    val reads, writes = scala.collection.mutable.Queue[Burst]()
    val memory = dut.io.memory
    def burst(address: BigInt, len: Int): Burst = Burst(address.toLong, address.toLong + (len + 1) * p.widthBytes)
    def apart(one: Burst, others: Iterable[Burst], what: String): Unit =
      for (other <- others) assert(one.end <= other.address || other.end <= one.address, s"$what at ${one.address}: ${other.address} is under way")
    dut.clockDomain.onSamplings {
      if (memory.b.valid.toBoolean && memory.b.ready.toBoolean) writes.dequeue()
      if (memory.r.valid.toBoolean && memory.r.ready.toBoolean && memory.r.last.toBoolean) reads.dequeue()
      if (memory.ar.valid.toBoolean && memory.ar.ready.toBoolean) {
        val read = burst(memory.ar.addr.toBigInt, memory.ar.len.toInt)
        apart(read, writes, "a read")
        reads += read
      }
      if (memory.aw.valid.toBoolean && memory.aw.ready.toBoolean) {
        val write = burst(memory.aw.addr.toBigInt, memory.aw.len.toInt)
        apart(write, reads, "a write")
        writes += write
      }
    }
  }

  /** An engine with a memory that has no broken page. */
  def started(dut: RmemEngine, random: Random, delay: (Int, Int) = (3, 50), stall: Double = 0.2): (RmemHarness, TestMemory) = {
    val board = new RmemHarness(dut, p, random, 0.1, stall)
    val memory = new TestMemory(dut.io.memory, dut.clockDomain, random, memorySize, delay, 0.2, _ => false)
    board.start(memory.start())
    (board, memory)
  }

  /** Removes an object amid requests to it. Throws when its memory is used after the command, or when the answers change other
    * than once, from done to unknown.
    */
  def revoke(dut: RmemEngine, seed: Int): Unit = {
    val random = new Random(seed)
    val (board, memory) = started(dut, random)
    assert(board.insert(Placed(1, 0x1000, 256, 1, 1)) == 0 && board.insert(Placed(2, 0x2000, 256, 1, 1)) == 0)
    var isRevoked = false
    memory.onBeat = (address, _) => if (address >= 0x1000 && address < 0x1100) assert(!isRevoked, "the memory of a removed object was used")
    val messages = Seq.tabulate(200) { n =>
      val (name, at, length) = (1 + random.nextInt(2), random.nextInt(100), random.nextInt(150))
      if (random.nextBoolean()) Message.read(name, at, length, n) else Message.write(name, at, Seq.fill(length)(3.toByte), n)
    }
    val sender = fork(messages.foreach(board.send))
    dut.clockDomain.waitSampling(200 + random.nextInt(600))
    assert(board.remove(1) == 0)
    isRevoked = true
    sender.join()
    board.settle(messages.size)
    val statuses = messages.zip(board.out).collect { case (message, answer) if message.bytes(15) == 1 => answer(8).toInt }
    assert(statuses.contains(0) && statuses.contains(3) && statuses == statuses.sorted, s"seed $seed: $statuses")
  }

  /** Reads as much as there is while hardly anything leaves. Throws when the memory has to wait with what it has read. */
  def flood(dut: RmemEngine, seed: Int): Unit = {
    val random = new Random(seed)
    val (board, _) = started(dut, random, (0, 1), 0.95)
    assert(board.insert(Placed(1, 0x1000, 2 * p.maxBytes, 1, 1)) == 0)
    val messages = Seq.tabulate(20)(n => Message.read(1, random.nextInt(p.maxBytes), p.maxBytes, n))
    messages.foreach(board.send)
    board.settle(messages.size)
    assert(board.out.forall(_.size == 16 + p.maxBytes))
  }

  private def hex(bytes: Seq[Byte]): String = bytes.map(byte => f"${byte & 0xff}%02x").mkString
}
