package hivemind.fabric.distil

import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** The instructions of a function unit (InLocus, table I), with the paper's codes. */
object Instruction extends SpinalEnum {
  val NOP, RESET, CALC, RESULT = newElement()
  defaultEncoding = SpinalEnumEncoding("paper")(NOP -> 0, RESET -> 1, CALC -> 2, RESULT -> 3)
}

/** The ops of a function unit, as `libs/nfu` names them. */
object Op extends SpinalEnum {
  val FORWARD, COUNTER, AVERAGE, MIN, MAX, FILTER = newElement()
  defaultEncoding = binarySequential
}

/** What becomes of the frame whose number was calculated. */
object Fate extends SpinalEnum {

  /** PASS: goes on unchanged. ABSORB: ends here. COMPLETE: its window is full, and RESULT gives the summary. TAKEN: another
    * source holds the state, so the frame goes on unchanged.
    */
  val PASS, ABSORB, COMPLETE, TAKEN = newElement()
}

case class Command(p: DistilParameters) extends Bundle {
  val instruction = Instruction()
  val source = Bits(32 bits)
  val number = FixedNumber(p)
}

/** What the host sets. It may change under traffic: a change of the op or of the key starts all windows anew. */
case class UnitSettings(p: DistilParameters) extends Bundle {
  val op = Op()

  /** Values of one window; 0 counts as 1. */
  val window = UInt(p.windowBits bits)

  /** Whether each source address has a window of its own. */
  val keyed = Bool()

  /** Bounds of the filter, both inclusive, in fixed point. */
  val above, below = SInt(p.valueBits + 1 bits)
}

/** A function unit: one op, with a state for each source. Sums are exact; RESULT rounds once. */
class FunctionUnit(p: DistilParameters) extends Component {
  val io = new Bundle {
    val settings = in(UnitSettings(p))
    val command = slave(Stream(Command(p)))

    /** One for each CALC, in the cycle in which the command is taken. */
    val fate = master(Flow(Fate()))

    /** One for each RESULT, likewise: the double (IEEE 754) of the latest COMPLETE. */
    val result = master(Flow(Bits(64 bits)))
  }

  private val keyBits = log2Up(p.sources)
  private val sumWidth = p.sumBits + 1
  private case class Slot() extends Bundle {
    val isUsed = Bool()
    val tag = Bits(32 - keyBits bits)
    val seen = UInt(p.windowBits bits)
    val sum = SInt(sumWidth bits)
  }
  private val slots = Mem(Bits(Slot().getBitsWidth bits), p.sources)

  // The op and the key change only together with a sweep of all slots, so no state is read under another op.
  private val op = RegInit(Op.FORWARD())
  private val keyed = RegInit(False)

  // One reading is judged by one set of settings, however these change meanwhile.
  private val settings = Reg(UnitSettings(p))
  private val isDirty = RegInit(True)
  private val swept = Reg(UInt(keyBits bits)) init 0

  private val source = keyed ? io.command.source | B(0, 32 bits)
  private val key = Reg(UInt(keyBits bits))
  private val tag = Reg(Bits(32 - keyBits bits))
  private val slot = Reg(Slot())
  private val readData = slots.readSync(key)
  private val write = Reg(Flow(Slot()))
  private val writeKey = Reg(UInt(keyBits bits))
  write.valid.init(False)
  write.valid := False
  when(write.valid)(slots.write(writeKey, write.payload.asBits))

  private val magnitude = io.command.number.magnitude.intoSInt.resize(sumWidth)
  private val one = S(BigInt(1) << p.fractionBits, sumWidth bits)
  private val adder = new WideAdder(sumWidth)
  adder.io.a := 0
  adder.io.b := magnitude
  adder.io.subtract := io.command.number.negative
  private val value = Reg(SInt(sumWidth bits))
  private val first = Reg(SInt(sumWidth bits))

  private val seen = RegNext(slot.seen + 1)
  private val isFull = RegNext(seen >= settings.window)
  private val isTaken = RegNext(slot.isUsed && slot.tag =/= tag)

