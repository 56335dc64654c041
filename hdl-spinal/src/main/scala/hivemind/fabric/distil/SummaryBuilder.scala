package hivemind.fabric.distil

import hivemind.fabric.net.Checksum
import hivemind.fabric.net.Headers.{coapOverUdp, ipv4, udp}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import spinal.lib.bus.amba4.axis.Axi4Stream.Axi4StreamBundle
import spinal.lib.fsm._

/** Makes the summary of a window: the frame that completed it, with one CBOR double as its payload, and true lengths and
  * checksums. All else of the frame (addresses, message id, token, options) stays, so it goes where its messages went.
  *
  * It reads the frame twice, one word a cycle: to sum it up, then to send it.
  */
class SummaryBuilder(p: DistilParameters) extends Component {
  val io = new Bundle {
    val start = in Bool ()
    val slot = in UInt (log2Up(p.slots) bits)

    /** Position of the payload. */
    val payload = in UInt (p.positionBits bits)
    val value = in Bits (64 bits)
    val readAddress = out UInt (log2Up(p.slots * p.wordsPerSlot) bits)
    val readData = in Bits (p.widthBytes * 8 bits)
    val output = master(Axi4Stream(p.stream))
    val done = out Bool ()
  }
  private val W = p.widthBytes
  private val laneBits = log2Up(W)
  private val words = p.wordsPerSlot + 1 // the value may end beyond the capture
  private val smallest = 60

  private val end = RegNext(io.payload + SummaryBuilder.ItemBytes)
  private val size = RegNext(Mux(end < smallest, U(smallest, p.positionBits bits), end))
  private val totalLength = RegNext((end - coapOverUdp.start(ipv4)).resize(16))
  private val udpLength = RegNext((end - coapOverUdp.start(udp)).resize(16))
  private val lastWord = RegNext((size - 1) >> laneBits)

  // The item, rotated so that each of its bytes is in the lane where the frame has it.
  private val item = (Seq(B(0xfb, 8 bits)) ++ io.value.subdivideIn(8 bits).reverse).padTo(W, B(0, 8 bits)).asBits
  private val offset = io.payload.resize(laneBits)
  private val rotated = RegNext(item.rotateLeft(offset << 3)).subdivideIn(8 bits)

  private val isSending = Reg(Bool())
  private val ipChecksum, udpChecksum = Reg(Bits(16 bits))

  // Three stages: address, data of the memory, word with all its changes.
  private val address = Reg(UInt(log2Up(words + 1) bits))
  private val isReading = RegInit(False)
  private val dataIndex = RegNext(address)
  private val dataValid = RegNext(isReading, init = False)
  private val data = RegNext(io.readData)
  private val wordIndex = RegNext(dataIndex)
  private val wordValid = RegNext(dataValid, init = False)
  io.readAddress := io.slot @@ address.resize(log2Up(p.wordsPerSlot))

  private def isAt(position: Int): Bool = wordIndex === position / W

  /** Of the word `index`, whether each lane is at `position` or after it. Words are compared once for all lanes. */
  private def isFrom(index: UInt, position: UInt): Seq[Bool] = {
    val word = position >> laneBits
    val isSame = index === word
    val isAfter = index > word
    (0 until W).map(lane => isAfter || (isSame && position.resize(laneBits) <= lane))
  }
  private val replaced: Map[Int, Bits] = {
    val fields = Seq(
      coapOverUdp.byte(ipv4, "totalLength") -> totalLength.asBits,
      coapOverUdp.byte(ipv4, "checksum") -> ipChecksum,
      coapOverUdp.byte(udp, "length") -> udpLength.asBits,
      coapOverUdp.byte(udp, "checksum") -> udpChecksum,
    )
    fields.flatMap { case (at, bits) => Seq(at -> bits(15 downto 8), (at + 1) -> bits(7 downto 0)) }.toMap
  }
  private val isPayload = isFrom(wordIndex, io.payload)
  private val isPadding = isFrom(wordIndex, end)
  private val patched = Vec((0 until W).map { lane =>
    val byte = Bits(8 bits)
    byte := data.subdivideIn(8 bits)(lane)
    when(isPayload(lane))(byte := rotated(lane))
    when(isPadding(lane))(byte := 0)
    for ((at, bits) <- replaced if at % W == lane) when(isAt(at))(byte := bits)
    byte
  })
  private val word = RegNext(patched.asBits)
  private val sumIndex = RegNext(wordIndex)
  private val sumValid = RegNext(wordValid, init = False)

