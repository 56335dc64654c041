package hivemind.fabric.dispatch

import spinal.core._
import spinal.lib._

/** Finds the workers of a function in the match table, chooses one, and gives the request a place in the in-flight table
  * (Speedo, section 3.1). What has no worker or no place goes to the slow path.
  *
  * One request in a frame; it is decided in the phase 0 two frames after it came.
  */
class Dispatcher(p: DispatchParameters) extends Component {
  val io = new Bundle {
    val phase = in(Schedule.phase())
    val sweep = in(Sweep(p))
    val balancer = in(Balancer())
    val host = slave(Flow(TableWrite()))
    val work = slave(Stream(Work(p)))
    val free = slave(Stream(Handle(p.slotBits, p.generationBits)))

    /** At phase 1; the place is taken for the in-flight table in the same cycle in which it goes to the worker's queue. */
    val insert = master(Flow(Dispatched(p)))
    val dispatched = master(Stream(Dispatched(p)))
    val refused = master(Stream(Refused(p)))
    val released = slave(Flow(UInt(p.workerBits bits)))
  }
  private val dispatchedQueue = StreamFifo(Dispatched(p), Dispatcher.queue)
  private val refusedQueue = StreamFifo(Refused(p), Dispatcher.queue)
  io.dispatched << dispatchedQueue.io.pop
  io.refused << refusedQueue.io.pop

  // Two requests are on their way at most, and a third is being pushed; both queues have room for all of them.
  private val hasRoom = RegNext(dispatchedQueue.io.availability > 3 && refusedQueue.io.availability > 3, init = False)
  io.work.ready := io.phase === 0 && hasRoom && !io.sweep.isActive

  // The request of this frame, and that of the frame before.
  private val first = RegNextWhen(io.work.payload, io.phase === 0)
  private val second = RegNextWhen(first, io.phase === 0)
  private val firstValid = RegNextWhen(io.work.fire, io.phase === 0) init False
  private val secondValid = RegNextWhen(firstValid, io.phase === 0) init False
  private val policy = RegNextWhen(io.balancer, io.phase === 0)

  // Phase 1: hash. Phase 2: read. Phase 4: compare. Phase 0: the row of the function.
  private val set = RegNext(Hash(first.function)(p.setBits - 1 downto 0).asUInt)
  private val isHost = io.host.valid && io.host.table === Table.MATCH
  private val hostRow = MatchRow(p)
  hostRow.function := io.host.data(31 downto 0)
  private val hostCount = io.host.data(32, 8 bits).asUInt
  hostRow.count := Mux(hostCount > p.workersPerFunction, U(p.workersPerFunction, p.countBits bits), hostCount.resize(p.countBits))
  for (n <- 0 until p.workersPerFunction) hostRow.members(n) := io.host.data(40 + 8 * n, p.workerBits bits).asUInt
  private val isSweeping = io.sweep.covers(p.sets)

  private case class Way(n: Int) {
    val isWritten: Bool = isHost && io.host.address(p.setBits) === Bool(n == 1)
    val rows: Mem[Bits] = Mem(Bits(MatchRow(p).getBitsWidth bits), p.sets).setName(s"rows$n")
    rows.write(
      Mux(isSweeping, io.sweep.row.resize(p.setBits), io.host.address.resize(p.setBits)),
      Mux(isSweeping, B(0, MatchRow(p).getBitsWidth bits), hostRow.asBits),
      isSweeping || isWritten,
    )
    val row: MatchRow = MatchRow(p)
    row.assignFromBits(RegNextWhen(rows.readSync(set, io.phase === 2), io.phase === 3))
    val hits: Bool = RegNext(row.count =/= 0 && row.function === first.function)

    // whose turn it is; the first one's after each change of the row
    val turns: Mem[UInt] = Mem(UInt(p.laneBits bits), p.sets).setName(s"turns$n")
    val turn: UInt = RegNextWhen(turns.readSync(set, io.phase === 2), io.phase === 3)
  }
  private val ways = Seq(Way(0), Way(1))
  private val isHit = RegNextWhen(ways.map(_.hits).reduce(_ || _), io.phase === 0) init False
  private val way = RegNextWhen(ways(1).hits, io.phase === 0)
  private val row = RegNextWhen(Mux(ways(1).hits, ways(1).row, ways(0).row), io.phase === 0)
  private val kept = RegNextWhen(Mux(ways(1).hits, ways(1).turn, ways(0).turn), io.phase === 0)
  private val rowSet = RegNextWhen(set, io.phase === 0)

