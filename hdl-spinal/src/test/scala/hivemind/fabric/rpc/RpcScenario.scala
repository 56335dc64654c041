package hivemind.fabric.rpc

import hivemind.fabric.net.Frames.Frame
import hivemind.fabric.net.{Datagrams, Host}
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** Random traffic held against [[RpcReference]]. Each throws where the engine differs. */
object RpcScenario {
  import RpcHarness.At

  /** An engine with connections. */
  private class Bench(dut: RpcEngine, p: RpcParameters, seed: Int, isCalm: Boolean = false, isBroken: Long => Boolean = _ => false) {
    val random = new Random(seed)
    private val (gap, stall) = if (isCalm) (0.0, 0.0) else (Seq(0.0, 0.3)(seed % 2), Seq(0.0, 0.3, 0.7)(seed % 3))
    val board = new RpcHarness(dut, p, random, gap, stall, if (isCalm) (4, 5) else Seq((0, 1), (5, 60), (0, 30))(seed / 2 % 3), isBroken)
    val host = new RpcHost(board)
    val peers: mutable.Map[Int, Peering] = mutable.Map()
    for (number <- random.shuffle((0 until p.connections).toList).take(6)) {
      val peer = Host(0x020000000000L + random.nextInt(1 << 30), random.nextInt(), random.nextInt(65536))
      connect(number, Peering(peer, random.nextInt(p.flows)))
    }
    def connect(number: Int, peering: Peering): Unit = {
      assert(board.connect(number, peering.peer, peering.flow) == 0)
      peers(number) = peering
    }
    def active(flows: Set[Int]): Unit = board.write(At.Active, flows.map(1L << _).sum)
    def someFlows: Set[Int] = {
      val flows = (0 until p.flows).filter(_ => random.nextBoolean()).toSet
      if (flows.isEmpty) Set(random.nextInt(p.flows)) else flows
    }
    def same(what: String, got: Any, expected: Any): Unit = assert(got == expected, s"seed $seed, $what: $got instead of $expected")
    def until(what: String)(isDone: => Boolean): Unit = {
      val deadline = board.now + 15000
      while (!isDone) assert(board.now < deadline, s"seed $seed: waited in vain for $what")
    }

    /** Lines of each flow are in the order in which they came, each unchanged and at most once. */
    def checkReceived(arrivals: Seq[Arrival]): Map[Int, Int] = {
      val places = arrivals.filter(_.outcome == "ring").map(_.call).zipWithIndex.map { case (call, n) => call.id -> (n, call) }.toMap
      val flows = mutable.Map[Int, Int]()
      for ((lines, flow) <- host.received.zipWithIndex) {
        var latest = -1
        for (line <- lines) {
          val id = Call.id(line)
          assert(places.contains(id) && line == places(id)._2.line, s"seed $seed: flow $flow has a line that was not sent: $line")
          assert(places(id)._1 > latest, s"seed $seed: line $id is out of order in flow $flow")
          assert(!flows.contains(id), s"seed $seed: line $id came twice")
          latest = places(id)._1
          flows(id) = flow
        }
      }
      flows.toMap
    }

    /** Frames that left are those of the lines of each flow, in their order. */
    def checkSent(produced: Seq[(Int, Call)], expected: Map[Int, Frame]): Unit = {
      val flowOf = produced.map { case (flow, call) => call.id -> flow }.toMap
      val left = board.out.groupBy(frame => flowOf.getOrElse(Call.id(frame.drop(42)), -1))
      for (flow <- -1 until p.flows) {
        val due = produced.collect { case (`flow`, call) if expected.contains(call.id) => expected(call.id) }
        val got = left.getOrElse(flow, Seq()).toSeq
        assert(got == due, s"seed $seed: flow $flow sent ${got.size} frames, ${due.size} are due, or they differ")
      }
    }
  }

  /** A line for a transmit ring, and the frame that it becomes, if any. */
  private def outgoing(random: Random, id: Int, peers: collection.Map[Int, Peering], p: RpcParameters): (Call, Option[Frame]) = {
    val numbers = peers.keys.toSeq.sorted
    val call = Call(numbers(random.nextInt(numbers.size)), id, random.nextInt(), 1 + random.nextInt(2), length = random.nextInt(49), filler = random.nextInt().toByte)
    random.nextInt(14) match {
      case 0 => (call.copy(connection = (0 until p.connections).filterNot(numbers.contains).head), None)
      case 1 => (call.copy(connection = call.connection + 16 * p.connections), None)
      case 2 => (call.copy(version = 0), None)
      case 3 => (call.copy(kind = 3), None)
      case 4 => (call.copy(length = 49), None)
      case _ => (call, Some(RpcReference.frame(call, peers.toMap)))
    }
  }