  private def included(from: Int, until: Int): Bits = B(Seq.tabulate(W) { lane =>
    (0 until words).filter(n => n * W + lane >= from && n * W + lane < until).map(sumIndex === _).foldLeft(False: Bool)(_ || _)
  })
  private val afterIp = coapOverUdp.start(udp)
  private val ipPart = Checksum.sum(word, included(coapOverUdp.start(ipv4), afterIp))
  private val udpPart = Checksum.sum(word, included(coapOverUdp.byte(ipv4, "source"), words * W))
  private val partValid = Delay(sumValid && !isSending, Checksum.SumCycles, init = False)
  private val ipSum, udpSum = Reg(UInt(24 bits))
  when(partValid) {
    ipSum := ipSum + ipPart
    udpSum := udpSum + udpPart
  }
  private val pseudoHeader = RegNext(udpLength +^ U(Classifier.Udp))
  private val ipOnce = RegNext(Checksum.foldOnce(RegNext(ipSum)))
  private val udpOnce = RegNext(Checksum.foldOnce(RegNext(udpSum + pseudoHeader)))
  private val ipFolded = RegNext(Checksum.foldOnce(ipOnce))
  private val udpFolded = RegNext(Checksum.foldOnce(udpOnce))

  // A whole frame fits, and none is begun before the queue is empty, so the stages never wait.
  private val queue = StreamFifo(Axi4StreamBundle(p.stream), 1 << log2Up(words))
  queue.io.push.valid := sumValid && isSending
  queue.io.push.data := word
  queue.io.push.last := sumIndex === lastWord
  queue.io.push.keep := ~isFrom(sumIndex, size).asBits
  io.output << queue.io.pop
  io.done := False

  val flow = new StateMachine {
    private val pause = Reg(UInt(4 bits))
    private def readAll(next: => State): Unit = {
      isReading := True
      address := address + 1
      when(address === lastWord) {
        isReading := False
        pause := 0
        goto(next)
      }
    }
    val idle: State = new State with EntryPoint {
      whenIsActive {
        isSending := False
        ipChecksum := 0
        udpChecksum := 0
        ipSum := 0
        udpSum := 0
        pause := 0
        when(io.start)(goto(prepare))
      }
    }
    val prepare: State = new State {
      whenIsActive {
        address := 0
        when(pause =/= 3)(pause := pause + 1)
        // The summary before may still wait for the output.
        when(pause === 3 && queue.io.occupancy === 0) {
          isReading := True
          goto(sumUp)
        }
      }
    }
    val sumUp: State = new State { whenIsActive(readAll(fold)) }
    val fold: State = new State {
      whenIsActive {
        pause := pause + 1
        address := 0
        when(pause === 8 + Checksum.SumCycles) {
          ipChecksum := ~ipFolded(15 downto 0).asBits
          // A sum of zero is sent as its other form: zero would say that there is no checksum (RFC 768).
          udpChecksum := Mux(udpFolded(15 downto 0) === 0xffff, B(0xffff, 16 bits), ~udpFolded(15 downto 0).asBits)
          isSending := True
          isReading := True
          goto(send)
        }
      }
    }
    val send: State = new State { whenIsActive(readAll(flush)) }
    val flush: State = new State {
      whenIsActive {
        pause := pause + 1
        when(pause === 4) {
          io.done := True
          goto(idle)
        }
      }
    }
  }
}

object SummaryBuilder {

  /** A CBOR double: its initial byte and eight bytes. */
  val ItemBytes = 9
}