  private val quotient = new Quotient(p)
  private val summary = Reg(SInt(sumWidth bits))
  private val divisor = Reg(UInt(p.windowBits bits))
  quotient.io.start := False
  quotient.io.sum := summary
  quotient.io.divisor := divisor

  io.command.ready := False
  io.fate.valid := False
  io.fate.payload := Fate.PASS
  io.result.valid := False
  io.result.payload := quotient.io.result

  val flow = new StateMachine {
    val idle: State = new State with EntryPoint {
      whenIsActive {
        key := source(keyBits - 1 downto 0).asUInt
        tag := source(31 downto keyBits)
        settings := io.settings
        when(isDirty || op =/= io.settings.op || keyed =/= io.settings.keyed) {
          op := io.settings.op
          keyed := io.settings.keyed
          isDirty := False
          goto(sweep)
        } elsewhen (io.command.valid) {
          switch(io.command.instruction) {
            is(Instruction.NOP)(io.command.ready := True)
            is(Instruction.RESET) {
              io.command.ready := True
              isDirty := True
            }
            is(Instruction.CALC)(goto(read))
            is(Instruction.RESULT) {
              quotient.io.start := True
              goto(dividing)
            }
          }
        }
      }
    }
    val sweep: State = new State {
      whenIsActive {
        write.valid := True
        writeKey := swept
        write.isUsed := False
        write.seen := 0
        write.sum := 0
        swept := swept + 1
        when(swept.andR)(goto(idle))
      }
    }
    // The adder makes the value of sign and magnitude while the slot is read. A slot that is not used counts no readings and has the
    // sum 0, as the sweep wrote it, so nothing is cleared here.
    val read: State = new State { whenIsActive(goto(load)) }
    val load: State = new State {
      whenIsActive {
        slot.assignFromBits(readData)
        goto(keep)
      }
    }
    val keep: State = new State {
      whenIsActive {
        value := adder.io.result
        goto(compute)
      }
    }
    val compute: State = new State {
      whenIsActive {
        adder.io.subtract := op =/= Op.COUNTER && op =/= Op.AVERAGE
        adder.io.a := slot.sum
        adder.io.b := value
        switch(op) {
          is(Op.COUNTER)(adder.io.b := one)
          is(Op.MIN) {
            adder.io.a := value
            adder.io.b := slot.sum
          }
          is(Op.FILTER) {
            adder.io.a := value
            adder.io.b := settings.above.resized
          }
        }
        goto(compareBelow)
      }
    }
    val compareBelow: State = new State {
      whenIsActive {
        adder.io.subtract := True
        adder.io.a := settings.below.resized
        adder.io.b := value
        goto(settle)
      }
    }
    val settle: State = new State {
      whenIsActive {
        first := adder.io.result
        goto(decide)
      }
    }
    val decide: State = new State {
      whenIsActive {
        io.command.ready := True
        io.fate.valid := True
        val isFirst = slot.seen === 0
        val sum = op.mux(
          Op.MIN -> Mux(first.msb || isFirst, value, slot.sum),
          Op.MAX -> Mux(first.msb || isFirst, value, slot.sum),
          default -> first,
        )
        writeKey := key
        write.isUsed := True
        write.tag := tag
        write.seen := Mux(isFull, U(0), seen)
        write.sum := Mux(isFull && op =/= Op.COUNTER, S(0), sum)
        switch(op) {
          is(Op.FORWARD)(io.fate.payload := Fate.PASS)
          is(Op.FILTER)(io.fate.payload := Mux(first.msb || adder.io.result.msb, Fate.ABSORB(), Fate.PASS()))
          default {
            when(isTaken) {
              io.fate.payload := Fate.TAKEN
            } otherwise {
              write.valid := True
              io.fate.payload := Mux(isFull, Fate.COMPLETE(), Fate.ABSORB())
              summary := sum
              divisor := Mux(op === Op.AVERAGE, seen, U(1))
            }
          }
        }
        goto(idle)
      }
    }
    val dividing: State = new State {
      whenIsActive(when(quotient.io.done) {
        io.command.ready := True
        io.result.valid := True
        goto(idle)
      })
    }
  }
  flow.setEncoding(binaryOneHot)
}
