package hivemind.fabric.top

import hivemind.fabric.RegisterMap
import hivemind.fabric.dispatch.{DispatchBlock, DispatchPort, DispatchRegisters}
import hivemind.fabric.distil.{Distil, DistilRegisters}
import hivemind.fabric.net._
import hivemind.fabric.rmem.{OnChipMemory, RmemEngine, RmemPort, RmemRegisters}
import hivemind.fabric.rpc.{RpcEngine, RpcRegisters}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.{Apb3, Apb3Config, Apb3Decoder}
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.com.uart.Uart

import java.nio.file.Path
import scala.collection.mutable

/** A whole fabric but for the pins of a board: its engines between the two directions of a GMII, their registers on a serial line.
  *
  * Frames go through distil, where there is one. Of what leaves it, datagrams for the fabric's own address go to the other
  * engines; everything else passes. The rings of rpc are in the memory that rmem serves. Runs at 125 MHz. Frames of more than
  * `bufferBytes` of [[Fabric]] are dropped and counted.
  */
class Fabric(p: FabricParameters) extends Component {
  val io = new Bundle {

    /** The clock that comes with `receive`. */
    val receiveClock = in Bool ()
    val receive = in(Gmii())
    val transmit = out(Gmii())
    val uart = master(Uart())
  }
  private val words = Fabric.bufferBytes / 16
  private val line = ResetCtrl.asyncAssertSyncDeassertCreateCd(
    clockDomain,
    ClockDomain(io.receiveClock, config = ClockDomainConfig(resetKind = SYNC)),
  )
  private val receiver = new GmiiReceiver(line, words)
  private val transmitter = new GmiiTransmitter
  private val engines = mutable.ArrayBuffer[(Int, RegisterMap, String, Apb3)]()
  receiver.io.gmii := io.receive

  private val distilled = p.distil match {
    case None => receiver.io.output
    case Some(parameters) =>
      val distil = new Distil(parameters)
      val registers = new DistilRegisters(parameters)
      distil.io.input << FrameBytes.toAxis(receiver.io.output, parameters.stream)
      distil.io.settings := registers.io.settings
      distil.io.reset := registers.io.reset
      registers.io.counters := distil.io.counters
      engines += ((Fabric.Window.distil, registers.map, DistilRegisters.code, registers.io.bus))
      FrameBytes.fromAxis(distil.io.output)
  }

  private val counters = Reg(ShellCounters())
  // what a fabric does not have is never counted
  counters.flatten.foreach { case counter: UInt => counter.init(0).allowUnsetRegToAvoidLatch() }
  private def count(counter: UInt, event: Bool): Unit = when(event)(counter := counter + 1)
  private val identity = Identity()
  private val shellPorts = if (p.ports.isEmpty) None else Some(new Endpoint(identity))

  /** What answers on the fabric's own address. */
  private class Endpoint(identity: Identity) extends Area {
    val steering = new Steering(p.ports, p.framePorts)
    val receiver = new UdpReceiver(p.ports)
    val sender = new UdpSender(p.ports)
    val arp = new ArpResponder
    steering.io.input << distilled
    steering.io.identity := identity
    // words come at the rate of their bytes, so a stage that takes one in two cycles never holds them up
    receiver.io.input << steering.io.datagrams.halfPipe()
    arp.io.input << steering.io.questions.halfPipe()
    arp.io.identity := identity
    sender.io.identity := identity
    count(counters.datagrams, receiver.io.taken)
    count(counters.refused, receiver.io.refused)
    count(counters.dropped, receiver.io.overflowed)
    val outputs = mutable.ArrayBuffer(steering.io.passed, sender.io.output, arp.io.output)
    private val received = receiver.io.output.s2mPipe().m2sPipe()
    private val ways = StreamDemux(received, received.peer.own.resize(log2Up(p.ports.size)), p.ports.size)
    private val inputs = ways.map(_.s2mPipe().m2sPipe())
    val answers = mutable.ArrayBuffer[Stream[UdpByte]]()
    def input(port: Int): Stream[UdpByte] = inputs(p.ports.indexOf(port))
  }

