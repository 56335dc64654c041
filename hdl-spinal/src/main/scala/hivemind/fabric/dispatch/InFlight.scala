package hivemind.fabric.dispatch

import spinal.core._
import spinal.lib._

/** A worker says that it has done a request. */
case class Done(p: DispatchParameters) extends Bundle {
  val tag = Handle(p.slotBits, p.generationBits)
  val key, payload = Bits(32 bits)
  val payloadBytes = UInt(16 bits)
}

/** What becomes of a request whose place in the in-flight table is free again. */
object Outcome extends SpinalEnum {
  val COMPLETED, RETRIED, EXHAUSTED = newElement()
}

/** A request that left the in-flight table; of one that is completed, key and payload are those that its worker sent. */
case class Retired(p: DispatchParameters) extends Bundle {
  val outcome = Outcome()
  val work = Work(p)
}

/** The requests at workers (the Workflow In-flight state of Speedo, section 3.2), with time-outs.
  *
  * Each leaves once: when its worker is done, or when its time is over. What comes for a request that has left is ignored: its
  * tag has an old generation. One request leaves in a frame; the places are searched for time-outs one in each frame.
  */
class InFlight(p: DispatchParameters) extends Component {
  val io = new Bundle {
    val phase = in(Schedule.phase())
    val sweep = in(Sweep(p))
    val timeout = in UInt (15 bits)
    val retries = in UInt (4 bits)
    val free = master(Stream(Handle(p.slotBits, p.generationBits)))

    /** At phase 1. */
    val insert = slave(Flow(Dispatched(p)))
    val done = slave(Stream(Done(p)))
    val retired = master(Stream(Retired(p)))

    /** The worker of a request that leaves, at phase 0. */
    val released = master(Flow(UInt(p.workerBits bits)))

    /** High for one cycle for each DONE whose request had left before. */
    val stale = out Bool ()
  }
  private val queue = StreamFifo(Retired(p), 8)
  io.retired << queue.io.pop
  private val hasRoom = RegNext(queue.io.availability > 3, init = False)
  private val isSweeping = io.sweep.covers(p.inFlight)
  private val sweepSlot = io.sweep.row.resize(p.slotBits)

  private val ticks = CounterFreeRun(p.tickCycles)
  private val now = Reg(UInt(16 bits)) init 0
  when(ticks.willOverflow)(now := now + 1)

  // The generation that a place has when it is used next; its request is in flight while it has the same. Written at phase 0.
  private val next = Mem(UInt(p.generationBits bits), p.inFlight)
  private val entries = Mem(Bits(Dispatched(p).getBitsWidth bits), p.inFlight)
  private case class Deadline() extends Bundle {
    val isSet = Bool()
    val tick = UInt(16 bits)
    val generation = UInt(p.generationBits bits)
  }
  private val deadlines = Mem(Bits(Deadline().getBitsWidth bits), p.inFlight)

  // Phase 1: a request comes in. The sweep leaves a generation in each place that is not in flight.
  private val empty = Dispatched(p)
  empty.assignFromBits(Bits(empty.getBitsWidth bits).setAll())
  private val deadline = Deadline()
  deadline.isSet := !isSweeping && io.timeout =/= 0
  deadline.tick := now + io.timeout
  deadline.generation := io.insert.tag.generation
  private val slot = Mux(isSweeping, sweepSlot, io.insert.tag.slot)
  entries.write(slot, Mux(isSweeping, empty, io.insert.payload).asBits, isSweeping || io.insert.valid)
  deadlines.write(slot, deadline.asBits, isSweeping || io.insert.valid)

  // The search for time-outs: phase 2: read. Phase 4: compare. What was found waits for the next phase 0.
  private val searched = Reg(UInt(p.slotBits bits)) init 0
  private val expired = Reg(Flow(Handle(p.slotBits, p.generationBits)))
  expired.valid.init(False)
  private val found = Deadline()
  found.assignFromBits(RegNextWhen(deadlines.readSync(searched, io.phase === 2), io.phase === 3))
  private val foundNext = RegNextWhen(next.readSync(searched, io.phase === 2), io.phase === 3)
  private val isOver = !(now - found.tick).msb && found.isSet && found.generation === foundNext
  when(io.phase === 4 && !expired.valid && !io.sweep.isActive) {
    searched := searched + 1
    expired.valid := isOver
    expired.slot := searched
    expired.generation := found.generation
  }

  // Phase 0: what is to leave. A time-out goes first: it is rare.
  private val isExpiry = Reg(Bool())
  private val event = Reg(Done(p))
  private val eventValid = RegInit(False)
  io.done.ready := io.phase === 0 && hasRoom && !expired.valid && !io.sweep.isActive
  when(io.phase === 0) {
    event := io.done.payload
    isExpiry := False
    eventValid := io.done.fire
    when(expired.valid) {
      event.tag := expired.payload
      isExpiry := True
      eventValid := hasRoom
      when(hasRoom)(expired.valid := False)
    }
  }

  // Phase 2: read. Phase 4: compare. Phase 0: the place is free.
  private val entry = Dispatched(p)
  entry.assignFromBits(RegNextWhen(entries.readSync(event.tag.slot, io.phase === 2), io.phase === 3))
  private val entryNext = RegNextWhen(next.readSync(event.tag.slot, io.phase === 2), io.phase === 3)
  private val isLive = RegNext(entry.tag.generation === event.tag.generation && entryNext === event.tag.generation)
  private val leaves = io.phase === 0 && eventValid && isLive
  io.stale := io.phase === 0 && eventValid && !isLive && !isExpiry

  private val freed = Handle(p.slotBits, p.generationBits)
  freed.slot := event.tag.slot
  freed.generation := event.tag.generation + 1
  next.write(
    Mux(isSweeping, sweepSlot, freed.slot),
    Mux(isSweeping, U(0, p.generationBits bits), freed.generation),
    isSweeping || leaves,
  )
  private def unused(slot: UInt): Handle = {
    val handle = Handle(p.slotBits, p.generationBits)
    handle.slot := slot
    handle.generation := 0
    handle
  }
  private val list = new FreeList(Handle(p.slotBits, p.generationBits), p.inFlight, p, unused)
  list.io.sweep := io.sweep
  list.io.give.valid := leaves
  list.io.give.payload := freed
  io.free << list.io.take
  io.released.valid := leaves
  io.released.payload := entry.worker

  private val result = Reg(Retired(p))
  when(io.phase === 0) {
    result.work := entry.work
    result.outcome := Outcome.COMPLETED
    when(isExpiry) {
      result.work.attempt := entry.work.attempt + 1
      result.outcome := Outcome.RETRIED
      when(entry.work.attempt >= io.retries) {
        result.work.attempt := entry.work.attempt
        result.outcome := Outcome.EXHAUSTED
      }
    } otherwise {
      result.work.key := event.key
      result.work.payload := event.payload
      result.work.payloadBytes := event.payloadBytes
    }
  }
  queue.io.push.valid := RegNext(leaves, init = False)
  queue.io.push.payload := result
}
