package hivemind.fabric.rpc

import hivemind.fabric.net.Headers.{ethernet, ipv4, rpc, udp}
import hivemind.fabric.net.{Checksum, Header, HeaderStack, Identity}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import spinal.lib.bus.amba4.axis.Axi4Stream.Axi4StreamBundle

/** Takes frames apart. A frame of the length that an RPC has gives a head and the words of its line, in order; the head says
  * whether it is a sound RPC. Frames of other lengths give nothing.
  */
class LineReader(p: RpcParameters) extends Component {
  val io = new Bundle {
    val input = slave(Axi4Stream(p.stream))
    val identity = in(Identity())
    val heads = master(Stream(LineHead()))

    /** `lineWords` words for each head. */
    val words = master(Stream(Bits(p.widthBytes * 8 bits)))

    /** A frame of another length came. */
    val isRefused = out Bool ()
  }
  private val W = p.widthBytes
  private val stack = LineReader.stack
  private val start = stack.start(rpc)
  private val bytes = LineReader.frameBytes
  private val beats = (bytes + W - 1) / W
  private val lastBytes = bytes - (beats - 1) * W
  private val capacity = LineReader.lines * p.lineWords

  private val queue = StreamFifo(LineHead(), LineReader.lines)
  io.heads << queue.io.pop
  private val pointer = HardType(UInt(log2Up(capacity) + 1 bits))
  val written, committed, read = Reg(pointer()) init 0
  private val slack = LineReader.slack
  // A cycle looks back at the room of some cycles ago, so it asks for more room than one frame needs.
  private val hasRoom = RegNext(queue.io.availability >= slack && (written - read) <= capacity - slack, init = False)
  io.input.ready := hasRoom

  // The beat that came last, and its index in the frame.
  private val index = RegInit(U(0, log2Up(beats + 1) bits))
  private val beat = Reg(Axi4StreamBundle(p.stream))
  val beatIndex = RegNextWhen(index, io.input.fire)
  val beatValid = RegNext(io.input.fire, init = False)
  when(io.input.fire) {
    beat := io.input.payload
    when(io.input.last)(index := 0) elsewhen (index =/= beats)(index := index + 1)
  }
  private val hasHole = RegInit(False)
  when(beatValid)(hasHole := !beat.last && (hasHole || !beat.keep.andR))
  val ends = beatValid && beat.last
  val isWhole = beatIndex === beats - 1 && !hasHole && beat.keep === (BigInt(1) << lastBytes) - 1
  io.isRefused := RegNext(ends && !isWhole, init = False)

