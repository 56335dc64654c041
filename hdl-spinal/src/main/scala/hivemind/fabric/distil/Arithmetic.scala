package hivemind.fabric.distil

import spinal.core._
import spinal.lib.fsm._

/** Adds or subtracts in two halves: the result is there two cycles after the operands, which may change every cycle. */
class WideAdder(width: Int) extends Component {
  val io = new Bundle {
    val a, b = in SInt (width bits)
    val subtract = in Bool ()
    val result = out SInt (width bits)
  }
  private val half = width / 2
  private val b = io.b.asBits ^ B(width bits, default -> io.subtract)
  private val low = RegNext(io.a.asBits(half - 1 downto 0).asUInt +^ b(half - 1 downto 0).asUInt + io.subtract.asUInt(half + 1 bits))
  private val aHigh = RegNext(io.a.asBits(width - 1 downto half).asUInt)
  private val bHigh = RegNext(b(width - 1 downto half).asUInt)
  private val high = aHigh + bHigh + low.msb.asUInt(width - half bits)
  io.result := RegNext(high @@ low(half - 1 downto 0)).asSInt
}

/** A fixed-point sum divided by a whole number, as a double: exact but for one rounding, to the nearest, ties to even.
  *
  * The sum is made positive and shifted until its highest bit is set, by 16, 4 or one place in each cycle; then two bits of the
  * quotient come in each cycle, until there are 53 of them and one or two to round by.
  *
  * The sum and the divisor are the same from the cycle before `start` until `done`.
  */
class Quotient(p: DistilParameters) extends Component {
  val io = new Bundle {
    val start = in Bool ()
    val sum = in SInt (p.sumBits + 1 bits)

    /** From 1. */
    val divisor = in UInt (p.windowBits bits)
    val done = out Bool ()
    val result = out Bits (64 bits)
  }
  private val width = p.sumBits
  private val adder = new WideAdder(width + 1)
  adder.io.a := 0
  adder.io.b := io.sum
  adder.io.subtract := io.sum.msb

  private val negative = Reg(Bool())
  private val rest = Reg(UInt(width bits))
  private val leading, steps = Reg(UInt(8 bits))
  private val remainder = Reg(UInt(p.windowBits + 1 bits))
  private val quotient = Reg(UInt(55 bits))

  private val mantissa = Reg(UInt(54 bits))
  private val isZero = RegNext(io.sum === 0)

  // The next digit of base 4 is how often the divisor fits: once, twice and three times are tried at once.
  private val triple = RegNext(io.divisor +^ (io.divisor << 1))
  private val tried = remainder.resize(p.windowBits) @@ rest(width - 1 downto width - 2)
  private val lefts = Seq(io.divisor, io.divisor << 1, triple).map(taken => tried.resize(p.windowBits + 3) - taken.resize(p.windowBits + 3))
  private val fits = lefts.map(!_.msb)
  private val digit = fits(1) ## (fits(2) || (fits(0) && !fits(1)))
  private val left = Mux(fits(2), lefts(2), Mux(fits(1), lefts(1), Mux(fits(0), lefts(0), tried.resized)))

  io.done := False
  // the steps have not changed in the cycle before `done`
  private val exact = RegNext((U(1023 + 54 + width - p.fractionBits, 12 bits) - steps - leading).resize(11))
  private val exponent = (exact + mantissa.msb.asUInt) & U(11 bits, default -> !isZero)
  io.result := negative ## exponent ## mantissa(51 downto 0)

  val flow = new StateMachine {
    val idle: State = new State with EntryPoint {
      whenIsActive(when(io.start)(goto(load)))
    }
    val load: State = new State {
      whenIsActive {
        negative := io.sum.msb
        rest := adder.io.result.asUInt.resized
        leading := 0
        when(isZero)(goto(finished)) otherwise goto(normalise)
      }
    }
    val normalise: State = new State {
      private def isClear(by: Int): Bool = rest(width - 1 downto width - by) === 0
      private def shift(by: Int): Unit = {
        rest := rest |<< by
        leading := leading + by
      }
      whenIsActive {
        when(isClear(16))(shift(16)) elsewhen (isClear(4))(shift(4)) elsewhen (isClear(1))(shift(1)) otherwise goto(divide)
      }
    }
    val divide: State = new State {
      whenIsActive {
        remainder := left.resized
        rest := rest |<< 2
        quotient := quotient(52 downto 0) @@ digit.asUInt
        steps := steps + 2
        // with this digit one of its two highest bits is set
        when(quotient(52 downto 51) =/= 0)(goto(align))
      }
    }
    private val isSticky = Reg(Bool())
    // of the rest as the latest digit left it
    private val isRestZero = RegNext(rest(width - 3 downto 0) === 0)
    val align: State = new State {
      whenIsActive {
        isSticky := remainder =/= 0 || !isRestZero
        when(!quotient(54)) {
          quotient := quotient |<< 1
          steps := steps + 1
        }
        goto(round)
      }
    }
    val round: State = new State {
      whenIsActive {
        val roundUp = quotient(1) && (isSticky || quotient(0) || quotient(2))
        mantissa := quotient(54 downto 2).resize(54) + roundUp.asUInt(54 bits)
        goto(finished)
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

  // In `load`, from a register of its own: so many clears would come late from the state itself.
  private val clears = RegNext(io.start) init False
  when(clears) {
    steps := 0
    remainder := 0
    quotient := 0
    mantissa := 0
  }
}
