package hivemind.fabric.rpc

import hivemind.fabric.net.Headers.{ethernet, ipv4, rpc, udp}
import hivemind.fabric.net.{Checksum, HeaderBits, Identity}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream

/** A line that is to be sent, before its connection is known. */
case class SentLine() extends Bundle {

  /** It is an RPC, and came from memory without an error. */
  val isSound, isBad = Bool()
  val number = UInt(16 bits)

  /** Sum of its 16-bit words. */
  val sum = UInt(24 bits)
}

/** Puts lines into frames, with all lengths and checksums, for the peers of their connections. A line that is no RPC, that the memory
  * answered with an error, or whose connection is not in the table, is dropped.
  */
class FrameWriter(p: RpcParameters) extends Component {
  val io = new Bundle {
    val words = slave(Stream(FetchedWord(p)))
    val identity = in(Identity())

    /** To the connection table, and back. */
    val lines = master(Stream(SentLine()))
    val rows = slave(Stream(Connections.Row(p, HardType(SentLine()))))
    val output = master(Axi4Stream(p.stream))

    /** High for a cycle for each line. */
    val sent, refused, failed = out Bool ()
  }
  private val W = p.widthBytes

  // In: words are summed, the first is looked at, and all wait. No more lines than there is room for are on their way.
  private val inside = Reg(UInt(log2Up(FrameWriter.lines) + 1 bits)) init 0
  private val left = Bool()
  private val word = Reg(UInt(p.wordBits bits)) init 0
  private val waiting = StreamFifo(Bits(W * 8 bits), FrameWriter.lines * p.lineWords)
  private val input = io.words.haltWhen(inside.msb && word === 0)
  waiting.io.push << input.translateWith(input.data)
  when(input.fire)(word := word + 1)
  private val begins = input.fire && word === 0
  inside := inside + begins.asUInt - left.asUInt

  private def field(name: String): Bits = HeaderBits.field(io.words.data, rpc, name)
  private val isSound = Reg(Bool())
  private val hasFailed = Reg(Bool())
  private val number = Reg(UInt(16 bits))
  private val isVersion = field("version") === Protocol.Version
  private val isKind = field("kind") === Protocol.Request || field("kind") === Protocol.Response
  when(input.fire)(hasFailed := input.isBad || (hasFailed && word =/= 0))
  when(begins) {
    isSound := isVersion && isKind && field("payloadBytes").asUInt <= LineReader.payloadBytes
    number := field("connection").asUInt
  }
  private val part = Checksum.sum(input.data, B(W bits, default -> true))
  private val total = Reg(UInt(24 bits))
  private val isFirst2 = Delay(begins, Checksum.SumCycles)
  when(Delay(input.fire, Checksum.SumCycles, init = False))(total := Mux(isFirst2, U(0, 24 bits), total) + part)
  // The next line begins two words later at the earliest, so what is held stays for that long.
  private val ended = RegNext(input.fire && word.andR, init = False)
  private val held = Reg(SentLine())
  when(ended) {
    held.sum.assignDontCare()
    held.isSound := isSound
    held.isBad := hasFailed
    held.number := number
  }
  private val summed = StreamFifo(SentLine(), FrameWriter.lines)
  summed.io.push.valid := Delay(ended, Checksum.SumCycles, init = False)
  summed.io.push.payload := held
  summed.io.push.sum.allowOverride()
  summed.io.push.sum := total
  io.lines << summed.io.pop

