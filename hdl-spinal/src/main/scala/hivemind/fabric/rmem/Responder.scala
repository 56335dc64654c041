package hivemind.fabric.rmem

import hivemind.fabric.net.HeaderBits
import hivemind.fabric.net.Headers.{rmemResponse => header}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import spinal.lib.fsm._

/** Sends one response for each answer, in order: a header, and the data of a read that has succeeded.
  *
  * The response to a read waits for all of its data, so that an error of the memory is known before the header leaves.
  */
class Responder(p: RmemParameters) extends Component {
  require(header.bytes == p.widthBytes, s"the header of a response must be one beat, not ${header.bytes} bytes")
  val io = new Bundle {
    val answers = slave(Stream(Answer(p)))

    /** What the memory said of the oldest read and write: whether it failed. */
    val reads, writes = slave(Stream(Bool()))
    val data = slave(Stream(Bits(p.widthBytes * 8 bits)))
    val output = master(Axi4Stream(p.stream))

    /** The status of a response whose header has left. */
    val ended = master(Flow(Ended()))
  }
  private val answer = io.answers.payload
  private val isRead = answer.usesMemory && !answer.isWrite
  private val isWrite = answer.usesMemory && answer.isWrite
  private val failed = Mux(isRead, io.reads.payload, isWrite && io.writes.payload)
  private val isKnown = io.answers.valid && (!isRead || io.reads.valid) && (!isWrite || io.writes.valid)
  private val status = Mux(failed, Status.MEMORY_ERROR(), answer.status)
  private val length = Mux(status === Status.OK, answer.length, U(0, p.lengthBits bits))

  private val output = Axi4Stream(p.stream)
  output.valid := False
  output.data := HeaderBits.pack(
    header,
    "version" -> B(Protocol.Version, 8 bits),
    "operation" -> answer.echo.operation,
    "requester" -> answer.echo.requester,
    "tag" -> answer.echo.tag,
    "status" -> status.asBits.resize(8 bits),
    "length" -> length.resize(32 bits).asBits,
  )
  output.keep.setAll()
  output.last := !isRead || failed

  // What lies beside the bytes of the request stays here. A header is a whole beat.
  private val registered = output.m2sPipe()
  io.output << registered
  io.output.data.allowOverride()
  io.output.data := (0 until p.widthBytes).map(n => registered.data(8 * n, 8 bits) & B(8 bits, default -> registered.keep(n))).reverse.reduce(_ ## _)

  io.answers.ready := False
  io.reads.ready := False
  io.writes.ready := False
  io.ended.valid := False
  io.ended.status := status
  io.ended.isWrite := answer.isWrite

  private val realigner = new Realigner(p)
  // What the header's cycle knows: a beat of data waits for no sum.
  private val job = Reg(Realignment(p))
  realigner.io.job.valid := False
  realigner.io.job.payload := job
  realigner.io.input << io.data
  realigner.io.output.ready := False
  private val end = answer.length.resize(p.laneBits)
  private val keep = B((0 until p.widthBytes).map(lane => !realigner.io.isLast || end === 0 || end > lane))

  val flow = new StateMachine {
    val head: State = new State with EntryPoint {
      whenIsActive {
        val isMoved = answer.lane =/= 0
        job.rotate := U(0, p.laneBits bits) - answer.lane
        job.skipsFirst := isMoved
        job.drops := failed
        job.inputs := answer.memoryBeats
        job.steps := Mux(failed, answer.memoryBeats, answer.dataBeats + isMoved.asUInt)
        output.valid := isKnown
        when(output.fire) {
          io.ended.valid := True
          io.reads.ready := isRead
          io.writes.ready := isWrite
          when(isRead)(goto(data)) otherwise (io.answers.ready := True)
        }
      }
    }
    val data: State = new State {
      whenIsActive {
        realigner.io.job.valid := True
        realigner.io.output.ready := output.ready
        output.valid := realigner.io.output.valid
        output.data := realigner.io.output.payload
        output.keep := keep
        output.last := realigner.io.isLast
        when(realigner.io.job.ready) {
          io.answers.ready := True
          goto(head)
        }
      }
    }
  }
}

case class Ended() extends Bundle {
  val status = Status()
  val isWrite = Bool()
}
