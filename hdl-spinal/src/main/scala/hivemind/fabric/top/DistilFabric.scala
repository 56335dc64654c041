package hivemind.fabric.top

import hivemind.fabric.EthernetCounters
import hivemind.fabric.distil.{Distil, DistilParameters, DistilRegisters}
import hivemind.fabric.net.{FrameBuffer, FrameWord, Gmii, GmiiReceiver, GmiiTransmitter}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream
import spinal.lib.com.uart.Uart

/** A whole fabric but for the pins of a board: distil between the two directions of a GMII, its registers on a serial line.
  *
  * Runs at 125 MHz. Frames of more than `bufferBytes` of [[DistilFabric]] are dropped and counted.
  */
class DistilFabric(p: DistilParameters) extends Component {
  val io = new Bundle {

    /** The clock that comes with `receive`. */
    val receiveClock = in Bool ()
    val receive = in(Gmii())
    val transmit = out(Gmii())
    val uart = master(Uart())
  }
  private val words = DistilFabric.bufferBytes / p.widthBytes
  private val line = ResetCtrl.asyncAssertSyncDeassertCreateCd(
    clockDomain,
    ClockDomain(io.receiveClock, config = ClockDomainConfig(resetKind = SYNC)),
  )
  private val receiver = new GmiiReceiver(line, words)
  private val transmitter = new GmiiTransmitter
  private val distil = new Distil(p)
  private val registers = new DistilRegisters(p)
  private val bridge = new UartBridge(DistilRegisters.bus)

  receiver.io.gmii := io.receive
  distil.io.input << DistilFabric.toAxis(receiver.io.output, p)

  private val leaving = new FrameBuffer(words)
  leaving.io.takeBack := False
  leaving.io.push << DistilFabric.fromAxis(distil.io.output)
  transmitter.io.input << leaving.io.pop
  io.transmit := transmitter.io.gmii

  distil.io.settings := registers.io.settings
  distil.io.reset := registers.io.reset
  registers.io.counters := distil.io.counters
  registers.io.bus << bridge.io.bus
  io.uart <> bridge.io.uart

  private val counters = Reg(EthernetCounters())
  private val events =
    Seq(
      counters.received -> receiver.io.received,
      counters.damaged -> receiver.io.damaged,
      counters.overflowed -> receiver.io.overflowed,
      counters.sent -> transmitter.io.sent,
    )
  for ((counter, event) <- events) {
    counter.init(0)
    when(event)(counter := counter + 1)
  }
  registers.io.ethernet := counters

  /** The documents of the registers. */
  def map: hivemind.fabric.RegisterMap = registers.map
}

object DistilFabric {

  /** Bytes of frames that may wait on either side of the engine. */
  val bufferBytes: Int = 8192

  private def toAxis(words: Stream[FrameWord], p: DistilParameters): Axi4Stream.Axi4Stream = {
    val stream = Axi4Stream(p.stream)
    stream.arbitrationFrom(words)
    stream.data := words.data
    stream.keep := ((U(2, 17 bits) |<< words.count) - 1)(15 downto 0).asBits
    stream.last := words.last
    stream
  }

  private def fromAxis(stream: Axi4Stream.Axi4Stream): Stream[FrameWord] = {
    val words = Stream(FrameWord())
    words.arbitrationFrom(stream)
    words.data := stream.data
    words.count := (CountOne(stream.keep) - 1).resized
    words.last := stream.last
    words
  }
}
