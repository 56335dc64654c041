package hivemind.fabric.rmem

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.Axi4
import spinal.lib.bus.amba4.axis.Axi4Stream

/** What the engine has done since its reset. Counters wrap. */
case class RmemCounters() extends Bundle {
  val reads, writes, malformed, tooLong, unknownName, notPermitted, outOfBounds, memoryErrors = UInt(32 bits)
}

/** Remote memory (HiveMind, section 4.4): one-sided reads and writes of objects by their virtual names.
  *
  * Each message of `input` is answered by one message of `output`, in order. Requests to one object take place in their
  * order. Nothing but the bytes of the object that a request names is written, or leaves.
  */
class Rmem(p: RmemParameters) extends Component {
  val io = new Bundle {
    val input = slave(Axi4Stream(p.stream))
    val output = master(Axi4Stream(p.stream))
    val memory = master(Axi4(p.memory))
    val command = slave(Stream(TableCommand(p)))
    val outcome = out(TableStatus())
    val objects = out UInt (log2Up(p.sets * p.ways) + 1 bits)
    val counters = out(RmemCounters())
  }
  val reader = new RequestReader(p)
  val translation = new Translation(p)
  val access = new MemoryAccess(p)
  val writeData = new WriteData(p)
  val reads, writes = new Pending(p, p.window)
  val responder = new Responder(p)

  reader.io.input << io.input
  translation.io.requests << reader.io.requests.halfPipe()
  translation.io.command << io.command
  translation.io.isQuiet := access.io.isEmpty && reads.io.isIdle && writes.io.isIdle
  io.outcome := translation.io.outcome
  io.objects := translation.io.objects

  // no path goes from the bursts of an access back to the requests
  access.io.accesses << translation.io.accesses.s2mPipe()
  responder.io.answers << access.io.answers.queue(2 * p.window).s2mPipe().m2sPipe()
  reads.io.push << access.io.reads
  writes.io.push << access.io.writes
  reads.io.place := access.io.place
  writes.io.place := access.io.place
  access.io.readsConflict := reads.io.conflicts
  access.io.writesConflict := writes.io.conflicts
  responder.io.reads << reads.io.done.s2mPipe().m2sPipe()
  responder.io.writes << writes.io.done.s2mPipe().m2sPipe()

  writeData.io.jobs << access.io.data
  writeData.io.data << reader.io.data
  io.memory.ar << access.io.ar
  io.memory.aw << access.io.aw
  io.memory.w << writeData.io.w
  io.memory.b.ready := True
  writes.io.unit.valid := RegNext(io.memory.b.valid, init = False)
  writes.io.unit.payload := RegNext(io.memory.b.resp.msb)

  // Bursts are asked for only when there is room, so what has been read never waits.
  val arrived = StreamFifo(Bits(p.widthBytes * 8 bits), p.bufferBeats)
  arrived.io.push.arbitrationFrom(io.memory.r)
  arrived.io.push.payload := io.memory.r.data
  reads.io.unit.valid := RegNext(io.memory.r.fire, init = False)
  reads.io.unit.payload := RegNext(io.memory.r.resp.msb)
  access.io.freed := RegNext(arrived.io.pop.fire, init = False)
  responder.io.data << arrived.io.pop.s2mPipe().m2sPipe()
  io.output << responder.io.output

  private val counters = Reg(RmemCounters())
  counters.elements.foreach { case (_, counter) => counter.asInstanceOf[UInt].init(0) }
  io.counters := counters
  private val ended = responder.io.ended.m2sPipe()
  private def count(counter: UInt): Unit = counter := counter + 1
  when(ended.valid) {
    switch(ended.status) {
      is(Status.OK)(when(ended.isWrite)(count(counters.writes)) otherwise count(counters.reads))
      is(Status.MALFORMED)(count(counters.malformed))
      is(Status.TOO_LONG)(count(counters.tooLong))
      is(Status.UNKNOWN_NAME)(count(counters.unknownName))
      is(Status.NOT_PERMITTED)(count(counters.notPermitted))
      is(Status.OUT_OF_BOUNDS)(count(counters.outOfBounds))
      is(Status.MEMORY_ERROR)(count(counters.memoryErrors))
    }
  }
}
