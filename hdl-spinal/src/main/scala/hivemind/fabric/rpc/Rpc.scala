package hivemind.fabric.rpc

import hivemind.fabric.net.Identity
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.Axi4
import spinal.lib.bus.amba4.axis.Axi4Stream

/** What the engine has done since its reset. Counters wrap. */
case class RpcCounters() extends Bundle {
  val received, sent, malformed, unknownConnection, withoutFlow, ringFull, refused, memoryErrors, badDoorbells = UInt(32 bits)
}

/** RPCs between frames and rings in the memory of a host (HiveMind, section 4.5, after Dagger): each flow has a ring of requests and
  * responses that came, and one of those that are to be sent. An RPC is a line of 64 bytes.
  *
  * Lines of a flow keep their order in both directions. None is written into a ring that is full, and none is read that the host has
  * not produced. The settings, and rings one by one, change under traffic; no line is lost or doubled by that.
  */
class Rpc(p: RpcParameters) extends Component {
  val io = new Bundle {
    val input = slave(Axi4Stream(p.stream))
    val output = master(Axi4Stream(p.stream))
    val memory = master(Axi4(p.memory))
    val identity = in(Identity())
    val settings = in(RpcSettings(p))
    val tick = in Bool ()
    val change = slave(Stream(RingChange(p)))
    val connection = slave(Stream(ConnectionWrite(p)))
    val rxDoorbell, txDoorbell = slave(Flow(Doorbell(p)))
    val flow = in UInt (p.flowBits bits)
    val indices = out(FlowIndices(p))
    val receiving, sending = out Bits (p.flows bits)
    val counters = out(RpcCounters())
  }
  val reader = new LineReader(p)
  val connections = new Connections(p, HardType(LineHead()), HardType(SentLine()))
  val balancer = new Balancer(p)
  val rxRings = new RxRings(p)
  val txRings = new TxRings(p)
  val ringWriter = new RingWriter(p)
  val ringReader = new RingReader(p)
  val frameWriter = new FrameWriter(p)

  reader.io.input << io.input
  reader.io.identity := io.identity
  connections.io.write << io.connection
  connections.io.rx << reader.io.heads
  connections.io.rxNumber := reader.io.heads.connection.resized
  // no path goes from the frames that leave through the table back to the queue of lines
  private val sentLines = frameWriter.io.lines.s2mPipe()
  connections.io.tx << sentLines
  connections.io.txNumber := sentLines.number.resized
  frameWriter.io.rows << connections.io.txRow
  balancer.io.scheme := io.settings.scheme
  balancer.io.lines << connections.io.rxRow
  balancer.io.words << reader.io.words
  ringWriter.io.stage << balancer.io.stage
  ringWriter.io.jobs << rxRings.io.job
  ringReader.io.jobs << txRings.io.job
  io.memory.aw << ringWriter.io.aw
  io.memory.w << ringWriter.io.w
  ringWriter.io.b << io.memory.b
  io.memory.ar << ringReader.io.ar
  ringReader.io.r << io.memory.r
  frameWriter.io.words << ringReader.io.words
  frameWriter.io.identity := io.identity
  io.output << frameWriter.io.output

  private val changes = StreamDemux(io.change.translateWith(io.change.place), io.change.isTransmit.asUInt, 2)
  rxRings.io.change << changes(0)
  rxRings.io.isActive := io.settings.active
  rxRings.io.batch := io.settings.batch
  rxRings.io.tick := io.tick
  rxRings.io.ask := balancer.io.ask
  rxRings.io.asked := balancer.io.asked
  rxRings.io.publish := balancer.io.publish
  rxRings.io.done << ringWriter.io.done
  rxRings.io.doorbell << io.rxDoorbell
  rxRings.io.flow := io.flow
  balancer.io.rings.isOpen := rxRings.io.isOpen
  balancer.io.rings.isUsable := rxRings.io.isUsable
  balancer.io.rings.isFull := rxRings.io.isFull
  balancer.io.rings.loads := rxRings.io.loads
  balancer.io.isGranted := rxRings.io.isGranted
  balancer.io.slot := rxRings.io.slot
  txRings.io.change << changes(1)
  txRings.io.batch := io.settings.batch
  txRings.io.done << ringReader.io.done
  txRings.io.doorbell << io.txDoorbell
  txRings.io.flow := io.flow
  io.indices.written := rxRings.io.written
  io.indices.consumed := rxRings.io.consumed
  io.indices.produced := txRings.io.produced
  io.indices.fetched := txRings.io.consumed
  io.receiving := rxRings.io.receiving
  io.sending := txRings.io.sending

  private val counters = Reg(RpcCounters())
  counters.elements.foreach { case (_, counter) => counter.asInstanceOf[UInt].init(0) }
  io.counters := counters
  private def count(counter: UInt, events: Bool*): Unit =
    counter := counter + RegNext(CountOne(events), init = U(0, log2Up(events.size + 1) bits)).resize(32)
  private val events = balancer.io.events
  count(counters.received, balancer.io.publish)
  count(counters.sent, frameWriter.io.sent)
  count(counters.malformed, events.malformed, reader.io.isRefused)
  count(counters.unknownConnection, events.unknownConnection)
  count(counters.withoutFlow, events.withoutFlow)
  count(counters.ringFull, events.ringFull)
  count(counters.refused, frameWriter.io.refused)
  count(counters.memoryErrors, frameWriter.io.failed, ringWriter.io.failed)
  count(counters.badDoorbells, rxRings.io.isRefused, txRings.io.isRefused)
}