  private val rpcEngine = for (parameters <- p.rpc; endpoint <- shellPorts) yield {
    val engine = new RpcEngine(parameters)
    engine.io.input << FrameBytes.toAxis(endpoint.steering.io.frames.halfPipe(), parameters.stream)
    engine.io.identity := identity
    endpoint.outputs += FrameBytes.fromAxis(engine.io.output).halfPipe()
    engines += ((Fabric.Window.rpc, engine.map, RpcRegisters.code, engine.io.bus))
    engine
  }
  private val rmemPort = for (parameters <- p.rmem; endpoint <- shellPorts) yield {
    val engine = new RmemEngine(parameters)
    val port = new RmemPort(parameters)
    val masters = engine.io.memory +: rpcEngine.map(_.io.memory).toSeq
    if (masters.size == 1) new OnChipMemory(parameters.memory, p.memoryKiB * 1024).io << engine.io.memory
    else {
      val config = masters.map(_.config).maxBy(_.addressWidth)
      val share = new MemoryShare(masters.map(_.config), config)
      for ((each, master) <- share.io.masters.zip(masters)) each << master
      new OnChipMemory(config, p.memoryKiB * 1024).io << share.io.memory
    }
    port.io.input << endpoint.input(FabricParameters.rmemPort)
    engine.io.input << port.io.requests
    port.io.responses << engine.io.output
    endpoint.answers += port.io.output
    engines += ((Fabric.Window.rmem, engine.map, RmemRegisters.code, engine.io.bus))
    port
  }
  private val dispatchPort = for (parameters <- p.dispatch; endpoint <- shellPorts) yield {
    val block = new DispatchBlock(parameters)
    val port = new DispatchPort(parameters)
    port.io.input(0) << endpoint.input(FabricParameters.requestsPort)
    port.io.input(1) << endpoint.input(FabricParameters.completionsPort)
    block.io.requests << port.io.requests
    block.io.completions << port.io.completions
    port.io.dispatched << block.io.dispatched
    port.io.results << block.io.results
    port.io.slow << block.io.slow
    endpoint.answers += port.io.output
    engines += ((Fabric.Window.dispatch, block.map, DispatchRegisters.code, block.io.bus))
    count(counters.withoutPeer, port.io.withoutPeer)
    port
  }

  private val leaving = new FrameBuffer(FrameWord(), words)
  leaving.io.takeBack := False
  leaving.io.push << shellPorts.fold(distilled) { endpoint =>
    endpoint.sender.io.input << FrameBytes.join(endpoint.answers.map(_.s2mPipe()).toSeq)
    FrameBytes.join(endpoint.outputs.toSeq).m2sPipe()
  }
  transmitter.io.input << leaving.io.pop
  io.transmit := transmitter.io.gmii

  private val bridge = new UartBridge(Fabric.bus)
  io.uart <> bridge.io.uart
  private val shell = new ShellRegisters(p, engines.toSeq.map { case (window, map, code, _) => (window, map, code) })
  Apb3Decoder(
    bridge.io.bus,
    (0 -> shell.io.bus) +: engines.toSeq.map { case (window, _, _, bus) => window -> bus } map { case (window, bus) =>
      ApbStage(bus) -> SizeMapping(window * ShellRegisters.bytes, ShellRegisters.bytes)
    },
  )
  count(counters.received, receiver.io.received)
  count(counters.damaged, receiver.io.damaged)
  count(counters.overflowed, receiver.io.overflowed)
  count(counters.sent, transmitter.io.sent)
  shell.io.counters := counters
  identity := shell.io.identity
  rmemPort.foreach(_.io.rules := shell.io.rules)
  dispatchPort.foreach { port =>
    port.io.peer << shell.io.peer
    port.io.host := shell.io.host
  }

  /** Writes the documents of the registers. */
  def writeRegisters(folder: Path): Unit = {
    val blocks = engines.toSeq.map { case (window, map, _, _) => window * ShellRegisters.bytes -> map }
    RegisterMap.write(folder, (0 -> shell.map) +: blocks.sortBy(_._1))
  }
}

object Fabric {

  /** Bytes of frames that may wait on either side of the engines. */
  val bufferBytes: Int = 8192

  /** Windows of the registers, after that of the shell. */
  object Window {
    val distil: Int = 1
    val dispatch: Int = 2
    val rmem: Int = 3
    val rpc: Int = 4
  }
  val bus: Apb3Config = Apb3Config(addressWidth = 12, dataWidth = 32, useSlaveError = true)
}
