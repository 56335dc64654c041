package hivemind.fabric

import spinal.core._
import spinal.lib.bus.regif._
import spinal.lib.bus.regif.AccessType._

import java.nio.charset.StandardCharsets.UTF_8

/** The registers that every block begins with: which engine it is, the version and UUID of its interface, which build, and one to
  * try the bus with. Declared before all others, completed after them.
  *
  * @param block where the registers go
  * @param engine name of the engine in documents
  * @param code the engine in four letters of ASCII, as its register ENGINE has it
  * @param version of the register map
  */
class IdBlock(block: BusIf, engine: String, code: String, version: Int) {
  block.newReg("which engine this is, in ASCII")(SymbolName("ENGINE"))
    .field(Bits(32 bits), ROV, IdBlock.word(code), code)(SymbolName("engine"))
  block.newReg("version of the register map")(SymbolName("VERSION"))
    .field(Bits(32 bits), ROV, version, "one more for each change")(SymbolName("version"))
  private val interface = for (n <- 0 until 4) yield block
    .newReg(s"UUID of the interface, bits ${127 - 32 * n} to ${96 - 32 * n}")(SymbolName(s"INTERFACE_$n"))
    .field(Bits(32 bits), RO, s"word $n")(SymbolName(s"interface$n"))
  block.newReg("which build this is: the first 32 bits of its hash")(SymbolName("BUILD"))
    .field(Bits(32 bits), RO, "0 in a simulation of the generator alone")(SymbolName("build")) := BuildId()
  block.newReg("keeps what is written, for tests of the bus")(SymbolName("SCRATCH"))
    .field(Bits(32 bits), RW, 0, "any value")(SymbolName("scratch"))

  /** The map of the block, whose registers have all been declared; the registers of the interface get its UUID.
    *
    * @param parts blocks that are part of the interface, by the windows that they are in
    */
  def complete(parts: Seq[(Int, RegisterMap)] = Seq()): RegisterMap = {
    val map = RegisterMap.of(block, engine, parts)
    for ((word, value) <- interface.zip(map.interfaceWords)) word := B(value, 32 bits)
    map
  }
}

object IdBlock {

  /** Four letters of ASCII as a word. */
  def word(code: String): BigInt = BigInt(1, code.getBytes(UTF_8))
}
