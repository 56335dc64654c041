package hivemind.fabric.rmem

import hivemind.fabric.net.{FrameByte, FrameBytes, UdpByte}
import hivemind.fabric.net.Headers.{rmemRequest => header}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream

/** Which addresses are of a class of requesters: those that are `address` where `mask` is 1. */
case class ClassRule() extends Bundle {
  val address, mask = Bits(32 bits)
}

/** Remote memory on datagrams: one request in each, and one response in each that goes back. The class of a requester comes from
  * its address, not from the request: it is the first whose rule holds, and none may do anything where none holds.
  */
class RmemPort(p: RmemParameters) extends Component {
  val io = new Bundle {
    val input = slave(Stream(UdpByte()))
    val output = master(Stream(UdpByte()))
    val rules = in(Vec.fill(p.classes)(ClassRule()))
    val requests = master(Axi4Stream(p.stream))
    val responses = slave(Axi4Stream(p.stream))
  }
  // The peer of the datagram is there before its byte 28 is, so the class may take two cycles.
  private val matches = io.rules.map(rule => RegNext((io.input.peer.address & rule.mask) === rule.address))
  private val nobody = B(0xff, 8 bits)
  private val requesterClass = RegNext(
    matches.zipWithIndex.foldRight(nobody) { case ((isMatch, n), other) => Mux(isMatch, B(n, 8 bits), other) },
  )
  private val place = header("requesterClass").offset / 8

  // Requests are answered in their order, so the peers wait in a queue.
  private val asked = StreamFifo(cloneOf(io.input.peer), RmemPort.waiting)
  private val index = Reg(UInt(6 bits)) init 0
  private val asking = Stream(cloneOf(io.input.peer))
  asked.io.push << asking.m2sPipe()
  private val input = io.input.haltWhen(!asking.ready)
  asking.valid := input.fire && input.last
  asking.payload := input.peer
  when(input.fire)(index := Mux(input.last, U(0), Mux(index.andR, index, index + 1)))
  private val bytes = Stream(FrameByte())
  bytes.arbitrationFrom(input)
  bytes.data := Mux(index === place, requesterClass, input.data)
  bytes.last := input.last
  io.requests << FrameBytes.toAxis(FrameBytes.pack(bytes.m2sPipe()), p.stream)

  private val answer = FrameBytes.of(FrameBytes.fromAxis(io.responses.halfPipe()))
  io.output.arbitrationFrom(answer.continueWhen(asked.io.pop.valid))
  io.output.data := answer.data
  io.output.last := answer.last
  io.output.peer := asked.io.pop.payload
  asked.io.pop.ready := io.output.fire && io.output.last
}

object RmemPort {

  /** Requests that may wait for their answer. */
  val waiting: Int = 64
}
