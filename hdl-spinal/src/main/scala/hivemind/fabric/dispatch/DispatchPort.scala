package hivemind.fabric.dispatch

import hivemind.fabric.net.Headers.speedo
import hivemind.fabric.net.{FrameByte, FrameBytes, Peer, UdpByte}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream

/** A row of the table of peers. */
case class PeerWrite() extends Bundle {
  val number = UInt(8 bits)
  val peer = Peer()
}

/** The dispatcher on datagrams: any number of messages in each that comes (a batch), one in each that leaves.
  *
  * A table says where peers are: a DISPATCH goes to the peer of its worker's number, a RESULT to that of the highest byte of
  * `request`, and what takes the slow path to the host. What goes to a peer that the table does not have is dropped.
  */
class DispatchPort(p: DispatchParameters) extends Component {
  val io = new Bundle {

    /** Messages for the ports of the engine. */
    val input = Vec.fill(2)(slave(Stream(UdpByte())))
    val output = master(Stream(UdpByte()))
    val requests, completions = master(Axi4Stream(p.stream))
    val dispatched, results, slow = slave(Axi4Stream(p.stream))

    /** A row for the table of peers; the own port of its peer is the one that answers come to. */
    val peer = slave(Flow(PeerWrite()))

    /** The peer that slow messages go to. */
    val host = in UInt (8 bits)

    /** High for one cycle for each message that is dropped. */
    val withoutPeer = out Bool ()
  }
  private def messages(input: Stream[UdpByte]): Axi4Stream.Axi4Stream = {
    val index = Reg(UInt(log2Up(speedo.bytes) bits)) init 0
    val bytes = Stream(FrameByte())
    bytes.arbitrationFrom(input)
    bytes.data := input.data
    bytes.last := input.last || index.andR
    when(bytes.fire)(index := Mux(bytes.last, U(0), index + 1))
    FrameBytes.toAxis(FrameBytes.pack(bytes.m2sPipe()), p.stream)
  }
  io.requests << messages(io.input(0))
  io.completions << messages(io.input(1))

  // One message at a time: its two words, the look-up of its peer, and its bytes. The sources have a cycle each to begin theirs.
  private val sources = Vec(Seq(io.dispatched, io.results, io.slow).map(_.m2sPipe()))
  private val turn = Reg(UInt(log2Up(sources.size) bits)) init 0
  private val isBegun = RegInit(False)
  private val taken = StreamMux(turn, sources)
  private val words = Reg(Bits(speedo.bytes * 8 bits))
  private val count = Reg(UInt(log2Up(speedo.bytes) bits)) init 0
  private object Phase extends SpinalEnum {
    val COLLECT, NUMBER, LOOK_UP, ROW, JUDGE, SEND = newElement()
  }
  private val phase = RegInit(Phase.COLLECT)
  private def field(name: String, byte: Int): UInt = {
    val at = speedo(name).offset / 8 + byte
    words(8 * at + 7 downto 8 * at).asUInt
  }
  private val number = Reg(UInt(8 bits))

  // Bit 114 says that the row was written.
  private val table = Mem(Bits(widthOf(Peer()) + 1 bits), 256)
  private val swept = Reg(UInt(9 bits)) init 0
  private val isSweeping = !swept.msb
  when(isSweeping)(swept := swept + 1)
  table.write(
    Mux(isSweeping, swept(7 downto 0), io.peer.number),
    Mux(isSweeping, B(0, widthOf(Peer()) + 1 bits), True ## io.peer.peer.asBits),
    isSweeping || io.peer.valid,
  )
  private val row = RegNext(table.readSync(number))

  taken.ready := phase === Phase.COLLECT && !isSweeping
  io.output.valid := phase === Phase.SEND
  io.output.data := words(7 downto 0)
  io.output.last := count === speedo.bytes - 1
  io.output.peer.assignFromBits(row(widthOf(Peer()) - 1 downto 0))
  io.withoutPeer := phase === Phase.JUDGE && !row.msb
  private def pass(): Unit = turn := Mux(turn === sources.size - 1, U(0), turn + 1)
  switch(phase) {
    is(Phase.COLLECT)(when(taken.fire) {
      words := (taken.data ## words) >> (p.stream.dataWidth * 8)
      isBegun := !taken.last
      when(taken.last)(phase := Phase.NUMBER)
    } elsewhen (!isBegun)(pass()))
    is(Phase.NUMBER) {
      number := turn.mux(0 -> field("worker", 1), 1 -> field("request", 0), default -> io.host)
      phase := Phase.LOOK_UP
    }
    is(Phase.LOOK_UP)(phase := Phase.ROW)
    is(Phase.ROW)(phase := Phase.JUDGE)
    is(Phase.JUDGE) {
      pass()
      count := 0
      phase := Mux(row.msb, Phase.SEND(), Phase.COLLECT())
    }
    is(Phase.SEND)(when(io.output.ready) {
      words := words |>> 8
      count := count + 1
      when(io.output.last)(phase := Phase.COLLECT)
    })
  }
}
