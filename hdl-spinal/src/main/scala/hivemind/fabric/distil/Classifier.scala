package hivemind.fabric.distil

import hivemind.fabric.net.{Checksum, Header}
import hivemind.fabric.net.Headers.{coap, coapOverUdp, ethernet, ipv4, udp}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import spinal.lib.bus.amba4.axis.Axi4Stream.Axi4StreamBundle
import spinal.lib.fsm._

/** What the engine knows of a frame when all of it has come. */
case class Descriptor(p: DistilParameters) extends Bundle {

  /** A CoAP message to port 5683 that the engine may consume. */
  val candidate = Bool()
  val slot = UInt(log2Up(p.slots) bits)

  /** Source address of the IPv4 header. */
  val source = Bits(32 bits)

  /** Position of the first option: after the token. */
  val options = UInt(p.positionBits bits)

  /** Position after the last byte of the datagram. */
  val end = UInt(p.positionBits bits)
}

/** Decides which frames are CoAP messages for the function unit, and captures them.
  *
  * A frame is a candidate when it is IPv4 without options or fragments, UDP to port 5683, with true lengths and checksums,
  * and a non-confirmable POST or PUT (InLocus, section IV.2, which tests EtherType, protocol and port alone). One descriptor
  * leaves for each frame, in order.
  */
class Classifier(p: DistilParameters) extends Component {
  val io = new Bundle {
    val input = slave(Axi4Stream(p.stream))
    val frames = master(Stream(Descriptor(p)))

    /** Captured bytes: data comes one cycle after its address. */
    val readAddress = in UInt (log2Up(p.slots * p.wordsPerSlot) bits)
    val readData = out Bits (p.widthBytes * 8 bits)
  }

  private val W = p.widthBytes
  private val memory = Mem(Bits(W * 8 bits), p.slots * p.wordsPerSlot)
  io.readData := memory.readSync(io.readAddress)

  private val slot = RegInit(U(0, log2Up(p.slots) bits))
  private val accept = Bool()
  io.input.ready := accept

  // The beat that came last, and its index in the frame.
  private val index = RegInit(U(0, log2Up(p.wordsPerSlot) + 1 bits))
  private val beat = Reg(Axi4StreamBundle(p.stream))
  private val beatIndex = RegNextWhen(index, io.input.fire)
  private val beatValid = RegNext(io.input.fire, init = False)
  when(io.input.fire) {
    beat := io.input.payload
    index := Mux(io.input.last, U(0), index + 1)
  }
  when(beatValid && beatIndex < p.wordsPerSlot) {
    memory.write(slot @@ beatIndex.resize(log2Up(p.wordsPerSlot)), beat.data)
  }