  /** Both directions with settings that stay: every line arrives where it must, or is counted. */
  def traffic(dut: RpcEngine, p: RpcParameters, seed: Int, frames: Int = 150): Unit = {
    val bench = new Bench(dut, p, seed)
    import bench._
    val isSlow = seed % 4 == 3
    for (ring <- host.rx) ring.place(if (isSlow) 3 + random.nextInt(2) else 3 + random.nextInt(5))
    for (ring <- host.tx) ring.place(3 + random.nextInt(5))
    val scheme = random.nextInt(4)
    val flows = someFlows
    active(flows)
    board.write(At.Balance, scheme)
    board.write(At.Batch, Seq(0, 1, 2, 3, 5, 8, 200)(random.nextInt(7)))
    board.write(At.Flush, random.nextInt(100))
    val arrivals = Seq.tabulate(frames)(n => RpcReference.arrival(random, n, peers.toMap, p))
    val sound = arrivals.count(_.outcome == "ring")
    val sender = fork {
      for (arrival <- arrivals) {
        // a host that keeps up loses nothing: no more lines are under way than the smallest ring holds
        if (!isSlow) waitUntil(arrivals.takeWhile(_ ne arrival).count(_.outcome == "ring") - host.total < 8)
        board.send(arrival.frame, arrival.hole)
      }
    }
    val produced = mutable.ArrayBuffer[(Int, Call)]()
    val due = mutable.Map[Int, Frame]()
    var left = frames
    while (left > 0) {
      assert(board.now < 150000, s"seed $seed: lines stay in the transmit rings")
      val flow = random.nextInt(p.flows)
      if (!isSlow || random.nextInt(6) == 0) host.consume(flow, 1 + random.nextInt(9))
      if (random.nextBoolean()) {
        val count = math.min(math.min(left, 1 + random.nextInt(9)), host.room(flow))
        val lines = Seq.tabulate(count)(n => outgoing(random, 100000 + left - n, peers, p))
        for ((call, frame) <- lines) {
          produced += flow -> call
          frame.foreach(due(call.id) = _)
        }
        if (count > 0) host.produce(flow, lines.map(_._1.line))
        left -= count
      }
    }
    def dropped: Long = board.counter("ringFull")
    until("lines") { host.consumeAll(); sender.done && host.total + dropped == sound && arrivals.size - sound == board.counter("malformed") + board.counter("unknownConnection") }
    until("frames")(board.counter("sent") + board.counter("refused") == frames)
    clock(200)
    host.consumeAll()
    val placed = checkReceived(arrivals)
    checkSent(produced.toSeq, due.toMap)
    same("lines", placed.size.toLong, sound - dropped)
    if (!isSlow) same("dropped", dropped, 0L)
    for (name <- Seq("malformed", "unknownConnection")) same(name, board.counter(name), arrivals.count(_.outcome == name).toLong)
    same("received", board.counter("received"), placed.size.toLong)
    same("refused", board.counter("refused"), (frames - due.size).toLong)
    for (name <- Seq("withoutFlow", "memoryErrors", "badDoorbells")) same(name, board.counter(name), 0L)
    same("busy", board.read(At.Busy), 0L)
    // what does not depend on the time is foretold
    val balance = new RpcReference.Balance(p, peers.toMap)
    for (call <- arrivals.filter(_.outcome == "ring").map(_.call)) {
      val flow = balance(call, scheme, flows)
      if (scheme != 1 || call.kind == 2) for (got <- placed.get(call.id)) same(s"flow of $call by scheme $scheme among $flows", got, flow)
    }
    val limit = math.max(1, math.min(p.maxBatch, board.read(At.Batch).toInt))
    for (burst <- board.writes ++ board.reads) assert(burst.lines <= limit, s"seed $seed: a batch of ${burst.lines} where $limit is the most")
  }

  private def clock(cycles: Int): Unit = sleep(10L * cycles)

