package hivemind.fabric.rpc

import hivemind.fabric.net.Datagrams
import spinal.core.sim._

import scala.collection.mutable

/** What the settings do: the flow of each request, and the bursts of each ring. Each throws where the engine differs. */
object SettingScenarios {
  import RpcHarness.At

  /** The flow of each request, while no host consumes; and that a change of the scheme or of the flows divides them into those before
    * it and those after it.
    */
  def steering(dut: RpcEngine, p: RpcParameters, seed: Int, phases: Int = 8): Unit = {
    val bench = new RpcBench(dut, p, seed)
    import bench._
    for (ring <- host.rx) ring.place(7)
    board.write(At.Batch, 4)
    board.write(At.Flush, 10)
    val balance = new RpcReference.Balance(p, peers.toMap)
    var (scheme, flows) = (0, Set(0))
    var id = 0
    for (phase <- 0 until phases) {
      val (nextScheme, nextFlows) = ((phase + seed) % 4, someFlows)
      val calls = Seq.fill(if (phase == 0) 1 else 24) {
        id += 1
        RpcReference.arrival(random, id, peers.toMap, p, share = 1)
      }
      def change(): Unit = if (phase % 2 == 0) board.write(At.Balance, nextScheme) else active(nextFlows)
      if (phase == 0) active(flows)
      val sender = fork(calls.foreach(each => board.send(each.frame)))
      board.clock.waitSampling(random.nextInt(24 * 7))
      change()
      sender.join()
      until("lines")(board.counter("received") == id)
      until("memory")(board.read(At.Busy) == 0)
      val (wasScheme, wasFlows) = (scheme, flows)
      if (phase % 2 == 0) scheme = nextScheme else flows = nextFlows
      // loads and turn of the engine, as they were
      val (turn, loads) = (balance.turn, balance.loads.clone)
      def foretold(split: Int): Seq[Int] = {
        balance.turn = turn
        loads.copyToArray(balance.loads)
        calls.zipWithIndex.map { case (each, n) => if (n < split) balance(each.call, wasScheme, wasFlows) else balance(each.call, scheme, flows) }
      }
      // which flow each went to, read from memory without consuming
      val went = mutable.Map[Int, Int]()
      for (ring <- host.rx) {
        ring.refresh()
        for (n <- 0 until Math.floorMod(ring.engine - ring.own, 2 * p.maxRing)) {
          val at = ring.at(ring.own + n).toInt
          went(Call.id(board.memory.bytes.slice(at, at + 64).toSeq)) = ring.flow
        }
      }
      val got = calls.map(each => went(each.call.id))
      val split = (0 to calls.size).find(foretold(_) == got)
      assert(split.isDefined, s"seed $seed, phase $phase: $got from scheme $wasScheme among $wasFlows to $scheme among $flows")
      foretold(split.get)
      // some hosts consume a part
      for (flow <- 0 until p.flows if random.nextBoolean() || host.rx(flow).size < 80 + balance.loads(flow)) {
        val count = if (balance.loads(flow) > 40) balance.loads(flow) else random.nextInt(balance.loads(flow) + 1)
        val had = host.received(flow).size
        host.consume(flow, count)
        balance.loads(flow) -= host.received(flow).size - had
      }
    }
    same("dropped", board.counter("ringFull"), 0L)
  }

  /** Batches are as large as the register says, but for those that end with the ring or a page, and for those that have waited. */
  def batches(dut: RpcEngine, p: RpcParameters, seed: Int): Unit = {
    val bench = new RpcBench(dut, p, seed, isCalm = true)
    import bench._
    val flow = random.nextInt(p.flows)
    var id = 0
    def send(count: Int): Unit = for (_ <- 0 until count) {
      id += 1
      val number = peers.keys.toSeq.sorted.apply(id % peers.size)
      board.send(Datagrams.frame(peers(number).peer, RpcHarness.fabric, Call(number, id).line))
    }
    host.rx(flow).place(7)
    host.tx(flow).place(7)
    active(Set(flow))
    board.write(At.Balance, 0)
    board.write(At.Flush, 60000)

    /** The bursts of lines from an index on. */
    def bursts(index: Int, count: Int, batch: Int): Seq[(Int, Int)] =
      if (count == 0) Seq()
      else {
        val lines = math.min(math.min(count, batch), 64 - index % 64)
        (index % 128, lines) +: bursts(index + lines, count - lines, batch)
      }
    def taken(from: mutable.ArrayBuffer[Burst], ring: Long): Seq[(Int, Int)] = {
      val all = from.map(burst => (((burst.address - ring) / 64).toInt, burst.lines)).toSeq
      from.clear()
      all
    }
    var index = 0
    for (_ <- 0 until 40) {
      val batch = 1 + random.nextInt(p.maxBatch)
      board.write(At.Batch, batch)
      send(batch)
      until("a batch")(board.counter("received") == id && board.read(At.Busy) == 0)
      same(s"bursts of $batch lines at $index", taken(board.writes, host.rx(flow).address), bursts(index, batch, batch))
      index += batch
      host.consume(flow)
      val lines = 1 + random.nextInt(3 * p.maxBatch)
      val start = host.tx(flow).own
      host.room(flow)
      host.produce(flow, Seq.tabulate(lines)(n => Call(peers.keys.head, 5000 + n).line))
      until("a transmit batch")(board.read(At.Busy) == 0)
      same(s"bursts of $lines lines by $batch from $start", taken(board.reads, host.tx(flow).address), bursts(start % 128, lines, batch))
    }
    // a batch that is not full is written after one to two times FLUSH
    val slack = 60
    for (flush <- Seq(200, 1000)) {
      board.write(At.Batch, 8)
      board.write(At.Flush, flush)
      clock(70000)
      send(3)
      val sent = board.now
      until("the flush")(board.counter("received") == id && board.read(At.Busy) == 0)
      val waited = board.writes.map(_.cycle - sent)
      assert(waited.forall(cycles => cycles >= flush - slack && cycles <= 2 * flush + slack), s"seed $seed: $waited cycles for $flush")
      same("lines of the flush", board.writes.map(_.lines).sum, 3)
      board.writes.clear()
      host.consume(flow)
    }
    // what waits is written when the batch becomes smaller, or the flow is not active any more
    board.write(At.Flush, 60000)
    clock(2000)
    send(3)
    clock(1000)
    same("nothing", board.writes.size, 0)
    board.write(At.Batch, 2)
    clock(300)
    same("a smaller batch", board.writes.map(_.lines).sum, 2)
    active(Set())
    until("the rest")(board.read(At.Busy) == 0)
    same("the rest", board.writes.map(_.lines).sum, 3)
  }
}