  // Header fields, kept from the beat that holds them.
  private def byteAt(position: Int): Bits = {
    val kept = Reg(Bits(8 bits))
    when(beatValid && beatIndex === position / W)(kept := beat.data.subdivideIn(8 bits)(position % W))
    kept
  }
  private val headerBytes = Seq.tabulate(coapOverUdp.end)(byteAt)
  private def field(header: Header, name: String): Bits = {
    val first = coapOverUdp.bit(header, name)
    val width = header(name).width
    val bytes = headerBytes.slice(first / 8, (first + width + 7) / 8).reduceLeft(_ ## _)
    val below = bytes.getWidth - first % 8 - width
    bytes(below + width - 1 downto below)
  }
  private val totalLength = field(ipv4, "totalLength").asUInt
  private val ipStart = coapOverUdp.start(ipv4)
  private val udpStart = coapOverUdp.start(udp)
  private val addresses = coapOverUdp.byte(ipv4, "source")

  private val size = Reg(UInt(p.positionBits bits))
  when(beatValid && beat.last) {
    size := (beatIndex << log2Up(W)).resize(p.positionBits) + CountOne(beat.keep)
  }

  // Checksums of the IPv4 header and of the datagram, over the beats as they come. First which bytes count, then their sums.
  private val end = RegNext(totalLength +^ U(ipStart))
  private val chosenIndex = RegNext(beatIndex)
  private val chosen = RegNext(beat.data)
  private def included(from: Int, until: Int): Bits = B(Seq.tabulate(W) { lane =>
    val beats = (0 until p.wordsPerSlot).filter(n => n * W + lane >= from && n * W + lane < until)
    beats.map(chosenIndex === _).foldLeft(False: Bool)(_ || _)
  })
  private val inDatagram = B(Seq.tabulate(W) { lane =>
    val position = (chosenIndex << log2Up(W)) + lane
    position >= udpStart && position < end
  })
  private val counted = RegNext(chosen)
  private val ipPart = Checksum.sum(counted, RegNext(included(ipStart, udpStart)))
  private val udpPart = Checksum.sum(counted, RegNext(included(addresses, udpStart) | inDatagram))
  private val step = Delay(beatValid, 2 + Checksum.SumCycles, init = False)
  private val ipSum, udpSum = Reg(UInt(24 bits))
  when(step) {
    ipSum := ipSum + ipPart
    udpSum := udpSum + udpPart
  }
  private val pseudoHeader = RegNext(field(udp, "length").asUInt +^ U(Classifier.Udp))
  private val ipFolded = RegNext(Checksum.foldOnce(RegNext(ipSum)))
  private val udpFolded = RegNext(Checksum.foldOnce(RegNext(udpSum + pseudoHeader)))
  private def isValid(folded: UInt): Bool = Checksum.foldOnce(folded)(15 downto 0) === 0xffff

  private val isCoap = RegNext(
    field(ethernet, "etherType") === 0x0800 &&
      field(ipv4, "version") === 4 && field(ipv4, "headerWords") === 5 &&
      (field(ipv4, "flags") & 5) === 0 && field(ipv4, "fragmentOffset") === 0 &&
      field(ipv4, "protocol") === Classifier.Udp &&
      field(udp, "destinationPort") === 5683 &&
      field(coap, "version") === 1 && field(coap, "type") === Classifier.NonConfirmable &&
      (field(coap, "code") === Classifier.Post || field(coap, "code") === Classifier.Put) &&
      field(coap, "tokenLength").asUInt <= 8
  )
  private val lengthsAgree = RegNext(
    end <= size && end > coapOverUdp.end &&
      field(udp, "length").asUInt === totalLength - ipv4.bytes
  )
  private val checksumsHold = RegNext(isValid(ipFolded) && (isValid(udpFolded) || field(udp, "checksum") === 0))

  io.frames.valid := False
  io.frames.candidate := False
  io.frames.slot := slot
  io.frames.source := field(ipv4, "source")
  io.frames.options := (field(coap, "tokenLength").asUInt +^ U(coapOverUdp.end)).resized
  io.frames.end := (totalLength + ipStart).resized
  accept := False

  val flow = new StateMachine {
    val collect: State = new State with EntryPoint {
      whenIsActive {
        accept := True
        when(io.input.fire) {
          when(io.input.last)(goto(settle)) elsewhen (index === p.wordsPerSlot - 1)(goto(tooLong))
        }
      }
    }
    // Sums and comparisons take this many cycles after the last beat.
    val settle: State = new StateDelay(Classifier.SettleCycles) { whenCompleted(goto(report)) }
    val report: State = new State {
      whenIsActive {
        io.frames.valid := True
        io.frames.candidate := isCoap && lengthsAgree && checksumsHold
        when(io.frames.ready) {
          slot := slot + 1
          ipSum := 0
          udpSum := 0
          goto(collect)
        }
      }
    }
    // A frame beyond the capture passes through; its descriptor leaves before its end, so that the buffer can drain.
    val tooLong: State = new State {
      whenIsActive {
        io.frames.valid := True
        when(io.frames.ready)(goto(skip))
      }
    }
    val skip: State = new State {
      whenIsActive {
        accept := True
        index := 0
        when(io.input.fire && io.input.last)(goto(drain))
      }
    }
    val drain: State = new StateDelay(Classifier.SettleCycles) {
      whenCompleted {
        ipSum := 0
        udpSum := 0
        goto(collect)
      }
    }
  }
  flow.setEncoding(binaryOneHot)
  ipSum.init(0)
  udpSum.init(0)
}

object Classifier {
  val NonConfirmable = 1
  val Post = 2
  val Put = 3

  /** The protocol number of UDP in an IPv4 header. */
  val Udp = 17
  private val SettleCycles = 7 + Checksum.SumCycles
}
