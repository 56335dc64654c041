package hivemind.fabric.rpc

import hivemind.fabric.net.Frames.Frame
import spinal.core.sim._

import scala.collection.mutable

/** Random traffic in both directions, held against [[RpcReference]]. Each throws where the engine differs. */
object TrafficScenarios {
  import RpcHarness.At

  /** Both directions with settings that stay: every line arrives where it must, or is counted. */
  def traffic(dut: RpcEngine, p: RpcParameters, seed: Int, frames: Int = 150): Unit = {
    val bench = new RpcBench(dut, p, seed)
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
        val lines = Seq.tabulate(count)(n => RpcBench.outgoing(random, 100000 + left - n, peers, p))
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

  /** Every soft register changes under traffic, and nothing is lost, doubled or out of order. */
  def changes(dut: RpcEngine, p: RpcParameters, seed: Int, frames: Int = 250): Unit = {
    val bench = new RpcBench(dut, p, seed)
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
        val lines = Seq.tabulate(count)(n => RpcBench.outgoing(random, 100000 + produced.size + n, peers, p))
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
}
