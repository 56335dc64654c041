package hivemind.fabric.rpc

import hivemind.fabric.net.Datagrams
import spinal.core.sim._

/** What is full, wrong or broken. Each throws where the engine differs. */
object LimitScenarios {
  import RpcHarness.At

  /** Full rings, indices that cannot be, commands that are refused, and flows that are not there. */
  def limits(dut: RpcEngine, p: RpcParameters, seed: Int): Unit = {
    val bench = new RpcBench(dut, p, seed)
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
    val bench = new RpcBench(dut, p, seed, isBroken = address => address / 4096 == 5 || address / 8192 == 4)
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
}
