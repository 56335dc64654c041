package hivemind.fabric.distil

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import spinal.lib.bus.amba4.axis.Axi4Stream.Axi4StreamBundle
import spinal.lib.fsm._

/** What the engine has done since its reset. Counters wrap. */
case class DistilCounters() extends Bundle {
  val frames, absorbed, summaries = UInt(32 bits)

  /** Candidates that went on unchanged: no number in the payload, a number that fixed point does not hold, a state held by
    * another source.
    */
  val withoutNumber, outOfRange, sourceTaken = UInt(32 bits)
}

/** The function controller of InLocus (section IV) between two AXI-Streams of Ethernet frames.
  *
  * Messages for the function unit are absorbed, and a summary takes the place of the one that completes its window. All
  * other frames pass through untouched and in order; so does every message the unit cannot answer exactly, for the next hop
  * to compute.
  */
class Distil(val p: DistilParameters) extends Component {
  val io = new Bundle {
    val input = slave(Axi4Stream(p.stream))
    val output = master(Axi4Stream(p.stream))
    val settings = in(UnitSettings(p))

    /** Clears all states while it is high. */
    val reset = in Bool ()
    val counters = out(DistilCounters())
  }

  private val classifier = new Classifier(p)
  private val extractor = new Extractor(p)
  private val unit = new FunctionUnit(p)
  private val builder = new SummaryBuilder(p)
  private val egress = new Egress(p)

  private val buffer = StreamFifo(Axi4StreamBundle(p.stream), p.bufferBytes / p.widthBytes)
  private val Seq(toClassifier, toBuffer) = StreamFork(io.input, 2).toSeq
  classifier.io.input << toClassifier
  buffer.io.push << toBuffer
  egress.io.frames << buffer.io.pop.m2sPipe()
  egress.io.summaries << builder.io.output
  io.output << egress.io.output.s2mPipe().m2sPipe()

  // A frame keeps its slot until its descriptor leaves this queue; one slot is being filled.
  private val frames = classifier.io.frames.queue(p.slots - 1)
  private val verdict = Stream(Verdict())
  egress.io.verdicts << verdict.queue(16)

  unit.io.settings := io.settings
  extractor.io.frame := frames.payload
  extractor.io.start := False
  extractor.io.readData := classifier.io.readData
  builder.io.readData := classifier.io.readData
  builder.io.slot := frames.slot
  builder.io.payload := extractor.io.result.payload
  private val summary = Reg(Bits(64 bits))
  builder.io.value := summary
  builder.io.start := False
  private val isBuilding = False
  classifier.io.readAddress := Mux(isBuilding, builder.io.readAddress, extractor.io.readAddress)

  unit.io.command.valid := False
  unit.io.command.instruction := Instruction.NOP
  unit.io.command.source := frames.source
  unit.io.command.number := extractor.io.result.number

  verdict.valid := False
  verdict.payload := Verdict.PASS
  frames.ready := False

  private val counters = Reg(DistilCounters())
  counters.flatten.foreach { case counter: UInt => counter.init(0) }
  io.counters := counters
  private def count(counter: UInt): Unit = counter := counter + 1
  private val fate = Reg(Fate())

  val flow = new StateMachine {
    val idle: State = new State with EntryPoint {
      whenIsActive {
        when(io.reset) {
          unit.io.command.valid := True
          unit.io.command.instruction := Instruction.RESET
        } elsewhen (frames.valid) {
          when(frames.candidate) {
            extractor.io.start := True
            goto(extract)
          } otherwise goto(pass)
        }
      }
    }
    val extract: State = new State {
      whenIsActive(when(extractor.io.done) {
        when(extractor.io.result.found)(goto(calculate)) otherwise {
          when(extractor.io.result.isOutOfRange)(count(counters.outOfRange)) otherwise count(counters.withoutNumber)
          goto(pass)
        }
      })
    }
    val calculate: State = new State {
      whenIsActive {
        unit.io.command.valid := True
        unit.io.command.instruction := Instruction.CALC
        fate := unit.io.fate.payload
        when(unit.io.fate.valid)(goto(judge))
      }
    }
    val judge: State = new State {
      whenIsActive {
        switch(fate) {
          is(Fate.PASS)(goto(pass))
          is(Fate.TAKEN) {
            count(counters.sourceTaken)
            goto(pass)
          }
          is(Fate.ABSORB) {
            count(counters.absorbed)
            goto(drop)
          }
          is(Fate.COMPLETE) {
            count(counters.summaries)
            goto(divide)
          }
        }
      }
    }
    val divide: State = new State {
      whenIsActive {
        unit.io.command.valid := True
        unit.io.command.instruction := Instruction.RESULT
        when(unit.io.result.valid) {
          summary := unit.io.result.payload
          goto(announce)
        }
      }
    }
    val announce: State = new State {
      whenIsActive {
        verdict.valid := True
        verdict.payload := Verdict.REPLACE
        when(verdict.ready)(goto(summarise))
      }
    }
    val summarise: State = new State {
      onEntry(builder.io.start := True)
      whenIsActive {
        isBuilding := True
        when(builder.io.done)(goto(end))
      }
    }
    val pass: State = new State {
      whenIsActive {
        verdict.valid := True
        when(verdict.ready)(goto(end))
      }
    }
    val drop: State = new State {
      whenIsActive {
        verdict.valid := True
        verdict.payload := Verdict.DROP
        when(verdict.ready)(goto(end))
      }
    }
    val end: State = new State {
      whenIsActive {
        frames.ready := True
        count(counters.frames)
        goto(idle)
      }
    }
  }
}
