package hivemind.fabric.distil

import spinal.core._
import spinal.lib.fsm._

/** What the extractor found in a candidate. */
case class Extracted(p: DistilParameters) extends Bundle {

  /** Whether the payload starts with a number that fixed point holds exactly. */
  val found = Bool()

  /** Whether there is a number, but none that fixed point holds. */
  val isOutOfRange = Bool()
  val number = FixedNumber(p)

  /** Position of the payload's first byte. */
  val payload = UInt(p.positionBits bits)
}

/** Walks the CoAP options (RFC 7252, section 3.1) of a captured frame, and reads the number at the start of its payload. */
class Extractor(p: DistilParameters) extends Component {
  val io = new Bundle {
    val start = in Bool ()
    val frame = in(Descriptor(p))
    val readAddress = out UInt (log2Up(p.slots * p.wordsPerSlot) bits)
    val readData = in Bits (p.widthBytes * 8 bits)
    val done = out Bool ()
    val result = out(Extracted(p))
  }
  private val laneBits = log2Up(p.widthBytes)
  private val wordBits = log2Up(p.wordsPerSlot)
  private val windowBytes = 10

  private val position = Reg(UInt(p.positionBits bits))
  private val low, high = Reg(Bits(p.widthBytes * 8 bits))
  private val window = Reg(Vec(Bits(8 bits), windowBytes))
  private val word = (position >> laneBits).resize(wordBits)
  io.readAddress := io.frame.slot @@ word

  private val number = new NumberReader(p)
  number.io.start := False
  number.io.item := Cat(window.tail.reverse)

  private val found, isOutOfRange = Reg(Bool())
  private val payload = Reg(UInt(p.positionBits bits))
  io.done := False
  io.result.found := found
  io.result.isOutOfRange := isOutOfRange
  io.result.number := number.io.number
  io.result.payload := payload

  private val option = new Area {
    val delta = window(0)(7 downto 4).asUInt
    val length = window(0)(3 downto 0).asUInt
    val isMarker = window(0) === 0xff
    val isReserved = delta === 15 || length === 15
    private def extension(nibble: UInt) = Mux(nibble === 13, U(1, 2 bits), Mux(nibble === 14, U(2, 2 bits), U(0, 2 bits)))
    val deltaBytes = extension(delta)
    // An option with a two-byte length has 269 bytes or more: it ends beyond every capture.
    val isTooLong = length === 14
    private val extended = deltaBytes.mux(0 -> window(1), 1 -> window(2), default -> window(3)).asUInt
    val size = Mux(length === 13, extended +^ U(14), length.resize(9 bits))
    val next = RegNext(position.resize(10 bits) + 1 + deltaBytes + size)
    val isFaulty = RegNext(isReserved || isTooLong)
    val isMarkerLater = RegNext(isMarker)
  }

  val flow = new StateMachine {
    val idle: State = new State with EntryPoint {
      whenIsActive {
        position := io.frame.options
        when(io.start)(goto(readLow))
      }
    }
    val readLow: State = new State {
      whenIsActive {
        found := False
        isOutOfRange := False
        when(position >= io.frame.end)(goto(finished)) otherwise goto(readHigh)
      }
    }
    val readHigh: State = new State {
      whenIsActive {
        low := io.readData
        io.readAddress := io.frame.slot @@ (word + 1)
        goto(keepHigh)
      }
    }
    val keepHigh: State = new State {
      whenIsActive {
        high := io.readData
        goto(align)
      }
    }
    val align: State = new State {
      whenIsActive {
        val lane = position.resize(laneBits)
        window.assignFromBits(((high ## low) >> (lane << 3)).resize(windowBytes * 8))
        goto(decode)
      }
    }
    val decode: State = new State { whenIsActive(goto(step)) }
    val step: State = new State {
      whenIsActive {
        when(option.isMarkerLater) {
          number.io.start := True
          payload := position + 1
          goto(read)
        } elsewhen (option.isFaulty || option.next >= io.frame.end) {
          goto(finished)
        } otherwise {
          position := option.next.resized
          goto(readLow)
        }
      }
    }
    // the number of bytes is known some cycles before `done`
    private val isWhole = RegNext(payload + number.io.bytes <= io.frame.end)
    val read: State = new State {
      whenIsActive {
        when(number.io.done) {
          found := isWhole && number.io.isNumber && number.io.isExact
          isOutOfRange := isWhole && number.io.isNumber && !number.io.isExact
          goto(finished)
        }
      }
    }
    val finished: State = new State {
      whenIsActive {
        io.done := True
        goto(idle)
      }
    }
  }
  flow.setEncoding(binaryOneHot)
}
