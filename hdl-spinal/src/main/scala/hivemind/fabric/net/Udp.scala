package hivemind.fabric.net

import hivemind.fabric.net.Headers.{ethernet, ipv4, udp}
import spinal.core._
import spinal.lib._

/** A process on another machine, and the port of the fabric that it speaks to. */
case class Peer() extends Bundle {
  val mac = Bits(48 bits)
  val address = Bits(32 bits)
  val port = Bits(16 bits)

  /** Index of the fabric's port. */
  val own = UInt(2 bits)
}

/** A byte of the payload of a datagram; all bytes of one name the same peer. */
case class UdpByte() extends Bundle with OfFrame {
  val data = Bits(8 bits)
  val last = Bool()
  val peer = Peer()
}

/** A sum of 16-bit words in ones' complement (RFC 1071); in each cycle a word or a byte may be added. */
class OnesSum extends Area {
  private val sum = Reg(UInt(17 bits)) init 0
  private val addend = UInt(16 bits)
  private val clears = False
  addend := 0
  sum := (sum(15 downto 0) +^ addend) + sum(16).asUInt
  when(clears)(sum := 0)
  def clear(): Unit = clears := True
  def add(word: UInt): Unit = addend := word

  /** Adds a byte that has an even place in its frame, or an odd one. */
  def add(byte: Bits, isEven: Bool): Unit = add(Mux(isEven, byte ## B(0, 8 bits), B(0, 8 bits) ## byte).asUInt)

  /** The sum of what was added before this cycle. */
  def value: UInt = sum(15 downto 0) + sum(16).asUInt
}

/** Datagrams from frames that [[Steering]] found to be UDP for the fabric. A datagram leaves whole, or not at all: when its lengths or
  * checksums are wrong, or when there is no room.
  */
class UdpReceiver(ports: Seq[Int], bufferBytes: Int = 4096) extends Component {
  val io = new Bundle {
    val input = slave(Stream(FrameWord()))
    val output = master(Stream(UdpByte()))

    /** High for one cycle for each frame. */
    val taken, refused, overflowed = out Bool ()
  }
  private val stack = HeaderStack(ethernet, ipv4, udp)
  private val bytes = FrameBytes.of(io.input)
  private val index = Reg(UInt(11 bits)) init 0
  private def isIn(from: Int, until: Int): Bool = index >= from && index < until

  private def field(header: Header, name: String): Bits = {
    val first = stack.byte(header, name)
    val width = header(name).width
    val value = Reg(Bits(width bits))
    when(bytes.fire && isIn(first, first + width / 8))(value := (value ## bytes.data).resized)
    value
  }
  private val peer = Peer()
  peer.mac := field(ethernet, "source")
  peer.address := field(ipv4, "source")
  peer.port := field(udp, "sourcePort")
  private val totalLength = field(ipv4, "totalLength").asUInt
  private val destinationPort = field(udp, "destinationPort")
  private val length = field(udp, "length").asUInt
  private val checksum = field(udp, "checksum")
  peer.own := OHToUInt(ports.map(port => destinationPort === port)).resized

  private val ipStart = stack.start(ipv4)
  private val addresses = stack.byte(ipv4, "source")
  private val udpStart = stack.start(udp)
  private val end = RegNext(length.resize(17 bits) + udpStart)
  private val ipSum, udpSum = new OnesSum
  private val isInside = index.resize(17 bits) < end
  private val isPayload = index >= stack.end && isInside

  // The latest byte of the payload waits, so that the last one is known when it leaves.
  private val held = Reg(Bits(8 bits))
  private val isHeld, isFull = RegInit(False)
  private val buffer = new FrameBuffer(FrameByte(), bufferBytes)
  // What the buffer is told comes from registers: where in its frame a byte is, is known late.
  private val pushes, takesBack, isLast = False
  private val isPushing = RegNext(pushes) init False
  buffer.io.push.valid := isPushing && !isFull
  buffer.io.push.data := RegNext(held)
  buffer.io.push.last := RegNext(isLast)
  buffer.io.takeBack := RegNext(takesBack) init False
  isFull.setWhen(isPushing && !buffer.io.push.ready)
  private val peers = StreamFifo(Peer(), 16)
  peers.io.push.valid := False
  peers.io.push.payload := peer
  io.taken := False
  io.refused := False
  io.overflowed := False

  private val size = Reg(UInt(11 bits))
  private val step = RegInit(U(0, 2 bits))
  bytes.ready := step === 0
  when(bytes.fire) {
    when(!index.andR)(index := index + 1)
    when(isIn(ipStart, udpStart))(ipSum.add(bytes.data, !index(0)))
    when(isIn(addresses, stack.end) || isPayload)(udpSum.add(bytes.data, !index(0)))
    when(isPayload) {
      held := bytes.data
      isHeld := True
      pushes := isHeld
    }
    when(bytes.last) {
      size := index
      step := 1
    }
  }

  // After the last byte: the rest of the pseudo header, the judgement, and the way out.
  private val isSound = Reg(Bool())
  when(step === 1) {
    udpSum.add(length + 17)
    step := 2
  }
  when(step === 2) {
    val lengthsAgree = totalLength === length + 20 && length > udp.bytes && size.resize(17 bits) + 1 >= end
    isSound := lengthsAgree && ipSum.value.andR && (checksum === 0 || udpSum.value.andR)
    step := 3
  }
  when(step === 3) {
    val fits = !isFull && buffer.io.push.ready && peers.io.push.ready
    isLast := True
    pushes := isSound && fits
    takesBack := !isSound || !fits
    peers.io.push.valid := isSound && fits
    io.taken := isSound && fits
    io.refused := !isSound
    io.overflowed := isSound && !fits
    step := 0
    index := 0
    isHeld := False
    isFull := False
    ipSum.clear()
    udpSum.clear()
  }

  private val payload = buffer.io.pop
  io.output.arbitrationFrom(payload.continueWhen(peers.io.pop.valid))
  io.output.data := payload.data
  io.output.last := payload.last
  io.output.peer := peers.io.pop.payload
  peers.io.pop.ready := io.output.fire && io.output.last
}

/** Frames of datagrams, with all lengths and checksums. A datagram waits until it is whole. */
class UdpSender(ports: Seq[Int], bufferBytes: Int = 4096) extends Component {
  val io = new Bundle {

    /** At most `bufferBytes` in one datagram. */
    val input = slave(Stream(UdpByte()))
    val identity = in(Identity())
    val output = master(Stream(FrameWord()))
  }

  /** A datagram that waits. */
  private case class Waiting() extends Bundle {
    val peer = Peer()

    /** Of the payload. */
    val length = UInt(12 bits)
    val sum = UInt(16 bits)
  }
  private val buffer = new FrameBuffer(FrameByte(), bufferBytes)
  private val waiting = StreamFifo(Waiting(), 16)
  buffer.io.takeBack := False

  // In: bytes are counted and summed. What ends is written down in the cycle after.
  private val count = Reg(UInt(12 bits)) init 0
  private val inSum = new OnesSum
  private val isEnded = RegInit(False)
  private val ended = Reg(Peer())
  // from registers in both directions: those who send are far away
  private val input = io.input.s2mPipe().m2sPipe().haltWhen(isEnded)
  buffer.io.push.arbitrationFrom(input)
  buffer.io.push.data := input.data
  buffer.io.push.last := input.last
  when(input.fire) {
    inSum.add(input.data, !count(0))
    count := count + 1
    ended := input.peer
    isEnded := input.last
  }
  waiting.io.push.valid := isEnded
  waiting.io.push.peer := ended
  waiting.io.push.length := count
  waiting.io.push.sum := inSum.value
  when(waiting.io.push.fire) {
    isEnded := False
    count := 0
    inSum.clear()
  }

  // Out: first the checksums, a word in each cycle, then the header, then the payload.
  private val next = waiting.io.pop
  private val udpLength = RegNext(next.length.resize(16 bits) + udp.bytes)
  private val totalLength = RegNext(next.length.resize(16 bits) + udp.bytes + ipv4.bytes)
  private val ownPort = Vec(ports.map(port => B(port, 16 bits)))(next.peer.own.resized)
  private def halves(address: Bits): Seq[UInt] = address.subdivideIn(16 bits).map(_.asUInt).toSeq
  private val addresses = halves(io.identity.address) ++ halves(next.peer.address)
  private val ipWords = Seq(U(0x4500), totalLength, U(0x4000), U(0x4011)) ++ addresses
  private val udpWords = Seq(next.sum, U(17), udpLength, udpLength, ownPort.asUInt, next.peer.port.asUInt) ++ addresses
  private val ipSum, udpSum = new OnesSum
  private val ipChecksum, udpChecksum = Reg(Bits(16 bits))

  private val header = Seq(
    next.peer.mac,
    io.identity.mac,
    B(0x0800, 16 bits),
    B(0x4500, 16 bits),
    totalLength.asBits,
    B(0x0000, 16 bits),
    B(0x4000, 16 bits),
    B(0x4011, 16 bits),
    ipChecksum,
    io.identity.address,
    next.peer.address,
    ownPort,
    next.peer.port,
    udpLength.asBits,
    udpChecksum,
  ).reduceLeft(_ ## _).subdivideIn(8 bits).reverse

  private val bytes = Stream(FrameByte())
  private val index = Reg(UInt(6 bits)) init 0
  private val isHeader, isPayload = RegInit(False)
  private val isOver = RegInit(False)
  private val isSumming = !isHeader && !isPayload && !isOver
  private val payload = buffer.io.pop.s2mPipe()
  bytes.valid := isHeader || (isPayload && payload.valid)
  bytes.data := Mux(isHeader, Vec(header)(index), payload.data)
  bytes.last := isPayload && payload.last
  payload.ready := isPayload && bytes.ready
  isOver := bytes.fire && bytes.last
  next.ready := isOver
  when(isSumming) {
    when(next.valid)(index := index + 1)
    when(index === 0) {
      ipSum.clear()
      udpSum.clear()
    }
    // lengths are registered: they are right from index 1 on
    for ((word, n) <- ipWords.zipWithIndex) when(index === n + 1)(ipSum.add(word.resize(16 bits)))
    for ((word, n) <- udpWords.zipWithIndex) when(index === n + 1)(udpSum.add(word.resize(16 bits)))
    when(index === udpWords.size + 1) {
      ipChecksum := ~ipSum.value.asBits
      udpChecksum := Mux(udpSum.value.andR, B(0xffff, 16 bits), ~udpSum.value.asBits)
      index := 0
      isHeader := True
    }
  }
  when(isHeader && bytes.ready) {
    index := index + 1
    when(index === header.size - 1) {
      index := 0
      isHeader := False
      isPayload := True
    }
  }
  when(bytes.fire && bytes.last)(isPayload := False)
  // both directions are registered: whether a byte goes decides much here
  io.output << FrameBytes.pack(bytes.s2mPipe().m2sPipe())
}

/** Answers questions for the fabric's address (ARP), as [[Steering]] finds them. */
class ArpResponder extends Component {
  val io = new Bundle {
    val input = slave(Stream(FrameWord()))
    val identity = in(Identity())
    val output = master(Stream(FrameWord()))
  }
  private val stack = HeaderStack(ethernet, Headers.arp)
  private val question = FrameBytes.of(io.input)
  private val index = Reg(UInt(6 bits)) init 0
  private val first = stack.byte(Headers.arp, "senderMac")
  private val sender = Reg(Bits(80 bits))
  private val answers = RegInit(False)
  question.ready := !answers
  when(question.fire) {
    when(!index.andR)(index := index + 1)
    when(index >= first && index < first + 10)(sender := (sender ## question.data).resized)
    when(question.last) {
      index := 0
      answers := True
    }
  }
  private val mac = sender(79 downto 32)
  private val reply = Seq(
    mac,
    io.identity.mac,
    B(0x0806, 16 bits),
    B(0x0001, 16 bits),
    B(0x0800, 16 bits),
    B(0x0604, 16 bits),
    B(0x0002, 16 bits),
    io.identity.mac,
    io.identity.address,
    sender,
  ).reduceLeft(_ ## _).subdivideIn(8 bits).reverse
  private val bytes = Stream(FrameByte())
  bytes.valid := answers
  bytes.data := Vec(reply)(index)
  bytes.last := index === reply.size - 1
  when(bytes.fire) {
    index := index + 1
    when(bytes.last) {
      index := 0
      answers := False
    }
  }
  io.output << FrameBytes.pack(bytes.m2sPipe())
}
