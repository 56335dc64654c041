package hivemind.fabric.rpc

import spinal.core._

/** How a request is given a flow. The position of each is its code in the register. Whatever the scheme names, a flow that takes
  * no lines is replaced by the next one that does, after the last comes the first.
  */
object Scheme extends SpinalEnum(binarySequential) {

  /** ROUND_ROBIN: each flow in turn. LEAST_LOADED: the fewest lines that its host has not consumed, the first of equals. KEY_HASH:
    * the low bits of the CRC-16 of the key. CONNECTION: the flow of the connection.
    */
  val ROUND_ROBIN, LEAST_LOADED, KEY_HASH, CONNECTION = newElement()
}

object Protocol {

  /** The version of the protocol that this engine speaks. */
  val Version = 1

  /** Codes of the kinds. */
  val Request = 1
  val Response = 2

  /** The UDP port of the engine. */
  val Port = 4903
}

/** The soft registers (HiveMind, section 4.5), but for the rings. */
case class RpcSettings(p: RpcParameters) extends Bundle {
  val scheme = Scheme()

  /** A bit for each flow that takes requests. */
  val active = Bits(p.flows bits)

  /** From 1 to `maxBatch`. */
  val batch = UInt(p.batchBits bits)

  /** Cycles between the ticks: a line that has seen two of them is written, though its batch is not full. */
  val flush = UInt(16 bits)
}

/** Where the ring of a flow is in memory. */
case class RingPlace(p: RpcParameters) extends Bundle {
  val flow = UInt(p.flowBits bits)

  /** Address of its first line, in lines. The bits below the size of the ring count as 0. */
  val base = UInt(p.lineAddressBits bits)

  /** Its size in lines, a power of two, less 1. */
  val mask = UInt(p.indexBits - 1 bits)
}

/** A burst of lines: it lies within the ring, and within a page. */
case class Job(p: RpcParameters) extends Bundle {
  val flow = UInt(p.flowBits bits)
  val base = UInt(p.lineAddressBits bits)

  /** Size of the ring in lines, less 1. */
  val mask = UInt(p.indexBits - 1 bits)

  /** Of the first line. */
  val index = UInt(p.indexBits bits)

  /** Lines, from 1 to `maxBatch`. */
  val count = UInt(p.batchBits bits)

  /** Address of the first line, in lines. */
  def line: UInt = ((base & ~mask.resize(p.lineAddressBits)) | (index.resize(p.indexBits - 1) & mask).resize(p.lineAddressBits))
}

/** A row of the connection table. */
case class Connection(p: RpcParameters) extends Bundle {
  val isUsed = Bool()
  val mac = Bits(48 bits)

  /** IPv4. */
  val address = Bits(32 bits)

  /** UDP port. */
  val port = Bits(16 bits)
  val flow = UInt(p.flowBits bits)
}

case class ConnectionWrite(p: RpcParameters) extends Bundle {
  val number = UInt(p.connectionBits bits)
  val row = Connection(p)
}

/** What a frame says of the RPC in it. */
case class LineHead() extends Bundle {

  /** It is an RPC for this fabric, with sound lengths and checksums. */
  val isSound = Bool()
  val isResponse = Bool()
  val connection = UInt(16 bits)
  val key = Bits(32 bits)

  /** Who sent it: IPv4 and UDP port. */
  val address = Bits(32 bits)
  val port = Bits(16 bits)
}

/** Puts a ring in its place. */
case class RingChange(p: RpcParameters) extends Bundle {
  val isTransmit = Bool()
  val place = RingPlace(p)
}

/** The host has consumed, or produced, all lines before `index`. */
case class Doorbell(p: RpcParameters) extends Bundle {
  val flow = UInt(p.flowBits bits)
  val index = UInt(p.indexBits bits)
}
