package hivemind.fabric.rmem

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.{Axi4Ar, Axi4Aw, Axi4Ax, Axi4W}
import spinal.lib.fsm._

/** What the response to an access needs, in the order of the requests. */
case class Answer(p: RmemParameters) extends Bundle {

  /** Of the request; the memory may still answer with an error. */
  val status = Status()
  val isWrite = Bool()

  /** The memory takes part: what it says is still to come. */
  val usesMemory = Bool()
  val echo = Echo()
  val length = UInt(p.lengthBits bits)
  val lane = UInt(p.laneBits bits)
  val dataBeats, memoryBeats = UInt(p.beatBits bits)
}

/** An access with the numbers that its bursts need. */
case class Job(p: RmemParameters) extends Bundle {
  val answer = Answer(p)
  val hasData = Bool()
  val place = UInt(p.placeBits bits)

  /** Address of the first beat, in beats. */
  val beat = UInt(p.addressBits - p.laneBits bits)

  /** From 1 to `burstBeats`: beats up to the place where a burst must end. */
  val room = UInt(log2Up(p.burstBeats) + 1 bits)
  val bursts = UInt(p.beatBits bits)
}

/** Sends the requests of accesses to the memory, as bursts that do not cross a multiple of their longest length, and data with
  * them. Every burst lies within the access.
  *
  * A read waits until no write to its object is pending, and a write until no read is; so requests to one object take place
  * in their order. Bursts are read only when there is room for all that comes back.
  */
class MemoryAccess(p: RmemParameters) extends Component {
  val io = new Bundle {
    val accesses = slave(Stream(Access(p)))
    val answers = master(Stream(Answer(p)))
    val reads, writes = master(Stream(PendingOperation(p)))

    /** The place of the access that is next, and whether an operation on it is pending. */
    val place = out UInt (p.placeBits bits)
    val readsConflict, writesConflict = in Bool ()
    val data = master(Stream(WriteJob(p)))
    val ar = master(Stream(Axi4Ar(p.memory)))
    val aw = master(Stream(Axi4Aw(p.memory)))

    /** A beat of what has been read has left its buffer. */
    val freed = in Bool ()
    val isEmpty = out Bool ()
  }

  // First the numbers of beats, then that of bursts.
  private val measured = io.accesses.map { access =>
    val job = Job(p)
    val lane = access.address.resize(p.laneBits)
    val first = (access.address >> p.laneBits)
    job.answer.status := access.status
    job.answer.isWrite := access.isWrite
    job.answer.usesMemory := access.status === Status.OK && access.length =/= 0
    job.answer.echo := access.echo
    job.answer.length := access.length
    job.answer.lane := lane
    job.answer.dataBeats := ((access.length +^ U(p.widthBytes - 1)) >> p.laneBits).resized
    job.answer.memoryBeats := (((access.length + U(p.widthBytes - 1)).resize(p.lengthBits + 1) + lane) >> p.laneBits).resized
    job.hasData := access.hasData && access.length =/= 0
    job.place := access.place
    job.beat := first
    job.room := U(p.burstBeats, log2Up(p.burstBeats) + 1 bits) - first.resize(log2Up(p.burstBeats))
    job.bursts := 0
    job
  }.m2sPipe()
  private val counted = measured.map { before =>
    val job = CombInit(before)
    val position = U(p.burstBeats, log2Up(p.burstBeats) + 1 bits) - before.room
    job.bursts.allowOverride()
    job.bursts := ((position.resize(p.beatBits + 2) + before.answer.memoryBeats + (p.burstBeats - 1)) >> log2Up(p.burstBeats)).resized
    job
  }.m2sPipe()
  private val job = counted.payload
  io.isEmpty := !io.accesses.valid && !measured.valid && !counted.valid
  counted.ready := False

  private val isRead = job.answer.usesMemory && !job.answer.isWrite
  private val isWrite = job.answer.usesMemory && job.answer.isWrite
  io.place := job.place

  // Beats of the buffer that no burst has been promised.
  private val credit = RegInit(U(p.bufferBeats, log2Up(p.bufferBeats) + 1 bits))
  private val spent = UInt(p.beatBits bits)
  spent := 0
  credit := credit - spent + io.freed.asUInt

  io.answers.valid := False
  io.answers.payload := job.answer
  io.reads.valid := False
  io.reads.place := job.place
  io.reads.units := job.answer.memoryBeats
  io.writes.valid := False
  io.writes.place := job.place
  io.writes.units := job.bursts
  io.data.valid := False
  io.data.lane := job.answer.lane
  io.data.endLane := (job.answer.length + job.answer.lane).resized
  io.data.drops := !isWrite
  io.data.dataBeats := job.answer.dataBeats
  io.data.memoryBeats := Mux(isWrite, job.answer.memoryBeats, job.answer.dataBeats)
  io.data.beat := job.beat.resized

