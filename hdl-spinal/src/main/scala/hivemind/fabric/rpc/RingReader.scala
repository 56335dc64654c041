package hivemind.fabric.rpc

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.{Axi4Ar, Axi4R}

/** A word of a line that was fetched. */
case class FetchedWord(p: RpcParameters) extends Bundle {
  val data = Bits(p.widthBytes * 8 bits)

  /** The memory answered with an error. */
  val isBad = Bool()
}

/** Fetches lines from the rings, a burst for each job. Bursts are asked for only when there is room for all their lines. */
class RingReader(p: RpcParameters) extends Component {
  val io = new Bundle {
    val jobs = slave(Stream(Job(p)))
    val ar = master(Stream(Axi4Ar(p.memory)))
    val r = slave(Stream(Axi4R(p.memory)))
    val words = master(Stream(FetchedWord(p)))

    /** All of a line of this flow has come. */
    val done = master(Flow(UInt(p.flowBits bits)))
  }
  // lines that no burst has been promised
  private val credit = RegInit(U(p.fetchLines, log2Up(p.fetchLines) + 1 bits))
  // a job is pending before its burst begins
  private val forks = StreamFork(io.jobs.haltWhen(credit < io.jobs.count), 2, synchronous = true)
  private val isPromised = io.jobs.fire
  private val ar = forks(0).map { job =>
    val ar = Axi4Ar(p.memory)
    ar.addr := job.line @@ U(0, RpcParameters.lineShift bits)
    ar.len := RingWriter.length(p, job.count)
    ar.size := p.laneBits
    ar.setBurstINCR()
    ar
  }
  io.ar << ar.m2sPipe()

  private val pendingJobs = StreamFifo(Job(p), 16)
  pendingJobs.io.push << forks(1)
  private val pending = pendingJobs.io.pop
  private val arrived = RegNext(io.r.fire, init = False)
  private val word = Reg(UInt(p.wordBits bits)) init 0
  private val lines = Reg(UInt(p.batchBits bits)) init 0
  private val isLine = arrived && word.andR
  private val isJob = lines + 1 === pending.count
  io.done.valid := isLine
  io.done.payload := pending.flow
  pending.ready := isLine && isJob
  when(arrived)(word := word + 1)
  when(isLine)(lines := Mux(isJob, U(0), lines + 1))

  private val fetched = StreamFifo(FetchedWord(p), p.fetchLines * p.lineWords)
  fetched.io.push.arbitrationFrom(io.r)
  fetched.io.push.data := io.r.data
  fetched.io.push.isBad := io.r.resp.msb
  private val left = Reg(UInt(p.wordBits bits)) init 0
  private val isFreed = fetched.io.pop.fire && left.andR
  when(fetched.io.pop.fire)(left := left + 1)
  credit := credit - Mux(isPromised, io.jobs.count, U(0)) + isFreed.asUInt
  io.words << fetched.io.pop.s2mPipe().m2sPipe()
}
