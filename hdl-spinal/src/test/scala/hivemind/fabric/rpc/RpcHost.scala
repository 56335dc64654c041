package hivemind.fabric.rpc

import scala.collection.mutable

/** The software of a host with its rings. It holds that the engine writes free entries alone and reads produced ones alone, each once;
  * an entry that is free, or not yet produced, holds anything.
  */
class RpcHost(board: RpcHarness) {
  private val p = board.p
  private val random = board.random
  private val modulo = 2 * p.maxRing

  private object State extends Enumeration { val Free, Written, Produced, Read = Value }
  private val states = mutable.Map[Long, State.Value]()

  /** A ring, and the indices of the host: what it has done itself. */
  class Ring(val flow: Int, val isTransmit: Boolean) {
    var address = 0L
    var log = -1
    var own = 0
    var engine = 0
    private var side = 0
    def size: Int = 1 << log
    def at(index: Int): Long = address + 64L * (index % size)

    private var next: Option[(Long, Int)] = None

    /** The engine's index as it is now, and the place of the ring: a change takes place while the ring is empty, so all lines that are
      * there before it ended are in the old place, and all that are there now, if it has ended, in the new one.
      */
    def refresh(): Unit = {
      val (first, second) = board.indices(flow, isTransmit)
      engine = if (isTransmit) second else first
      assert((if (isTransmit) first else second) == own % modulo, s"flow $flow: the engine has another index of the host's")
      for ((newAddress, newLog) <- next if !board.isBusy) {
        assert(board.result() == 0)
        val old = if (log < 0) Seq() else (0 until size).map(at)
        for (line <- old) {
          val state = states.remove(line)
          assert(if (isTransmit) state.forall(_ == State.Read) else state.contains(State.Free), s"flow $flow: the ring changed while lines were in it")
        }
        address = newAddress
        log = newLog
        next = None
      }
    }

    /** Puts the ring elsewhere, with another size; calls `work` until it is there. */
    def place(newLog: Int, work: => Unit = ()): Unit = {
      val place = 8192L * (2 * (2 * flow + (if (isTransmit) 1 else 0)) + side)
      side = 1 - side
      if (!isTransmit) for (n <- 0 until 1 << newLog) states(place + 64L * n) = State.Free
      next = Some((place, newLog))
      board.place(flow, isTransmit, place + 64L * random.nextInt(1 << newLog), newLog)
      while ({ refresh(); next.isDefined }) work
    }
  }
  val rx: Seq[Ring] = for (flow <- 0 until p.flows) yield new Ring(flow, false)
  val tx: Seq[Ring] = for (flow <- 0 until p.flows) yield new Ring(flow, true)

  /** Lines that came, by their flows. */
  val received: Seq[mutable.ArrayBuffer[IndexedSeq[Byte]]] = Seq.fill(p.flows)(mutable.ArrayBuffer())
  def total: Int = received.map(_.size).sum

  board.memory.onBeat = (address, isWrite) => {
    val line = address / 64 * 64
    val state = states.get(line)
    if (isWrite && address == line) {
      assert(state.contains(State.Free), f"the engine wrote $line%x, which is $state")
      states(line) = State.Written
    } else if (isWrite) assert(state.contains(State.Written), f"the engine wrote $address%x, which is $state")
    else {
      assert(state.contains(State.Produced), f"the engine read $address%x, which is $state")
      if (address == line + 64 - p.widthBytes) states(line) = State.Read
    }
  }
  private def bytes(line: Long): IndexedSeq[Byte] = board.memory.bytes.slice(line.toInt, line.toInt + 64).toIndexedSeq
  private def poison(line: Long): Unit = for (n <- 0 until 64) board.memory.bytes(line.toInt + n) = random.nextInt().toByte

  /** Takes up to `most` lines out of the receive ring of a flow. */
  def consume(flow: Int, most: Int = Int.MaxValue): Unit = {
    val ring = rx(flow)
    ring.refresh()
    val ready = Math.floorMod(ring.engine - ring.own, modulo)
    assert(ready == 0 || ready <= ring.size, s"flow $flow has $ready lines in a ring of ${ring.size}")
    val count = math.min(most, ready)
    for (_ <- 0 until count) {
      val line = ring.at(ring.own)
      assert(states(line) == State.Written, f"flow $flow: the line at $line%x is not there")
      received(flow) += bytes(line)
      poison(line)
      states(line) = State.Free
      ring.own += 1
    }
    if (count > 0) board.ring(flow, isTransmit = false, ring.own % modulo)
  }
  def consumeAll(): Unit = (0 until p.flows).foreach(consume(_))

  /** Entries that a transmit ring has room for. */
  def room(flow: Int): Int = {
    val ring = tx(flow)
    ring.refresh()
    val used = Math.floorMod(ring.own - ring.engine, modulo)
    for (n <- used until ring.size; line = ring.at(ring.own + n - used))
      if (states.get(line).contains(State.Read)) {
        states.remove(line)
        poison(line)
      } else assert(!states.contains(line), f"flow $flow: the line at $line%x counts as read, and is not")
    ring.size - used
  }

  /** Puts lines into a transmit ring that has room for them, and rings. */
  def produce(flow: Int, lines: Seq[IndexedSeq[Byte]]): Unit = {
    val ring = tx(flow)
    for (line <- lines) {
      val at = ring.at(ring.own)
      line.copyToArray(board.memory.bytes, at.toInt)
      states(at) = State.Produced
      ring.own += 1
    }
    board.ring(flow, isTransmit = true, ring.own % modulo)
  }
}
