package hivemind.fabric.rmem

import hivemind.fabric.net.HeaderBits
import hivemind.fabric.net.Headers.{rmemRequest => header}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import spinal.lib.bus.amba4.axis.Axi4Stream.Axi4StreamBundle

/** Takes messages apart: one request leaves for each message, in order, when all of the message has come. The data of writes
  * waits in a buffer; the data of messages that are refused here is taken back.
  */
class RequestReader(p: RmemParameters) extends Component {
  val io = new Bundle {
    val input = slave(Axi4Stream(p.stream))
    val requests = master(Stream(Request(p)))

    /** Data of the writes that have left as OK requests, in their order: their length in beats, rounded up. */
    val data = master(Stream(Bits(p.widthBytes * 8 bits)))
  }
  private val W = p.widthBytes
  private val headerBeats = header.bytes / W
  private val beats = headerBeats + p.maxBeats
  private val queue = StreamFifo(Request(p), RequestReader.queueDepth)
  io.requests << queue.io.pop

  // A cycle looks back at the room of some cycles ago, so it asks for more room than one message needs.
  private val pointer = HardType(UInt(log2Up(p.bufferBeats) + 1 bits))
  val written, committed, read = Reg(pointer()) init 0
  private val slack = RequestReader.slack
  private val hasRoom = RegNext(queue.io.availability >= slack && (written - read) <= p.bufferBeats - slack, init = False)
  io.input.ready := hasRoom

  // First stage: the beat that came last, and its index in the message.
  private val index = RegInit(U(0, log2Up(beats + 1) bits))
  private val beat = Reg(Axi4StreamBundle(p.stream))
  val beatIndex = RegNextWhen(index, io.input.fire)
  val beatValid = RegNext(io.input.fire, init = False)
  when(io.input.fire) {
    beat := io.input.payload
    when(io.input.last)(index := 0) elsewhen (index =/= beats)(index := index + 1)
  }

  // Second stage: the fields of the header, and the data into the buffer.
  private val lanes = Vec(beat.data.subdivideIn(8 bits).zip(beat.keep.asBools).map { case (byte, kept) => byte & B(8 bits, default -> kept) })
  private val words = Vec(Reg(Bits(W * 8 bits)), headerBeats)
  when(beatValid) {
    for (n <- 0 until headerBeats) {
      // a message that breaks off within its header has zeros there
      when(beatIndex === n)(words(n) := lanes.asBits)
      when(beatIndex === 0 && Bool(n > 0))(words(n) := 0)
    }
  }
  private val memory = Mem(Bits(W * 8 bits), p.bufferBeats)
  private val isData = beatValid && beatIndex >= headerBeats && beatIndex =/= beats
  memory.write(written.resized, beat.data, isData)
  private val size = Reg(UInt(log2Up(beats * W + W + 1) bits))
  private val hasHole, isHoled = Reg(Bool()) init False
  private val isContiguous = (beat.keep.asUInt & (beat.keep.asUInt +^ 1).resize(W)) === 0 && beat.keep(0)
  when(beatValid) {
    size := (beatIndex << p.laneBits).resize(size.getWidth) + CountOne(beat.keep)
    isHoled := hasHole || !Mux(beat.last, isContiguous, beat.keep.andR)
    hasHole := !beat.last && (hasHole || !beat.keep.andR)
  }
  val ended = RegNext(beatValid && beat.last, init = False)

  // Third stage: what is to be judged. Fourth stage: the verdict.
  private def field(name: String): Bits = HeaderBits.field(words.asBits, header, name)
  private val isWriteNow = field("operation") === Protocol.Write
  private val length = field("length").asUInt
  private val isSound = RegNext(
    !isHoled && size >= header.bytes && field("version") === Protocol.Version && (field("operation") === Protocol.Read || isWriteNow),
  )
  private val isTooLong = RegNext(length > p.maxBytes)
  private val dataMatches = RegNext(size === Mux(isWriteNow, length.resize(size.getWidth bits), U(0, size.getWidth bits)) + header.bytes)
  private val held = Reg(Request(p))
  held.isWrite := isWriteNow
  held.echo.operation := field("operation")
  held.echo.requester := field("requester")
  held.echo.tag := field("tag")
  held.objectName := field("name")
  held.offset := field("offset")(31 downto 0).asUInt
  held.isFar := field("offset")(63 downto 32) =/= 0
  held.length := length.resized
  held.requesterClass := field("requesterClass").asUInt
  held.status.assignDontCare()
  val judged = RegNext(ended, init = False)

  val request = CombInit(held)
  request.status.allowOverride()
  request.status := Status.OK
  when(!dataMatches)(request.status := Status.MALFORMED)
  when(isTooLong)(request.status := Status.TOO_LONG)
  when(!isSound)(request.status := Status.MALFORMED)
  queue.io.push.valid := judged
  queue.io.push.payload := request

  // The data of the next message comes a cycle after this verdict at the earliest: its header comes first.
  when(isData)(written := written + 1)
  when(judged) {
    when(request.status === Status.OK && request.isWrite)(committed := written) otherwise (written := committed)
  }
  private val command = Stream(UInt(log2Up(p.bufferBeats) bits))
  command.valid := read =/= committed
  command.payload := read.resized
  when(command.fire)(read := read + 1)
  io.data << memory.streamReadSync(command).s2mPipe().m2sPipe()
}

object RequestReader {

  /** Requests that wait for their translation. */
  val queueDepth: Int = 16

  /** Requests, and beats of data, that may still come when the input is stopped. */
  val slack: Int = 6
}
