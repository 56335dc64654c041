package hivemind.fabric.rpc

import hivemind.fabric.Model
import hivemind.fabric.net.{Datagrams, Host}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import scala.util.Random

/** What a 64-byte RPC costs in cycles, from the wire into a ring, to the host, into a ring and back to the wire, with a memory that answers
  * in 10 cycles and a host that copies in no time, but has only the registers. The bounds are those of docs/bench/fabric-rpc.md.
  */
class RpcFiguresTest extends AnyFunSuite {
  import RpcHarness.At
  private val memoryCycles = 10
  private val peer = Host(0x020000000011L, 0x0a000011, 7000)
  private val ringLog = 8

  /** Sends RPCs, of which a host sends each back. Gives the cycle in which the first was begun, and those in which frames ended. */
  private def loop(name: String, width: Int, count: Int, flows: Int, batch: Int, flush: Int): (Long, Seq[Long]) = {
    val p = RpcParameters(widthBytes = width)
    var result: (Long, Seq[Long]) = null
    RpcFigures.model(width).doSim(name, 1) { dut =>
      val board = new RpcHarness(dut, p, new Random(1), 0, 0, (memoryCycles, memoryCycles))
      assert(board.connect(0, peer, 0) == 0)
      board.write(At.Batch, batch)
      board.write(At.Flush, flush)
      def address(flow: Int, isTransmit: Boolean) = (2 * flow + (if (isTransmit) 1 else 0)) * 64L << ringLog
      for (flow <- 0 until flows; isTransmit <- Seq(false, true)) {
        board.place(flow, isTransmit, address(flow, isTransmit), ringLog)
        assert(board.result() == 0)
      }
      board.write(At.Active, (1 << flows) - 1)
      val lines = Seq.tabulate(count)(n => Call(0, n).line)
      val frames = lines.map(Datagrams.frame(peer, RpcHarness.fabric, _))
      val indices = Array.fill(flows)(0)
      board.write(At.Flow, 0)
      dut.clockDomain.waitSampling(200)
      val start = board.now
      val sender = fork(frames.foreach(board.send(_)))
      while (board.out.size < count) for (flow <- 0 until flows) {
        // one flow alone stays selected
        if (flows > 1) board.write(At.Flow, flow)
        val written = (board.read(At.RxIndex) & 0xffff).toInt
        val fresh = Math.floorMod(written - indices(flow), 2 * p.maxRing)
        if (fresh > 0) {
          for (n <- indices(flow) until indices(flow) + fresh; at = 64 * (n % (1 << ringLog)))
            System.arraycopy(board.memory.bytes, address(flow, false).toInt + at, board.memory.bytes, address(flow, true).toInt + at, 64)
          indices(flow) += fresh
          board.ring(flow, isTransmit = true, indices(flow) % (2 * p.maxRing))
          board.ring(flow, isTransmit = false, indices(flow) % (2 * p.maxRing))
        }
        assert(board.now < 40000, "frames are missing")
      }
      sender.join()
      assert(board.out.map(_.drop(42)).toSet == lines.toSet, "a line came back that was not sent, or did not come back")
      assert(board.counter("ringFull") == 0 && board.counter("badDoorbells") == 0)
      result = (start, board.times.toSeq)
    }
    result
  }

  for ((width, flows, most) <- Seq((16, 1, 7.05), (16, 4, 7.05), (32, 1, 4.05), (32, 4, 4.05)))
    test(s"with words of $width bytes and $flows flows an RPC goes in and out again every $most cycles at most") {
      val (_, times) = loop(s"rpc-rate-$width-$flows", width, 1500, flows, 16, 64)
      val each = (times(1399) - times(199)) / 1200.0
      info(f"rpc figure: $width B wide, $flows flows, batches of 16: an RPC in and out every $each%.2f cycles")
      assert(each <= most)
    }
  for ((width, most) <- Seq(16 -> 88L, 32 -> 77L)) test(s"with words of $width bytes an RPC is back within $most cycles") {
    val (start, times) = loop(s"rpc-latency-$width", width, 1, 1, 1, 1)
    info(s"rpc figure: $width B wide: ${times.head - start} cycles from the first beat to the last beat of the answer, ${2 * memoryCycles} of them the memory's")
    assert(times.head - start <= most)
  }
}

object RpcFigures {
  private lazy val narrow = RpcHarness.compile(new RpcEngine(RpcParameters()))
  private lazy val wide = RpcHarness.compile(new RpcEngine(RpcParameters(widthBytes = 32)))
  def model(width: Int): Model[RpcEngine] = if (width == 16) narrow else wide
}