  // The words of the line. Those of a frame of another length are taken back.
  private val isWord = beatValid && beatIndex > start / W && beatIndex < beats
  private val shift = start % W * 8
  private val previous = RegNextWhen(beat.data, beatValid)
  private val memory = Mem(Bits(W * 8 bits), capacity)
  memory.write(written.resized, beat.data(shift - 1 downto 0) ## previous(W * 8 - 1 downto shift), isWord)
  when(isWord)(written := written + 1)
  when(ends) {
    when(isWhole)(committed := written + 1) otherwise (written := committed)
  }
  private val command = Stream(UInt(log2Up(capacity) bits))
  command.valid := read =/= committed
  command.payload := read.resized
  when(command.fire)(read := read + 1)
  io.words << memory.streamReadSync(command).s2mPipe().m2sPipe()

  // What the frame must hold, byte by byte, and what the head takes from it.
  private def at(header: Header, field: String): Int = stack.byte(header, field)
  private def big(first: Int, value: Bits): Seq[(Int, Bits)] =
    value.subdivideIn(8 bits).reverse.zipWithIndex.map { case (byte, n) => (first + n) -> byte }.toSeq
  private def fixed(first: Int, value: BigInt, width: Int): Seq[(Int, Bits)] = big(first, B(value, width bits))
  private val expected = big(at(ethernet, "destination"), io.identity.mac) ++ big(at(ipv4, "destination"), io.identity.address) ++
    fixed(at(ethernet, "etherType"), 0x0800, 16) ++ fixed(at(ipv4, "version"), 0x45, 8) ++
    fixed(at(ipv4, "totalLength"), bytes - ethernet.bytes, 16) ++ fixed(at(ipv4, "flags") + 1, 0, 8) ++
    fixed(at(ipv4, "protocol"), p.transport, 8) ++ fixed(at(udp, "destinationPort"), Protocol.Port, 16) ++
    fixed(at(udp, "length"), LineReader.udpBytes, 16) ++ fixed(at(rpc, "version"), Protocol.Version, 8)
  private def lane(position: Int): Bits = beat.data(position % W * 8, 8 bits)
  private def isAt(position: Int): Bool = beatIndex === position / W
  private def differs(position: Int, isRight: Bits => Bool): Bool = isAt(position) && !isRight(lane(position))
  private val kind = at(rpc, "kind")
  private val faults = expected.map { case (position, byte) => differs(position, _ === byte) } ++ Seq(
    // a fragment: more follow, or it is not the first
    differs(at(ipv4, "flags"), byte => !byte(5) && byte(4 downto 0) === 0),
    differs(kind, byte => byte === Protocol.Request || byte === Protocol.Response),
    differs(at(rpc, "payloadBytes"), byte => byte.asUInt <= LineReader.payloadBytes),
  )
  private val hasFault = RegNext(Vec(faults).asBits.orR)
  private val isFirst2 = RegNext(beatIndex === 0)
  private val valid2 = RegNext(beatValid, init = False)
  private val isFaulty = Reg(Bool())
  when(valid2)(isFaulty := hasFault || (isFaulty && !isFirst2))
  private def capture(first: Int, width: Int): Bits = (0 until width / 8)
    .map(n => RegNextWhen(lane(first + n), beatValid && isAt(first + n)))
    .reduceLeft(_ ## _)
  private def field(header: Header, name: String): Bits = capture(at(header, name), header(name).width)
  private val isNobody = RegNext(io.identity.address === 0)
  private val kinds = field(rpc, "kind")
  private val connection = field(rpc, "connection")
  private val key = field(rpc, "key")
  private val source = field(ipv4, "source")
  private val port = field(udp, "sourcePort")
  private val checksum = field(udp, "checksum")

  // The sums are there two cycles after their beat, added up after three, folded after five.
  private def include(from: Int, until: Int): Bits = {
    val lanes = (0 until beats).map(n => B((0 until W).map(lane => Bool(n * W + lane >= from && n * W + lane < until))))
    Vec(lanes.padTo(1 << beatIndex.getWidth, B(0, W bits)))(beatIndex)
  }
  private val valid3 = RegNext(valid2, init = False)
  private val isFirst3 = RegNext(isFirst2)
  private def isRight(from: Int, until: Int, more: Int): Bool = {
    val part = Checksum.sum(beat.data, include(from, until))
    val total = Reg(UInt(24 bits))
    when(valid3)(total := Mux(isFirst3, U(more, 24 bits), total) + part)
    val folded = RegNext(Checksum.foldOnce(total))
    RegNext(Checksum.foldOnce(folded) === 0xffff)
  }
  private val isIpRight = isRight(stack.start(ipv4), stack.start(udp), 0)
  // with the rest of the pseudo header: protocol and length
  private val isUdpRight = isRight(at(ipv4, "source"), bytes, p.transport + LineReader.udpBytes)

  // Heads come at least as many cycles after each other as a frame has beats: what is held stays for long enough.
  private val held = Reg(LineHead())
  private val isHeldFaulty, hasNoChecksum = Reg(Bool())
  val ended1 = RegNext(ends && isWhole, init = False)
  private val ended2 = RegNext(ended1, init = False)
  when(ended1) {
    held.isSound.assignDontCare()
    held.isResponse := kinds === Protocol.Response
    held.connection := connection.asUInt
    held.key := key
    held.address := source
    held.port := port
    hasNoChecksum := checksum === 0
  }
  when(ended2)(isHeldFaulty := isFaulty)
  private val ended5 = Delay(ended2, 3, init = False)
  queue.io.push.valid := ended5
  queue.io.push.payload := held
  queue.io.push.isSound.allowOverride()
  queue.io.push.isSound := !isHeldFaulty && !isNobody && isIpRight && (hasNoChecksum || isUdpRight)
}

object LineReader {
  val stack: HeaderStack = HeaderStack(ethernet, ipv4, udp, rpc)

  /** Bytes of a frame that carries an RPC, without its check sequence. */
  val frameBytes: Int = stack.start(rpc) + RpcParameters.lineBytes

  /** Length that UDP states. */
  val udpBytes: Int = udp.bytes + RpcParameters.lineBytes

  /** Most bytes of payload. */
  val payloadBytes: Int = RpcParameters.lineBytes - rpc.bytes

  /** Lines that may wait for their flow. */
  val lines: Int = 16

  /** Heads, and words, that may still come when the input is stopped. */
  val slack: Int = 6
}
