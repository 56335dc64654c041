package hivemind.fabric.top

import hivemind.fabric.dispatch.PeerWrite
import hivemind.fabric.net.Identity
import hivemind.fabric.rmem.ClassRule
import hivemind.fabric.{IdBlock, RegisterMap}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.{Apb3, Apb3Config}
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.regif._
import spinal.lib.bus.regif.AccessType._

/** What the shell has done since its reset. Counters wrap. */
case class ShellCounters() extends Bundle {
  val received, damaged, overflowed, sent, datagrams, refused, dropped, withoutPeer = UInt(32 bits)
}

/** The registers of the shell: which engines there are, who the fabric is on its network, who may use it, and what it has counted. */
class ShellRegisters(p: FabricParameters, engines: Seq[(Int, RegisterMap, String)]) extends Component {
  val io = new Bundle {
    val bus = slave(Apb3(ShellRegisters.bus))
    val counters = in(ShellCounters())
    val identity = out(Identity())
    val rules = out(Vec.fill(p.rmem.fold(0)(_.classes))(ClassRule()))
    val peer = master(Flow(PeerWrite()))
    val host = out UInt (8 bits)
  }
  private val block = BusInterface(io.bus, SizeMapping(0, ShellRegisters.bytes), regPre = "")
  private val id = new IdBlock(block, "shell", ShellRegisters.code, ShellRegisters.version)

  // a fabric without the later engines keeps the map that it has had
  for (window <- 1 to (3 +: engines.map(_._1)).max) {
    val code = engines.collectFirst { case (`window`, _, code) => code }
    block
      .newReg(s"which engine has its registers from ${window * ShellRegisters.bytes} on")(SymbolName(s"ENGINE_$window"))
      .field(Bits(32 bits), ROV, code.fold(BigInt(0))(IdBlock.word), code.getOrElse("none"))(SymbolName(s"engine$window"))
  }

  private def word(name: String, doc: String, reset: BigInt = 0): Bits =
    block.newReg(doc)(SymbolName(name)).field(Bits(32 bits), RW, reset, doc)(SymbolName(camel(name)))
  private def camel(name: String): String =
    name.toLowerCase.split('_').zipWithIndex.map { case (part, n) => if (n == 0) part else part.capitalize }.mkString

  if (p.ports.isEmpty) io.identity.assignFromBits(B(0, widthOf(Identity()) bits))
  else {
    val address = word("ADDRESS", "IPv4 address of the fabric; 0: it has none, and every frame passes")
    val mac0 = word("MAC_0", "its Ethernet address, bits 31 to 0")
    val mac1 = block
      .newReg("its Ethernet address, bits 47 to 32")(SymbolName("MAC_1"))
      .field(Bits(16 bits), RW, 0, "the highest bits")(SymbolName("mac1"))
    io.identity.address := address
    io.identity.mac := mac1 ## mac0
  }
  // no requester has the address of a broadcast, so no class has members after a reset
  private val nobody = BigInt("ffffffff", 16)
  for ((rule, n) <- io.rules.zipWithIndex) {
    rule.address := word(s"CLASS_${n}_ADDRESS", s"requesters of class $n have this IPv4 address, where the mask is 1", nobody)
    rule.mask := word(s"CLASS_${n}_MASK", s"bits of the address that count for class $n", nobody)
  }
  if (p.dispatch.isEmpty) {
    io.peer.setIdle()
    io.host := 0
  } else {
    val address = word("PEER_ADDRESS", "IPv4 address of a peer")
    val mac = word("PEER_MAC", "its Ethernet address, bits 31 to 0")
    val more = block.newReg("the rest of where a peer is")(SymbolName("PEER_PORT"))
    val port = more.field(Bits(16 bits), RW, 0, "its UDP port")(SymbolName("peerPort"))
    val high = more.field(Bits(16 bits), RW, 0, "its Ethernet address, bits 47 to 32")(SymbolName("peerMacHigh"))
    val commit = block.newReg("writes the peer into the table; reads as 0")(SymbolName("PEER"))
    val number = commit.field(UInt(8 bits), RW, 0, "number of the peer; workers have those of their numbers")(SymbolName("peer"))
    val writes = commit.field(Bool(), W1P, 0, "1: the table has the peer from now on")(SymbolName("peerSet"))
    val host = block
      .newReg("who does what the dispatcher cannot")(SymbolName("HOST"))
      .field(UInt(8 bits), RW, 0, "number of the peer that slow messages go to")(SymbolName("host"))
    io.peer.valid := writes
    io.peer.number := number
    io.peer.peer.mac := high ## mac
    io.peer.peer.address := address
    io.peer.peer.port := port
    io.peer.peer.own := p.ports.indexOf(FabricParameters.completionsPort)
    io.host := host
  }

  for ((name, counter) <- io.counters.elements) {
    val register = block.newReg(ShellRegisters.meaning(name))(SymbolName(name.replaceAll("([A-Z])", "_$1").toUpperCase))
    register.field(UInt(32 bits), RO, "counts since the reset, and wraps")(SymbolName(name)) := counter.asInstanceOf[UInt]
  }

  /** The map of the registers; its UUID is that of the whole fabric, and changes whenever a map of it does. */
  val map: RegisterMap = id.complete(engines.map { case (window, map, _) => window -> map })
}

object ShellRegisters {

  /** Bytes of the register block, and of each engine's. */
  val bytes: Int = 256
  val bus: Apb3Config = Apb3Config(addressWidth = 8, dataWidth = 32, useSlaveError = true)
  val version: Int = 1

  /** The shell in its register ENGINE. */
  val code: String = "SHEL"

  private val meaning = Map(
    "received" -> "frames that came with a sound check sequence",
    "damaged" -> "frames dropped: wrong check sequence, or an error on the line",
    "overflowed" -> "frames dropped: no room for them",
    "sent" -> "frames sent",
    "datagrams" -> "datagrams that came for an engine",
    "refused" -> "datagrams dropped: wrong length or checksum",
    "dropped" -> "datagrams dropped: the engine did not take them in time",
    "withoutPeer" -> "messages dropped: the table has no such peer",
  )
}