  private val beat = Reg(UInt(job.beat.getWidth bits))
  private val left = Reg(UInt(p.beatBits bits))
  private val room = Reg(cloneOf(job.room))

  /** Whether `left` is at most `room`. */
  private val isLastBurst = Reg(Bool())
  private val beats = Mux(isLastBurst, left, room.resize(p.beatBits bits))
  private def burst[T <: Axi4Ax](ax: T): Unit = {
    ax.addr := beat @@ U(0, p.laneBits bits)
    ax.len := (beats - 1).resized
    ax.size := p.laneBits
    ax.setBurstINCR()
  }
  private val ar = Stream(Axi4Ar(p.memory))
  private val aw = Stream(Axi4Aw(p.memory))
  ar.valid := False
  aw.valid := False
  burst(ar.payload)
  burst(aw.payload)
  io.ar << ar.m2sPipe()
  io.aw << aw.m2sPipe()

  val flow = new StateMachine {
    // What was checked can only become better while the job waits, so each part of it may be a cycle old.
    val look: State = new State with EntryPoint {
      whenIsActive(when(counted.valid)(goto(check)))
    }
    private val hasRoom = RegNext(io.answers.ready && (!job.hasData || io.data.ready))
    private val hasCredit = RegNext(!isRead || credit >= job.answer.memoryBeats)
    private val canRead = RegNext(!isRead || io.reads.ready)
    private val canWrite = RegNext(!isWrite || io.writes.ready)
    private val isAfterWrites = RegNext(!isRead || !io.writesConflict)
    private val isAfterReads = RegNext(!isWrite || !io.readsConflict)
    val check: State = new State {
      whenIsActive(when(hasRoom && hasCredit && canRead && canWrite && isAfterWrites && isAfterReads)(goto(start)))
    }
    val start: State = new State {
      whenIsActive {
        io.answers.valid := True
        io.data.valid := job.hasData
        io.reads.valid := isRead
        io.writes.valid := isWrite
        when(isRead)(spent := job.answer.memoryBeats)
        beat := job.beat
        left := job.answer.memoryBeats
        room := job.room
        isLastBurst := job.answer.memoryBeats <= job.room
        when(job.answer.usesMemory)(goto(send)) otherwise {
          counted.ready := True
          goto(look)
        }
      }
    }
    val send: State = new State {
      whenIsActive {
        ar.valid := !job.answer.isWrite
        aw.valid := job.answer.isWrite
        when(ar.fire || aw.fire) {
          beat := (beat(beat.high downto log2Up(p.burstBeats)) + 1) @@ U(0, log2Up(p.burstBeats) bits)
          left := left - beats
          room := p.burstBeats
          isLastBurst := left - beats <= p.burstBeats
          when(isLastBurst) {
            counted.ready := True
            goto(look)
          }
        }
      }
    }
  }
}

/** The data of a write, and where it goes. */
case class WriteJob(p: RmemParameters) extends Bundle {

  /** First lane that is written, and the lane after the last; 0 when that one is the highest. */
  val lane, endLane = UInt(p.laneBits bits)

  /** The data is not wanted. */
  val drops = Bool()
  val dataBeats, memoryBeats = UInt(p.beatBits bits)

  /** Index of the first beat in its burst, were the burst as long as possible. */
  val beat = UInt(log2Up(p.burstBeats) bits)
}

/** The data channel of writes: moves data to the lanes of its address, and ends bursts where [[MemoryAccess]] ends them. */
class WriteData(p: RmemParameters) extends Component {
  val io = new Bundle {
    val jobs = slave(Stream(WriteJob(p)))
    val data = slave(Stream(Bits(p.widthBytes * 8 bits)))
    val w = master(Stream(Axi4W(p.memory)))
  }
  private val job = io.jobs.queue(4).m2sPipe()
  private val realigner = new Realigner(p)
  realigner.io.job.arbitrationFrom(job)
  realigner.io.job.rotate := job.lane
  realigner.io.job.skipsFirst := False
  realigner.io.job.drops := job.drops
  realigner.io.job.inputs := job.dataBeats
  realigner.io.job.steps := job.memoryBeats
  realigner.io.input << io.data

  private val sent = Reg(UInt(log2Up(p.burstBeats) bits)) init 0
  private val w = realigner.io.output.map { payload =>
    val beat = Axi4W(p.memory)
    beat.data := payload
    beat.strb := B((0 until p.widthBytes).map { lane =>
      (!realigner.io.isFirst || job.lane <= lane) && (!realigner.io.isLast || job.endLane === 0 || job.endLane > lane)
    })
    beat.last := realigner.io.isLast || (job.beat + sent).andR
    beat
  }
  when(realigner.io.output.fire)(sent := Mux(realigner.io.isLast, U(0), sent + 1))
  io.w << w.m2sPipe()
}
