package hivemind.fabric.net

import spinal.core._
import spinal.lib._
import spinal.lib.com.eth.{Crc, CrcKind}

/** One direction of GMII (IEEE 802.3, clause 35): a byte in each cycle. */
case class Gmii() extends Bundle {
  val data = Bits(8 bits)
  val valid, error = Bool()
}

/** Frames from a GMII, without preamble and frame check sequence. Damaged ones and those without room are dropped whole.
  *
  * @param line the clock of the GMII; at most 0.1 % off the component's own
  */
class GmiiReceiver(line: ClockDomain, bufferWords: Int) extends Component {
  val io = new Bundle {
    val gmii = in(Gmii())
    val output = master(Stream(FrameWord()))

    /** High for one cycle for each frame. */
    val received, damaged, overflowed = out(Reg(Bool()) init False)
  }

  /** A byte of a frame, or, with `end`, the gap after it. */
  private case class Symbol() extends Bundle {
    val data = Bits(8 bits)
    val error, end = Bool()
  }
  private val crossing = new StreamFifoCC(Symbol(), 32, line, clockDomain)
  line {
    val now = RegNext(io.gmii).setName("line_now")
    now.valid.init(False)
    val was = (RegNext(now.valid) init False).setName("line_was")
    crossing.io.push.valid := now.valid || was
    crossing.io.push.data := now.data
    crossing.io.push.error := now.error
    crossing.io.push.end := !now.valid
  }
  private val symbol = crossing.io.pop.toFlow.m2sPipe

  private val buffer = new FrameBuffer(FrameWord(), bufferWords)
  io.output << buffer.io.pop

  private val isFrame, failed, isFull = RegInit(False)
  private val crc = new Crc(CrcKind.Crc32, 8)
  crc.io.flush := False
  crc.io.input.valid := False
  crc.io.input.payload := symbol.data

  // The check sequence is the last four bytes, so each byte counts only when four more have come.
  private val waiting = Reg(UInt(3 bits)) init 0
  private val delay = Reg(Vec.fill(4)(Bits(8 bits)))
  private val position = Reg(UInt(5 bits)) init 0
  private val word = Reg(Vec.fill(16)(Bits(8 bits)))
  private val isWhole = position === 16

  io.received := False
  io.damaged := False
  io.overflowed := False

  private val isComplete = False
  when(symbol.valid && !symbol.end) {
    when(!isFrame) {
      isFrame := symbol.data === 0xd5
    } otherwise {
      crc.io.input.valid := True
      failed.setWhen(symbol.error)
      delay(0) := symbol.data
      for (n <- 1 until 4) delay(n) := delay(n - 1)
      when(waiting =/= 4)(waiting := waiting + 1) otherwise {
        word(position(3 downto 0)) := delay(3)
        position := position + 1
        when(isWhole) {
          isComplete := True
          position := 1
        }
      }
    }
  }

  // The cycle after the end of a frame has no byte of another one: at least a delimiter is before it.
  private val isOver = RegNext(symbol.valid && symbol.end && isFrame) init False
  private val isIntact = RegNext(crc.io.result === 0x2144df1cL)
  when(symbol.valid && symbol.end)(isFrame := False)
  when(isOver) {
    failed := False
    waiting := 0
    position := 0
    crc.io.flush := True
  }

  // A word, and what becomes of a frame, come from registers. Between two words is a cycle at least, so that `hasRoom` knows of the one before.
  private val hasWord = RegNext(isComplete) init False
  private val isLast = RegNext(isOver) init False
  private val isSound = RegNext(!failed && position =/= 0 && isIntact)
  private val hasRoom = RegNext(buffer.io.push.ready) init False
  private val fits = !isFull && hasRoom
  buffer.io.push.data := RegNext(word.asBits)
  buffer.io.push.count := RegNext((position - 1).resize(4))
  buffer.io.push.last := isLast
  buffer.io.push.valid := fits && (hasWord || isLast && isSound)
  buffer.io.takeBack := isLast && !(fits && isSound)
  when(hasWord && !hasRoom)(isFull := True)
  when(isLast) {
    isFull := False
    io.received := fits && isSound
    io.damaged := !isSound
    io.overflowed := isSound && !fits
  }
}

/** Frames to a GMII: adds preamble, padding to 60 bytes, the frame check sequence and the gap between frames. */
class GmiiTransmitter extends Component {
  val io = new Bundle {

    /** Of each frame, the words must follow each other within 16 cycles. */
    val input = slave(Stream(FrameWord()))
    val gmii = out(Gmii())

    /** High for one cycle for each frame. */
    val sent = out Bool ()
  }
  private object Phase extends SpinalEnum {
    val IDLE, PREAMBLE, BYTES, PADDING, CHECK, GAP = newElement()
  }
  import Phase._
  private val phase = RegInit(IDLE)
  private val count = Reg(UInt(4 bits)) init 0
  private val size = Reg(UInt(6 bits)) init 0
  private val word = Reg(FrameWord())

  private val gmii = Gmii()
  gmii.data := 0
  gmii.valid := False
  gmii.error := False
  private val registered = RegNext(gmii)
  registered.valid.init(False)
  io.gmii := registered
  io.sent := False
  io.input.ready := False

  private val crc = new Crc(CrcKind.Crc32, 8)
  crc.io.flush := False
  crc.io.input.valid := False
  crc.io.input.payload := gmii.data

  private def take(): Unit = {
    word := io.input.payload
    io.input.ready := True
    count := 0
  }
  private def goto(next: SpinalEnumElement[Phase.type]): Unit = {
    phase := next
    count := 0
  }
  private def emit(data: Bits): Unit = {
    gmii.valid := True
    gmii.data := data
    count := count + 1
  }
  private def emitOfFrame(data: Bits): Unit = {
    emit(data)
    crc.io.input.valid := True
    when(size =/= 60)(size := size + 1)
  }

  switch(phase) {
    is(IDLE) {
      size := 0
      crc.io.flush := True
      when(io.input.valid) {
        take()
        phase := PREAMBLE
      }
    }
    is(PREAMBLE) {
      emit(Mux(count === 7, B(0xd5, 8 bits), B(0x55, 8 bits)))
      when(count === 7)(goto(BYTES))
    }
    is(BYTES) {
      emitOfFrame(word.data(7 downto 0))
      word.data := word.data |>> 8
      when(count === word.count) {
        when(word.last) {
          when(size < 59)(goto(PADDING)) otherwise goto(CHECK)
        } otherwise {
          take()
          // A frame that breaks off is marked, so that its receiver drops it.
          gmii.error := !io.input.valid
        }
      }
    }
    is(PADDING) {
      emitOfFrame(B(0, 8 bits))
      when(size === 59)(goto(CHECK))
    }
    is(CHECK) {
      emit(crc.io.result.subdivideIn(8 bits).read(count(1 downto 0)))
      when(count === 3) {
        io.sent := True
        goto(GAP)
      }
    }
    is(GAP) {
      count := count + 1
      when(count === 11)(goto(IDLE))
    }
  }
}