  // The checksums, an addition in each stage.
  private def halves(address: Bits): UInt = address.subdivideIn(16 bits).map(_.asUInt).reduce(_ +^ _)
  private val own = RegNext(halves(io.identity.address))
  private case class Sums() extends Bundle {
    val connection = Connection(p)
    val isSound, isBad = Bool()
    val ip, udp = UInt(24 bits)
  }
  private val totalLength = LineReader.frameBytes - ethernet.bytes
  private val ipConstant = 0x4500 + totalLength + 0x4000 + FrameWriter.timeToLive * 256 + p.transport
  private val udpConstant = p.transport + 2 * LineReader.udpBytes + Protocol.Port
  private val added = io.rows
    .map { row =>
      val sums = Sums()
      sums.connection := row.connection
      sums.isSound := row.asked.isSound && row.connection.isUsed && (row.asked.number >> p.connectionBits) === 0
      sums.isBad := row.asked.isBad
      sums.ip := (halves(row.connection.address) +^ own).resized
      sums.udp := row.asked.sum + row.connection.port.asUInt
      sums
    }
    .m2sPipe()
    .map { before =>
      val sums = CombInit(before)
      sums.ip.allowOverride()
      sums.udp.allowOverride()
      sums.ip := before.ip + ipConstant
      sums.udp := before.udp + before.ip + udpConstant
      sums
    }
    .m2sPipe()
  private def folded(sums: Stream[Sums]): Stream[Sums] = sums
    .map { before =>
      val sums = CombInit(before)
      sums.ip.allowOverride()
      sums.udp.allowOverride()
      sums.ip := Checksum.foldOnce(before.ip).resized
      sums.udp := Checksum.foldOnce(before.udp).resized
      sums
    }
    .m2sPipe()
  private val next = folded(folded(added))

  // Out: the header, and the words behind it, moved by the bytes that the header takes of their first beat.
  private val ipChecksum = ~next.ip(15 downto 0).asBits
  private val udpSum = ~next.udp(15 downto 0).asBits
  private val udpChecksum = Mux(udpSum === 0, B(0xffff, 16 bits), udpSum)
  private val header = HeaderBits.pack(
    ethernet,
    "destination" -> next.connection.mac,
    "source" -> io.identity.mac,
    "etherType" -> B(0x0800, 16 bits),
  )
  private val ip = HeaderBits.pack(
    ipv4,
    "version" -> B(4, 4 bits),
    "headerWords" -> B(5, 4 bits),
    "totalLength" -> B(totalLength, 16 bits),
    "flags" -> B(2, 3 bits),
    "timeToLive" -> B(FrameWriter.timeToLive, 8 bits),
    "protocol" -> B(p.transport, 8 bits),
    "checksum" -> ipChecksum,
    "source" -> io.identity.address,
    "destination" -> next.connection.address,
  )
  private val datagram = HeaderBits.pack(
    udp,
    "sourcePort" -> B(Protocol.Port, 16 bits),
    "destinationPort" -> next.connection.port,
    "length" -> B(LineReader.udpBytes, 16 bits),
    "checksum" -> udpChecksum,
  )
  private val headers = datagram ## ip ## header
  private val start = headers.getWidth / 8
  private val whole = start / W
  private val over = start % W
  private val beats = (LineReader.frameBytes + W - 1) / W
  private val lastBytes = LineReader.frameBytes - (beats - 1) * W
  private val beat = Reg(UInt(log2Up(beats) bits)) init 0
  private val isLast = beat === beats - 1
  private val needsWord = beat >= whole && !isLast
  private val data = waiting.io.pop.s2mPipe()
  private val carried = Reg(Bits(over * 8 bits))
  private val front = Mux(beat === whole, headers(start * 8 - 1 downto whole * W * 8), carried)

  // A line that is dropped takes its words, and gives no beat.
  private val sends = next.isSound && !next.isBad
  private val output = Axi4Stream(p.stream)
  private val isThere = next.valid && (!needsWord || data.valid)
  output.valid := isThere && sends
  output.data := (data.payload((W - over) * 8 - 1 downto 0) ## front)
  for (n <- 0 until whole) when(beat === n)(output.data := headers(n * W * 8, W * 8 bits))
  when(isLast)(output.data := carried.resized)
  output.last := isLast
  output.keep := Mux(isLast, B((BigInt(1) << lastBytes) - 1, W bits), B(W bits, default -> true))
  private val moves = isThere && (!sends || output.ready)
  data.ready := moves && needsWord
  next.ready := moves && isLast
  left := next.fire
  when(moves) {
    beat := Mux(isLast, U(0), beat + 1)
    carried := data.payload(W * 8 - 1 downto (W - over) * 8)
  }
  io.output << output.m2sPipe()
  io.sent := next.fire && sends
  io.failed := next.fire && next.isBad
  io.refused := next.fire && !next.isSound && !next.isBad
}

object FrameWriter {

  /** Lines that may be on their way through. */
  val lines: Int = 8
  val timeToLive: Int = 64
}
