package hivemind.fabric.distil

import spinal.core._
import spinal.lib.fsm._

/** A number of a message: sign and magnitude in fixed point. */
case class FixedNumber(p: DistilParameters) extends Bundle {
  val negative = Bool()
  val magnitude = UInt(p.valueBits bits)
}

/** Turns the CBOR number at the start of `item` into fixed point (RFC 8949, section 3: integers, half, float, double).
  *
  * Answers whether it is a number that fixed point holds exactly; anything else is left to the next hop.
  */
class NumberReader(p: DistilParameters) extends Component {
  val io = new Bundle {
    val start = in Bool ()

    /** Initial byte in the highest byte, then eight bytes of argument. */
    val item = in Bits (72 bits)
    val done = out Bool ()
    val isNumber = out Bool ()
    val isExact = out Bool ()

    /** Bytes of the item, the initial byte included. */
    val bytes = out UInt (4 bits)
    val number = out(FixedNumber(p))
  }
  private val initial = io.item(71 downto 64)
  private val argument = io.item(63 downto 0)

  private val negative, isNumber, isFinite = Reg(Bool())
  private val bytes = Reg(UInt(4 bits))
  private val mantissa = Reg(UInt(65 bits))

  /** Exponent of the lowest bit of the mantissa. */
  private val exponent = Reg(SInt(13 bits))

  private def decodeFloat(exponentBits: Int, fractionBits: Int): Unit = {
    val width = 1 + exponentBits + fractionBits
    val bits = argument(63 downto 64 - width)
    val biased = bits(width - 2 downto fractionBits).asUInt
    val isSubnormal = biased === 0
    val bias = (1 << (exponentBits - 1)) - 1
    isNumber := True
    isFinite := !biased.andR
    bytes := 1 + width / 8
    negative := bits.msb
    mantissa := (!isSubnormal ## bits(fractionBits - 1 downto 0)).asUInt.resized
    exponent := (Mux(isSubnormal, U(1, exponentBits bits), biased).resize(12).intoSInt - (bias + fractionBits)).resized
  }

  private def decodeInteger(isNegative: Boolean): Unit = {
    val additional = initial(4 downto 0).asUInt
    isNumber := additional < 28
    isFinite := True
    negative := Bool(isNegative)
    exponent := 0
    val value = UInt(64 bits)
    value := additional.resized
    bytes := 1
    for (log <- 0 to 3) when(additional === 24 + log) {
      value := argument(63 downto 64 - (8 << log)).asUInt.resized
      bytes := 1 + (1 << log)
    }
    mantissa := value +^ U(if (isNegative) 1 else 0)
  }

  // The mantissa starts below the lowest fraction bit, and only ever moves left.
  private val guardBits = 65
  private val lowest = p.fractionBits + guardBits
  private val width = p.valueBits + guardBits
  private val shifted = Reg(UInt(width bits))
  private val shift = Reg(UInt(8 bits))
  private val overflow, tooSmall = Reg(Bool())
  private def moveLeft(log: Int): Unit = {
    val digit = shift(log + 1 downto log)
    switch(digit) {
      for (n <- 1 to 3) is(n) {
        val by = n << log
        if (by >= width) {
          overflow := overflow || shifted.orR
          shifted := 0
        } else {
          overflow := overflow || shifted(width - 1 downto width - by).orR
          shifted := (shifted << by).resized
        }
      }
    }
  }

  io.done := False
  io.isNumber := isNumber
  io.bytes := bytes
  io.number.negative := negative
  io.number.magnitude := shifted >> guardBits
  io.isExact := isFinite && !overflow && !tooSmall && shifted(guardBits - 1 downto 0) === 0

  val flow = new StateMachine {
    private val distance = Reg(SInt(13 bits))
    val idle: State = new State with EntryPoint {
      whenIsActive(when(io.start)(goto(decode)))
    }
    val decode: State = new State {
      whenIsActive {
        isNumber := False
        isFinite := False
        bytes := 1
        mantissa := 0
        switch(initial(7 downto 5)) {
          is(0)(decodeInteger(isNegative = false))
          is(1)(decodeInteger(isNegative = true))
          is(7) {
            switch(initial(4 downto 0)) {
              is(25)(decodeFloat(5, 10))
              is(26)(decodeFloat(8, 23))
              is(27)(decodeFloat(11, 52))
            }
          }
        }
        goto(measure)
      }
    }
    val measure: State = new State {
      whenIsActive {
        distance := exponent + lowest
        shifted := mantissa.resized
        overflow := False
        goto(place)
      }
    }
    val place: State = new State {
      whenIsActive {
        val isZero = shifted === 0
        tooSmall := distance < 0 && !isZero
        overflow := distance > 255 && !isZero
        shift := distance(7 downto 0).asUInt
        goto(moves.head)
      }
    }
    val moves: Seq[State] = Seq(6, 4, 2, 0).zipWithIndex.map { case (log, n) =>
      new State {
        whenIsActive {
          moveLeft(log)
          goto(if (n == 3) finished else moves(n + 1))
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
