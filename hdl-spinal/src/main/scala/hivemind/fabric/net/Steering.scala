package hivemind.fabric.net

import hivemind.fabric.net.Headers.{arp, ethernet, ipv4, udp}
import spinal.core._
import spinal.lib._

/** Who the fabric is on its network. */
case class Identity() extends Bundle {
  val mac = Bits(48 bits)

  /** IPv4; 0: the fabric is nobody, and every frame passes. */
  val address = Bits(32 bits)
}

/** Tells frames for the fabric itself from those that pass: UDP to its address and one of its ports, and questions for its address
  * (ARP). Frames of each way keep their order and their bytes.
  *
  * @param ports of datagrams
  * @param framePorts of datagrams that an engine takes as whole frames
  */
class Steering(ports: Seq[Int], framePorts: Seq[Int] = Seq()) extends Component {
  val io = new Bundle {
    val input = slave(Stream(FrameWord()))
    val identity = in(Identity())
    val passed, datagrams, questions = master(Stream(FrameWord()))
    val frames = if (framePorts.isEmpty) null else master(Stream(FrameWord()))
  }
  private object Way extends SpinalEnum(binarySequential) {
    val PASS, DATAGRAM, QUESTION, FRAME = newElement()
  }

  // What a frame is, is known with its third word at the latest.
  private val index = Reg(UInt(2 bits)) init 0
  private val words = StreamFifo(FrameWord(), 8)
  private val ways = StreamFifo(Way(), 8)
  private val decides = index === 2 || (io.input.last && index < 2)
  private val input = io.input
  input.ready := words.io.push.ready && (!decides || ways.io.push.ready)
  words.io.push.valid := input.fire
  words.io.push.payload := input.payload
  when(input.fire)(index := Mux(input.last, U(0), Mux(index === 3, index, index + 1)))

  private val seen = Vec(Reg(FrameWord()), 2)
  for (n <- 0 until 2) when(input.fire && index === n)(seen(n) := input.payload)
  private val head = input.data ## seen(1).data ## seen(0).data
  private def bits(stack: HeaderStack, header: Header, field: String): Bits = {
    val Field(_, _, width) = header(field)
    val first = stack.byte(header, field)
    (first until first + width / 8).map(n => head(8 * n + 7 downto 8 * n)).reduceLeft(_ ## _)
  }
  private val stack = HeaderStack(ethernet, ipv4, udp)
  private val question = HeaderStack(ethernet, arp)
  private def of(header: Header, field: String): Bits = bits(stack, header, field)
  private val versionAndWords = stack.byte(ipv4, "version")
  private val flags = stack.byte(ipv4, "flags")
  // Parts of the first words are compared in the cycle after they came.
  private val isOurs = RegNext(of(ethernet, "destination") === io.identity.mac)
  private val isIp = RegNext(of(ethernet, "etherType") === 0x0800 && head(8 * versionAndWords + 7 downto 8 * versionAndWords) === 0x45)
  private val isArp = RegNext(of(ethernet, "etherType") === 0x0806)
  private val isAddressed = of(ipv4, "destination") === io.identity.address
  private val isUdp = of(ipv4, "protocol") === 17
  private val isWhole = head(8 * flags + 5 downto 8 * flags) === 0 && head(8 * flags + 15 downto 8 * flags + 8) === 0
  private def isOneOf(ports: Seq[Int]): Bool = ports.map(port => of(udp, "destinationPort") === port).reduce(_ || _)
  private val isRequest = bits(question, arp, "operation") === 1
  private val isAsked = bits(question, arp, "targetAddress") === io.identity.address

  private val isLong = index === 2 && (!input.last || input.count >= question.end - 33)
  private val isSomebody = RegNext(io.identity.address =/= 0)
  ways.io.push.valid := input.fire && decides
  ways.io.push.payload := Way.PASS
  when(isSomebody && isLong) {
    val isDatagram = isIp && isOurs && isUdp && isWhole && isAddressed
    when(isDatagram && isOneOf(ports))(ways.io.push.payload := Way.DATAGRAM)
    if (framePorts.nonEmpty) when(isDatagram && isOneOf(framePorts))(ways.io.push.payload := Way.FRAME)
    when(isArp && isRequest && isAsked)(ways.io.push.payload := Way.QUESTION)
  }

  private val way = ways.io.pop
  private val leaving = words.io.pop.haltWhen(!way.valid)
  way.ready := leaving.fire && leaving.last
  private val outputs = StreamDemux(leaving, way.payload.asBits.asUInt, if (framePorts.isEmpty) 3 else 4)
  io.passed << outputs(0)
  io.datagrams << outputs(1)
  io.questions << outputs(2)
  if (framePorts.nonEmpty) io.frames << outputs(3)
}
