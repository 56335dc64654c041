package hivemind.fabric.rpc

import hivemind.fabric.dispatch.Hash
import spinal.core._
import spinal.lib._

/** What a balancer knows of the receive rings; bit n is for flow n. */
case class RingStates(p: RpcParameters) extends Bundle {
  val isOpen, isUsable, isFull = Bits(p.flows bits)
  val loads = Vec.fill(p.flows)(UInt(p.indexBits bits))
}

/** Why a line does not reach a ring. */
case class BalancerEvents() extends Bundle {
  val malformed, unknownConnection, withoutFlow, ringFull = Bool()
}

/** Gives each line a flow, and moves it into the stage of that flow; or drops it, when it is no sound RPC of a known connection, no flow
  * is active, or the ring of its flow is full. Lines keep their order. A response goes to the flow of its connection, a request to
  * the one that the scheme names.
  */
class Balancer(p: RpcParameters) extends Component {
  val io = new Bundle {
    val scheme = in(Scheme())
    val lines = slave(Stream(Connections.Row(p, HardType(LineHead()))))
    val words = slave(Stream(Bits(p.widthBytes * 8 bits)))
    val rings = in(RingStates(p))

    /** A line asks for a place in the ring of this flow, gets it in the stage, and is there. */
    val ask = out Bool ()
    val asked = out UInt (p.flowBits bits)
    val isGranted = in Bool ()
    val slot = in UInt (p.stageBits bits)
    val publish = out Bool ()
    val stage = master(Flow(StageWrite(p)))
    val events = out(BalancerEvents())
  }

  /** A line with what its flow depends on. */
  private case class Judged() extends Bundle {
    val isSound, isKnown, isResponse = Bool()
    val own, hashed = UInt(p.flowBits bits)
  }
  private val line = io.lines
    .map { row =>
      val judged = Judged()
      val (head, connection) = (row.asked, row.connection)
      judged.isSound := head.isSound
      judged.isKnown := connection.isUsed && connection.address === head.address && connection.port === head.port &&
        (head.connection >> p.connectionBits) === 0
      judged.isResponse := head.isResponse
      judged.own := connection.flow
      judged.hashed := Hash(head.key).asUInt.resize(p.flowBits)
      judged
    }
    .m2sPipe()

  // The least loaded flow: pairs are compared in the first stage, the rest in the second.
  private case class Candidate() extends Bundle {
    /** Its highest bit says that the flow takes no lines. */
    val load = UInt(p.indexBits + 1 bits)
    val flow = UInt(p.flowBits bits)
  }
  private def lighter(one: Candidate, other: Candidate): Candidate = Mux(other.load < one.load, other, one)
  private val candidates = for (n <- 0 until p.flows) yield {
    val candidate = Candidate()
    candidate.load := (!io.rings.isUsable(n)).asUInt @@ io.rings.loads(n)
    candidate.flow := n
    candidate
  }
  private val pairs = candidates.grouped(2).map(pair => RegNext(lighter(pair(0), pair(1)))).toSeq
  private val leastLoaded = RegNext(pairs.reduceBalancedTree(lighter(_, _))).flow

  /** The flows that `leastLoaded` is of: a choice is by one set of them, and is made anew when its flow takes no lines any more. */
  private val usable = Delay(io.rings.isUsable, 2)

  private object Phase extends SpinalEnum {
    val CHOOSE, ASK, MOVE, DROP = newElement()
  }
  private val phase = RegInit(Phase.CHOOSE)
  private val target = Reg(Bits(p.flows bits))
  private val turn = Reg(UInt(p.flowBits bits)) init 0
  private val flow = Reg(UInt(p.flowBits bits))
  private val slot = Reg(UInt(p.stageBits bits))
  private val word = Reg(UInt(p.wordBits bits)) init 0

  private val named = UInt(p.flowBits bits)
  named := line.own
  when(!line.isResponse) {
    switch(io.scheme) {
      is(Scheme.ROUND_ROBIN)(named := turn)
      is(Scheme.LEAST_LOADED)(named := leastLoaded)
      is(Scheme.KEY_HASH)(named := line.hashed)
      is(Scheme.CONNECTION)(named := line.own)
    }
  }
  io.events.assignFromBits(B(0, widthOf(BalancerEvents()) bits))
  io.ask := phase === Phase.ASK
  io.asked := flow
  io.publish := False
  io.words.ready := False
  line.ready := False

  private val chosen = OHMasking.roundRobin(usable, UIntToOh(named, p.flows))
  private val isTargetUsable = (target & io.rings.isUsable).orR
  private val isTargetFull = (target & io.rings.isFull).orR
  switch(phase) {
    is(Phase.CHOOSE) {
      target := chosen
      flow := OHToUInt(chosen)
      when(line.valid) {
        when(!line.isSound) {
          io.events.malformed := True
          phase := Phase.DROP
        } elsewhen (!line.isKnown) {
          io.events.unknownConnection := True
          phase := Phase.DROP
        } elsewhen (!io.rings.isOpen.orR) {
          io.events.withoutFlow := True
          phase := Phase.DROP
        } elsewhen (usable.orR) {
          phase := Phase.ASK
        }
      }
    }
    is(Phase.ASK) {
      slot := io.slot
      when(!isTargetUsable) {
        phase := Phase.CHOOSE
      } elsewhen (isTargetFull) {
        io.events.ringFull := True
        phase := Phase.DROP
      } elsewhen (io.isGranted) {
        phase := Phase.MOVE
      }
      when(isTargetUsable && !line.isResponse && (isTargetFull || io.isGranted))(turn := flow + 1)
    }
    is(Phase.MOVE) {
      io.words.ready := True
      when(io.words.valid && word.andR)(io.publish := True)
    }
    is(Phase.DROP)(io.words.ready := True)
  }
  when(io.words.fire) {
    word := word + 1
    when(word.andR) {
      line.ready := True
      phase := Phase.CHOOSE
    }
  }
  io.stage.valid := phase === Phase.MOVE && io.words.valid
  io.stage.flow := flow
  io.stage.slot := slot
  io.stage.word := word
  io.stage.data := io.words.payload
}