  /** Every soft register changes under traffic, and nothing is lost, doubled or out of order. */
  def changes(dut: RpcEngine, p: RpcParameters, seed: Int, frames: Int = 250): Unit = {
    val bench = new Bench(dut, p, seed)
    import bench._
    for (ring <- host.rx ++ host.tx) ring.place(4 + random.nextInt(4))
    var flows = someFlows
    active(flows)
    board.write(At.Flush, 20)
    val arrivals = mutable.ArrayBuffer[Arrival]()
    var isOver = false
    val sender = fork {
      while (!isOver) {
        // as many as the smallest ring holds: none may be dropped
        waitUntil(isOver || arrivals.count(_.outcome == "ring") - host.total < 16)
        if (!isOver) {
          arrivals += RpcReference.arrival(random, arrivals.size, peers.toMap, p, share = 0.95)
          board.send(arrivals.last.frame, arrivals.last.hole)
        }
      }
    }
    val produced = mutable.ArrayBuffer[(Int, Call)]()
    val due = mutable.Map[Int, Frame]()
    def work(except: Int = -1): Unit = {
      val flow = random.nextInt(p.flows)
      host.consume(flow, 1 + random.nextInt(12))
      if (flow != except && random.nextInt(3) > 0) {
        val count = math.min(1 + random.nextInt(9), host.room(flow))
        val lines = Seq.tabulate(count)(n => outgoing(random, 100000 + produced.size + n, peers, p))
        for ((call, frame) <- lines) {
          produced += flow -> call
          frame.foreach(due(call.id) = _)
        }
        if (count > 0) host.produce(flow, lines.map(_._1.line))
      }
    }
    var done = 0
    // each kind of change as often as the others
    while (arrivals.size < frames || done < 14) for (kind <- random.shuffle((0 until 7).toList)) {
      for (_ <- 0 until random.nextInt(4)) work()
      done += 1
      kind match {
        case 0 => board.write(At.Batch, 1 + random.nextInt(p.maxBatch))
        case 1 => board.write(At.Flush, random.nextInt(60))
        case 2 => board.write(At.Balance, random.nextInt(4))
        case 3 =>
          flows = someFlows
          active(flows)
        case 4 =>
          val flow = random.nextInt(p.flows)
          host.rx(flow).place(4 + random.nextInt(4), work())
        case 5 =>
          val flow = random.nextInt(p.flows)
          host.tx(flow).place(4 + random.nextInt(4), work(except = flow))
        case 6 =>
          val number = peers.keys.toSeq.sorted.apply(random.nextInt(peers.size))
          connect(number, peers(number).copy(flow = random.nextInt(p.flows)))
      }
    }
    isOver = true
    sender.join()
    val sound = arrivals.count(_.outcome == "ring")
    until("lines") { host.consumeAll(); host.total >= sound }
    until("frames")(board.counter("sent") + board.counter("refused") == produced.size)
    clock(300)
    host.consumeAll()
    same("lines", checkReceived(arrivals.toSeq).size, sound)
    checkSent(produced.toSeq, due.toMap)
    for (name <- Seq("ringFull", "withoutFlow", "memoryErrors", "badDoorbells")) same(name, board.counter(name), 0L)
  }

