package hivemind.fabric.rpc

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.{Axi4Aw, Axi4B, Axi4W}

/** A word of a line on its way into the stage. */
case class StageWrite(p: RpcParameters) extends Bundle {
  val flow = UInt(p.flowBits bits)
  val slot = UInt(p.stageBits bits)
  val word = UInt(p.wordBits bits)
  val data = Bits(p.widthBytes * 8 bits)
}

/** Lines that the memory has. */
case class Written(p: RpcParameters) extends Bundle {
  val flow = UInt(p.flowBits bits)
  val count = UInt(p.batchBits bits)
}

/** Holds the lines of each flow, and writes them into the rings, a burst for each job. */
class RingWriter(p: RpcParameters) extends Component {
  val io = new Bundle {
    val stage = slave(Flow(StageWrite(p)))
    val jobs = slave(Stream(Job(p)))
    val aw = master(Stream(Axi4Aw(p.memory)))
    val w = master(Stream(Axi4W(p.memory)))
    val b = slave(Stream(Axi4B(p.memory)))

    /** The memory has answered for a job, in their order. */
    val done = master(Flow(Written(p)))

    /** With an error. */
    val failed = out Bool ()
  }
  private val memory = Mem(Bits(p.widthBytes * 8 bits), p.flows * p.stageLines * p.lineWords)
  memory.write(io.stage.flow @@ io.stage.slot @@ io.stage.word, io.stage.data, io.stage.valid)

  // a job is pending before its burst begins
  private val forks = StreamFork(io.jobs, 3, synchronous = true)
  private val aw = forks(0).map { job =>
    val aw = Axi4Aw(p.memory)
    aw.addr := job.line @@ U(0, RpcParameters.lineShift bits)
    aw.len := RingWriter.length(p, job.count)
    aw.size := p.laneBits
    aw.setBurstINCR()
    aw
  }
  io.aw << aw.m2sPipe()

  private val dataJobs = StreamFifo(Job(p), 4)
  dataJobs.io.push << forks(1)
  private val job = dataJobs.io.pop
  private val count = (p.batchBits + p.wordBits) bits
  private val sent = Reg(UInt(count)) init 0
  private val read = Stream(UInt(log2Up(memory.wordCount) bits))
  private val isLast = sent + 1 === (job.count @@ U(0, p.wordBits bits))
  private val line = job.index.resize(p.stageBits) + (sent >> p.wordBits).resize(p.stageBits)
  read.valid := job.valid
  read.payload := job.flow @@ line @@ sent.resize(p.wordBits)
  job.ready := read.ready && isLast
  when(read.fire)(sent := Mux(isLast, U(0), sent + 1))
  private val word = memory.streamReadSync(read, isLast).m2sPipe()
  io.w << word.map { word =>
    val beat = Axi4W(p.memory)
    beat.data := word.value
    beat.strb.setAll()
    beat.last := word.linked
    beat
  }.m2sPipe()

  private val pendingJobs = StreamFifo(Job(p), 16)
  pendingJobs.io.push << forks(2)
  private val pending = pendingJobs.io.pop
  private val answered = RegNext(io.b.fire, init = False)
  io.b.ready := True
  pending.ready := answered
  io.done.valid := answered
  io.done.flow := pending.flow
  io.done.count := pending.count
  io.failed := answered && RegNext(io.b.resp.msb)
}

object RingWriter {

  /** The length of a burst of lines as AXI4 has it: beats, less 1. */
  def length(p: RpcParameters, count: UInt): UInt = ((count @@ U(0, p.wordBits bits)) - 1).resize(8)
}