  // Phase 1: whose turn it is now and next.
  private val turn = Mux(kept < row.count, kept, U(0, p.laneBits bits))
  private val next = Mux(turn +^ 1 === row.count, U(0, p.laneBits bits), turn + 1)
  private val advances = io.phase === 1 && secondValid && isHit && policy === Balancer.ROUND_ROBIN
  for (each <- ways) {
    val isHostWrite = each.isWritten
    each.turns.write(
      Mux(isHostWrite, io.host.address.resize(p.setBits), rowSet),
      Mux(isHostWrite, U(0, p.laneBits bits), next),
      isHostWrite || (advances && way === Bool(each.n == 1)),
    )
  }

  // Phases 1 to 3: the choice by chance or by key: 16 random bits, as a fraction of the number of workers.
  private val lfsr = Reg(Bits(16 bits)) init 1
  lfsr := lfsr(14 downto 0) ## (lfsr(15) ^ lfsr(14) ^ lfsr(12) ^ lfsr(3))
  private val draw = RegNext(Mux(policy === Balancer.KEY_HASH, Hash(second.key), lfsr).asUInt)
  private val products = (0 until p.countBits).map(n => (draw << n).andMask(row.count(n)).resize(16 + p.countBits))
  private val parts = products.grouped(2).map(part => RegNext(part.reduce(_ + _))).toSeq
  private val drawn = RegNextWhen((parts.reduce(_ + _) >> 16).resize(p.laneBits), io.phase === 3)

  // Phase 3: halves of the workers, each by its least loaded. Phase 4: which worker of the row. Phase 0: the worker.
  private val loads = new Loads(p)
  loads.io.phase := io.phase
  loads.io.sweep := io.sweep
  loads.io.members := row.members
  loads.io.released << io.released
  private case class Candidate() extends Bundle {
    val isMember = Bool()
    val load = UInt(p.loadBits bits)
    val lane = UInt(p.laneBits bits)
  }
  private def better(a: Candidate, b: Candidate): Candidate = Mux(b.isMember && b.load < a.load, b, a)
  private val candidates = for (n <- 0 until p.workersPerFunction) yield {
    val candidate = Candidate()
    candidate.isMember := row.count > n
    candidate.load := loads.io.loads(n)
    candidate.lane := n
    candidate
  }
  private val halves = candidates.grouped(p.workersPerFunction / 2).map(_.reduceBalancedTree(better(_, _))).map(RegNext(_)).toSeq
  private val lane = RegNext(
    policy.mux(
      Balancer.ROUND_ROBIN -> turn,
      Balancer.LEAST_LOADED -> halves.reduceLeft(better).lane,
      default -> drawn,
    )
  )
  private val worker = row.members(lane)

  private val isDecided = io.phase === 0 && secondValid
  private val isDispatched = isDecided && isHit && io.free.valid
  io.free.ready := isDispatched
  loads.io.taken.valid := isDispatched
  loads.io.taken.payload := lane
  loads.io.takenWorker := worker

  private val result = Reg(Dispatched(p))
  private val reason = Reg(Reason())
  private val goes = RegNext(isDispatched, init = False)
  private val stays = RegNext(isDecided && !isDispatched, init = False)
  when(io.phase === 0) {
    result.work := second
    result.tag := io.free.payload
    result.worker := worker
    reason := isHit.mux(True -> Reason.TABLE_FULL(), False -> Reason.NO_WORKER())
  }
  io.insert.valid := goes
  io.insert.payload := result
  dispatchedQueue.io.push.valid := goes
  dispatchedQueue.io.push.payload := result
  refusedQueue.io.push.valid := stays
  refusedQueue.io.push.work := result.work
  refusedQueue.io.push.reason := reason
}

object Dispatcher {
  private val queue = 8
}