  /** The flow of each request, while no host consumes; and that a change of the scheme or of the flows divides them into those before
    * it and those after it.
    */
  def steering(dut: RpcEngine, p: RpcParameters, seed: Int, phases: Int = 8): Unit = {
    val bench = new Bench(dut, p, seed)
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
    val bench = new Bench(dut, p, seed, isCalm = true)
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

  /** Full rings, indices that cannot be, commands that are refused, and flows that are not there. */
  def limits(dut: RpcEngine, p: RpcParameters, seed: Int): Unit = {
    val bench = new Bench(dut, p, seed)
    import bench._
    val modulo = 2 * p.maxRing
    val number = peers.keys.head
    var id = 0
    def send(count: Int): Unit = for (_ <- 0 until count) {
      id += 1
      board.send(Datagrams.frame(peers(number).peer, RpcHarness.fabric, Call(number, id).line))
    }
    def settle(): Unit = {
      clock(400)
      until("rings")((board.read(At.Busy) & 0xffff) == 0)
    }
    // no flow, and a flow without a ring
    board.write(At.Flush, 5)
    send(2)
    active(Set(1))
    send(1)
    settle()
    same("withoutFlow", board.counter("withoutFlow"), 3L)
    board.ring(1, isTransmit = true, 1)
    board.ring(1, isTransmit = false, 1)
    clock(20)
    same("badDoorbells", board.counter("badDoorbells"), 2L)
    // commands that cannot be
    for ((flow, log, address) <- Seq[(Int, Int, Long)]((p.flows, 3, 0L), (0, 8, 0L), (0, 3, 1L << p.addressBits))) {
      board.place(flow, isTransmit = random.nextBoolean(), address, log)
      same(s"a ring of flow $flow, 2^$log lines at $address", board.result(), 1)
    }
    same("a connection beyond the table", board.connect(p.connections, peers(number).peer, 0), 1)
    same("a connection of no flow", board.connect(number, peers(number).peer, p.flows), 1)
    // a ring of 1 line, and one of 8
    for (log <- Seq(0, 3)) {
      host.rx(1).place(log, host.consume(1))
      host.tx(1).place(log)
      val size = 1 << log
      val (own, sent) = (host.rx(1).own, host.tx(1).own)
      val had = host.total
      val wasFull = board.counter("ringFull")
      send(size + 5)
      settle()
      same("written", board.indices(1, isTransmit = false), (own + size, own))
      same("ringFull", board.counter("ringFull"), wasFull + 5)
      var bad = board.counter("badDoorbells")
      def refused(isTransmit: Boolean, indices: Int*): Unit = for (index <- indices) {
        board.ring(1, isTransmit, Math.floorMod(index, modulo))
        clock(20)
        bad += 1
        same(s"badDoorbells after $index", board.counter("badDoorbells"), bad)
      }
      refused(isTransmit = false, own + size + 1, own - 1, own + p.maxRing)
      same("consumed", board.indices(1, isTransmit = false), (own + size, own))
      host.consume(1)
      same("lines", host.total, had + size)
      // one line after the other is consumed
      send(size)
      settle()
      for (_ <- 0 until size) host.consume(1, 1)
      same("lines", host.total, had + 2 * size)
      refused(isTransmit = true, sent + size + 1, sent - 1)
      same("produced", board.indices(1, isTransmit = true), (sent, sent))
      host.produce(1, Seq.fill(size)(Call(number, 7).line))
      until("frames")(board.indices(1, isTransmit = true) == (sent + size, sent + size))
    }
    // the only flow is set anew while lines come: they wait, and none is dropped
    val full = board.counter("ringFull")
    val had = host.total
    send(6)
    settle()
    val sender = fork(send(6))
    host.rx(1).place(4, { clock(500); host.consume(1, 1) })
    sender.join()
    until("lines") { host.consume(1); host.total == had + 12 }
    same("ringFull", board.counter("ringFull"), full)
    same("withoutFlow", board.counter("withoutFlow"), 3L)
    // a connection that is no more
    assert(board.connect(number, peers(number).peer, 0, isUsed = false) == 0)
    send(1)
    settle()
    same("unknownConnection", board.counter("unknownConnection"), 1L)
  }

  /** Errors of the memory: a line that was not read is not sent, a batch that was not written is counted. */
  def errors(dut: RpcEngine, p: RpcParameters, seed: Int): Unit = {
    // the second page of the transmit ring of flow 0, and the receive ring of flow 1
    val bench = new Bench(dut, p, seed, isBroken = address => address / 4096 == 5 || address / 8192 == 4)
    import bench._
    for (flow <- 0 until 2) host.tx(flow).place(7)
    assert(host.tx(0).address == 4 * 4096)
    board.write(At.Batch, 4)
    val number = peers.keys.head
    val calls = for (flow <- 0 until 2) yield Seq.tabulate(100)(n => Call(number, n + 1000 * flow))
    for (part <- 0 until 100 by 20; flow <- 0 until 2) host.produce(flow, calls(flow).slice(part, part + 20).map(_.line))
    until("lines")(board.counter("sent") + board.counter("memoryErrors") == 200)
    clock(400)
    checkSent(calls.indices.flatMap(flow => calls(flow).map(flow -> _)), (calls(0).take(64) ++ calls(1)).map(call => call.id -> RpcReference.frame(call, peers.toMap)).toMap)
    same("memoryErrors", board.counter("memoryErrors"), 36L)
    host.rx(1).place(3)
    assert(host.rx(1).address == 4 * 8192)
    active(Set(1))
    board.write(At.Flush, 60)
    for (n <- 0 until 4) board.send(Datagrams.frame(peers(number).peer, RpcHarness.fabric, Call(number, n).line))
    until("the batch")(board.counter("received") == 4 && board.read(At.Busy) == 0)
    same("memoryErrors", board.counter("memoryErrors"), 36L + board.writes.size)
  }

  val all: Seq[(String, (RpcEngine, RpcParameters, Int) => Unit)] = Seq(
    "traffic" -> ((dut, p, seed) => traffic(dut, p, seed)),
    "changes" -> ((dut, p, seed) => changes(dut, p, seed)),
    "steering" -> ((dut, p, seed) => steering(dut, p, seed)),
    "batches" -> ((dut, p, seed) => batches(dut, p, seed)),
    "limits" -> ((dut, p, seed) => limits(dut, p, seed)),
    "errors" -> ((dut, p, seed) => errors(dut, p, seed)),
  )
}
