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

  /** The digits where they are in the argument: its first byte is the highest, so short ones end in zeros. */
  private val mantissa = Reg(UInt(65 bits))

  /** What is added to the magnitude of an integer below zero, which is -1 less the argument: its lowest digit, by the length of the argument. */
  private val one = Reg(Bits(4 bits))

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
    val below = 64 - width
    mantissa := (!isSubnormal ## bits(fractionBits - 1 downto 0) ## B(0, below bits)).asUInt.resized
    exponent := (Mux(isSubnormal, U(1, exponentBits bits), biased).resize(12).intoSInt - (bias + fractionBits + below)).resized
  }

  private def decodeInteger(): Unit = {
    val additional = initial(4 downto 0).asUInt
    val isNegative = initial(5)
    isNumber := additional < 28
    isFinite := True
    negative := isNegative

    val value = UInt(64 bits)
    value := (additional << 56).resized
    one(0) := isNegative
    exponent := -56
    bytes := 1
    for (log <- 0 to 3) when(additional === 24 + log) {
      val below = 64 - (8 << log)
      value := argument(63 downto below).asUInt << below
      one := (isNegative.asBits << log).resized
      exponent := -below
      bytes := 1 + (1 << log)
    }
    mantissa := value.resized
  }

  /** `one` at the places of the lowest digits. */
  private val lowestDigits = UInt(65 bits)
  lowestDigits := 0
  for (log <- 0 to 3) lowestDigits(64 - (8 << log)) := one(log)

  // The mantissa starts below the lowest fraction bit, and only ever moves left.
  private val guardBits = 65
  private val lowest = p.fractionBits + guardBits
  private val width = p.valueBits + guardBits
  private val shifted = Reg(UInt(width bits))
  private val shift = Reg(UInt(8 bits))
  private val overflow, tooSmall = Reg(Bool())

  /** Moves by 4^n once, while the digit n of the shift says so; gives whether that was the last time. */
  private def moveLeft(n: Int): Bool = {
    val by = 1 << 2 * n
    val digit = shift(2 * n, 2 bits)
    when(digit =/= 0) {
      overflow := overflow || shifted(width - 1 downto width - by).orR
      shifted := shifted |<< by
      digit := digit - 1
    }
    digit <= 1
  }

  io.done := False
  io.isNumber := isNumber
  io.bytes := bytes
  io.number.negative := negative
  io.number.magnitude := shifted >> guardBits
  private val isRestZero = RegNext(shifted(guardBits - 1 downto 0) === 0)
  io.isExact := isFinite && !overflow && !tooSmall && isRestZero

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
        one := 0
        switch(initial(7 downto 5)) {
          is(0, 1)(decodeInteger())
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
        shifted := (mantissa + lowestDigits).resized
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
    val moves: Seq[State] = (3 to 0 by -1).map { n =>
      new State {
        whenIsActive(when(moveLeft(n))(goto(if (n == 0) settle else moves(4 - n))))
      }
    }
    val settle: State = new State { whenIsActive(goto(finished)) }
    val finished: State = new State {
      whenIsActive {
        io.done := True
        goto(idle)
      }
    }
  }
  flow.setEncoding(binaryOneHot)
}
