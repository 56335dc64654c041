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
  val rxRings = Seq.fill(p.flows)(new RxRing(p))
  val txRings = Seq.fill(p.flows)(new TxRing(p))
  val rxPicker, txPicker = new JobPicker(p)
  val ringWriter = new RingWriter(p)
  val ringReader = new RingReader(p)
  val frameWriter = new FrameWriter(p)

  reader.io.input << io.input
  reader.io.identity := io.identity
  connections.io.write << io.connection
  connections.io.rx << reader.io.heads
  connections.io.rxNumber := reader.io.heads.connection.resized
  connections.io.tx << frameWriter.io.lines
  connections.io.txNumber := frameWriter.io.lines.number.resized
  frameWriter.io.rows << connections.io.txRow
  balancer.io.scheme := io.settings.scheme
  balancer.io.lines << connections.io.rxRow
  balancer.io.words << reader.io.words
  ringWriter.io.stage << balancer.io.stage
  ringWriter.io.jobs << rxPicker.io.job
  ringReader.io.jobs << txPicker.io.job
  io.memory.aw << ringWriter.io.aw
  io.memory.w << ringWriter.io.w
  ringWriter.io.b << io.memory.b
  io.memory.ar << ringReader.io.ar
  ringReader.io.r << io.memory.r
  frameWriter.io.words << ringReader.io.words
  frameWriter.io.identity := io.identity
  io.output << frameWriter.io.output

  private def bits(of: RxRing => Bool): Bits = B(rxRings.map(of))
  balancer.io.rings.isOpen := bits(_.io.isOpen)
  balancer.io.rings.isUsable := bits(_.io.isUsable)
  balancer.io.rings.isFull := bits(_.io.isFull)
  balancer.io.grants := bits(_.io.isGranted)
  rxPicker.io.dues := bits(_.io.isDue)
  txPicker.io.dues := B(txRings.map(_.io.isDue))
  // a ring that is set anew is the only one that may have a command
  private val readies = for (n <- 0 until p.flows) yield {
    val (rx, tx) = (rxRings(n), txRings(n))
    val isOwn = io.change.flow === n
    rx.io.change.valid := io.change.valid && isOwn && !io.change.isTransmit
    rx.io.change.payload := io.change.place
    tx.io.change.valid := io.change.valid && isOwn && io.change.isTransmit
    tx.io.change.payload := io.change.place
    rx.io.isActive := io.settings.active(n)
    rx.io.batch := io.settings.batch
    tx.io.batch := io.settings.batch
    rx.io.tick := io.tick
    rx.io.reserve := balancer.io.reserves(n)
    rx.io.publish := balancer.io.publishes(n)
    rx.io.take := rxPicker.io.takes(n)
    tx.io.take := txPicker.io.takes(n)
    rx.io.done.valid := ringWriter.io.done.valid && ringWriter.io.done.flow === n
    rx.io.done.payload := ringWriter.io.done.count
    tx.io.done := ringReader.io.done.valid && ringReader.io.done.payload === n
    rx.io.doorbell.valid := io.rxDoorbell.valid && io.rxDoorbell.flow === n
    rx.io.doorbell.payload := io.rxDoorbell.index
    tx.io.doorbell.valid := io.txDoorbell.valid && io.txDoorbell.flow === n
    tx.io.doorbell.payload := io.txDoorbell.index
    balancer.io.rings.loads(n) := rx.io.load
    balancer.io.rings.reserved(n) := rx.io.reserved
    def job(job: Job, base: UInt, mask: UInt, index: UInt, count: UInt): Unit = {
      job.flow := n
      job.base := base
      job.mask := mask
      job.index := index
      job.count := count
    }
    job(rxPicker.io.jobs(n), rx.io.base, rx.io.mask, rx.io.index, rx.io.count)
    job(txPicker.io.jobs(n), tx.io.base, tx.io.mask, tx.io.index, tx.io.count)
    io.receiving(n) := rx.io.reserved =/= rx.io.written
    io.sending(n) := tx.io.isBusy
    Mux(io.change.isTransmit, tx.io.change.ready, rx.io.change.ready)
  }
  io.change.ready := Vec(readies)(io.change.flow)
  io.indices.written := Vec(rxRings.map(_.io.written))(io.flow)
  io.indices.consumed := Vec(rxRings.map(_.io.consumed))(io.flow)
  io.indices.produced := Vec(txRings.map(_.io.produced))(io.flow)
  io.indices.fetched := Vec(txRings.map(_.io.consumed))(io.flow)

  private val counters = Reg(RpcCounters())
  counters.elements.foreach { case (_, counter) => counter.asInstanceOf[UInt].init(0) }
  io.counters := counters
  private def count(counter: UInt, events: Bool*): Unit =
    counter := counter + RegNext(CountOne(events), init = U(0, log2Up(events.size + 1) bits)).resize(32)
  private val events = balancer.io.events
  count(counters.received, balancer.io.publishes.orR)
  count(counters.sent, frameWriter.io.sent)
  count(counters.malformed, events.malformed, reader.io.isRefused)
  count(counters.unknownConnection, events.unknownConnection)
  count(counters.withoutFlow, events.withoutFlow)
  count(counters.ringFull, events.ringFull)
  count(counters.refused, frameWriter.io.refused)
  count(counters.memoryErrors, frameWriter.io.failed, ringWriter.io.failed)
  count(counters.badDoorbells, bits(_.io.isRefused).orR, B(txRings.map(_.io.isRefused)).orR)
}
