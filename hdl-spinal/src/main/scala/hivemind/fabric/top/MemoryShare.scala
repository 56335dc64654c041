package hivemind.fabric.top

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.{Axi4, Axi4Config}

/** Two masters on one memory that answers in order. A burst of one and a burst of the other come in turn; answers go to who asked.
  * The masters may have narrower addresses than the memory.
  */
class MemoryShare(masters: Seq[Axi4Config], config: Axi4Config) extends Component {
  require(masters.forall(_.dataWidth == config.dataWidth), s"every master must have words of ${config.dataWidth} bits")
  require(masters.forall(_.addressWidth <= config.addressWidth), s"no master may have addresses of more than ${config.addressWidth} bits")
  val io = new Bundle {
    val masters = Vec(MemoryShare.this.masters.map(each => slave(Axi4(each))))
    val memory = master(Axi4(config))
  }
  private val owner = HardType(UInt(log2Up(masters.size) bits))

  /** Takes requests in turn. Who asked waits in a queue from before the request leaves. */
  private def arbitrate[T <: Data](requests: Seq[Stream[T]], owners: Int): (Stream[T], Seq[Stream[UInt]]) = {
    val arbiter = StreamArbiterFactory().roundRobin.transactionLock.buildOn(requests)
    val forks = StreamFork(arbiter.io.output.map(request => request), 1 + owners, synchronous = true)
    val queues = for (fork <- forks.tail) yield fork.translateWith(arbiter.io.chosen.resize(owner().getWidth)).queue(MemoryShare.bursts)
    (forks.head.m2sPipe(), queues.toSeq)
  }

  private val reads = io.masters.map { each =>
    each.ar.translateWith {
      val ar = cloneOf(io.memory.ar.payload)
      ar.addr := each.ar.addr.resized
      ar.len := each.ar.len
      ar.size := each.ar.size
      ar.burst := each.ar.burst
      ar
    }
  }
  private val readers, writers, answered = Stream(owner())
  private val (ar, readOwners) = arbitrate(reads.toSeq, 1)
  io.memory.ar << ar
  readers << readOwners.head
  private val r = io.memory.r
  for ((each, n) <- io.masters.zipWithIndex) {
    each.r.valid := r.valid && readers.valid && readers.payload === n
    each.r.payload := r.payload
  }
  r.ready := readers.valid && Vec(io.masters.map(_.r.ready))(readers.payload)
  readers.ready := r.fire && r.last

  private val writes = io.masters.map { each =>
    each.aw.translateWith {
      val aw = cloneOf(io.memory.aw.payload)
      aw.addr := each.aw.addr.resized
      aw.len := each.aw.len
      aw.size := each.aw.size
      aw.burst := each.aw.burst
      aw
    }
  }
  private val (aw, writeOwners) = arbitrate(writes.toSeq, 2)
  io.memory.aw << aw
  writers << writeOwners(0)
  answered << writeOwners(1)
  io.memory.w.valid := writers.valid && Vec(io.masters.map(_.w.valid))(writers.payload)
  io.memory.w.payload := Vec(io.masters.map(_.w.payload))(writers.payload)
  for ((each, n) <- io.masters.zipWithIndex) {
    each.w.ready := io.memory.w.ready && writers.valid && writers.payload === n
    each.b.valid := io.memory.b.valid && answered.valid && answered.payload === n
    each.b.payload := io.memory.b.payload
  }
  writers.ready := io.memory.w.fire && io.memory.w.last
  io.memory.b.ready := answered.valid && Vec(io.masters.map(_.b.ready))(answered.payload)
  answered.ready := io.memory.b.fire
}

object MemoryShare {

  /** Bursts of each kind that the memory may owe an answer. */
  val bursts: Int = 16
}
