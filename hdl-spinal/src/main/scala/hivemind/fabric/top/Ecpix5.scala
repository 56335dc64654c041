package hivemind.fabric.top

import spinal.core._
import spinal.lib._
import spinal.lib.blackbox.lattice.ecp5.{IDDRX1F, ODDRX1F}

import java.nio.file.Path

/** The pins of an RGMII (version 2.0) towards the transceiver. */
case class Rgmii() extends Bundle {
  val data = Bits(4 bits)
  val clock, control = Bool()
}

/** Delays a signal by `steps` of about 25 ps. */
class DELAYG(steps: Int) extends BlackBox {
  addGeneric("DEL_MODE", "USER_DEFINED")
  addGeneric("DEL_VALUE", steps)
  val A = in Bool ()
  val Z = out Bool ()
}

/** The phase-locked loop of an ECP5: 125 MHz of 100 MHz, by way of 625 MHz. */
class EHXPLLL extends BlackBox {
  addGeneric("CLKI_DIV", 4)
  addGeneric("CLKFB_DIV", 5)
  addGeneric("CLKOP_ENABLE", "ENABLED")
  addGeneric("CLKOP_DIV", 5)
  addGeneric("CLKOP_CPHASE", 4)
  addGeneric("FEEDBK_PATH", "CLKOP")
  val CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, PLLWAKESYNC, ENCLKOP = in Bool ()
  val CLKOP, LOCK = out Bool ()
}

/** [[Fabric]] on an ECPIX-5 (LFE5UM5G-85F): its RGMII transceiver is both ways of the fabric, its USB cable the serial
  * line. Not tried on a real board.
  */
class Ecpix5(p: FabricParameters) extends Component {
  val io = new Bundle {
    val clock100 = in Bool ()
    val resetN = in Bool ()
    val serialReceive = in Bool ()
    val serialTransmit = out Bool ()
    val receive = in(Rgmii())
    val transmit = out(Rgmii())
    val transceiverResetN = out Bool ()
  }
  noIoPrefix()

  private val pll = new EHXPLLL
  pll.CLKI := io.clock100
  pll.CLKFB := pll.CLKOP
  Seq(pll.RST, pll.STDBY, pll.PHASESEL0, pll.PHASESEL1, pll.PHASEDIR, pll.PHASESTEP, pll.PHASELOADREG, pll.PLLWAKESYNC, pll.ENCLKOP)
    .foreach(_ := False)
  private val clk = Bool().setName("clk")
  clk := pll.CLKOP
  private val raw = ClockDomain(clk, config = ClockDomainConfig(resetKind = SYNC))
  private val reset = Bool().setName("reset")
  reset := ResetCtrl.asyncAssertSyncDeassert(!io.resetN || !pll.LOCK, raw)
  private val system = raw.copy(reset = reset)

  private val never = False
  private def pins(clock: Bool) = ClockDomain(clock, never, config = ClockDomainConfig(resetKind = SYNC))
  private val line = pins(io.receive.clock)
  private val leave = pins(clk)
  private def outPin(rising: Bool, falling: Bool): Bool = leave {
    val register = ODDRX1F()
    register.D0 := rising
    register.D1 := falling
    register.Q
  }
  private def inPin(pin: Bool): (Bool, Bool) = line {
    val register = IDDRX1F()
    register.D := pin
    (register.Q0, register.Q1)
  }

  private val core = system on new Fabric(p)
  core.io.receiveClock := io.receive.clock
  private val halves = io.receive.data.asBools.map(inPin)
  core.io.receive.data := Cat(halves.map(_._2)) ## Cat(halves.map(_._1))
  private val (valid, different) = inPin(io.receive.control)
  core.io.receive.valid := valid
  core.io.receive.error := valid ^ different

  private val leaving = core.io.transmit
  io.transmit.data := Cat((0 until 4).map(n => outPin(leaving.data(n), leaving.data(n + 4))))
  io.transmit.control := outPin(leaving.valid, leaving.valid ^ leaving.error)
  private val delay = new DELAYG(80)
  delay.A := outPin(True, False)
  io.transmit.clock := delay.Z

  core.io.uart.rxd := io.serialReceive
  io.serialTransmit := core.io.uart.txd
  io.transceiverResetN := io.resetN

  /** Writes the documents of the registers. */
  def writeRegisters(folder: Path): Unit = core.writeRegisters(folder)
}
