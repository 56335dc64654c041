package hivemind.fabric.rmem

import spinal.core._

/** How a request ended. The position of each is its code on the wire. */
object Status extends SpinalEnum(binarySequential) {

  /** OK: done. MALFORMED: the message is shorter than its header, of an unknown version or operation, or its data is not of the
    * stated length. TOO_LONG: more than `maxBytes`. UNKNOWN_NAME, NOT_PERMITTED, OUT_OF_BOUNDS: what the table says of the
    * object. MEMORY_ERROR: the memory answered with an error; the bytes that a write names may then hold anything.
    */
  val OK, MALFORMED, TOO_LONG, UNKNOWN_NAME, NOT_PERMITTED, OUT_OF_BOUNDS, MEMORY_ERROR = newElement()
}

object Protocol {

  /** The version of the protocol that this engine speaks. */
  val Version = 1

  /** Codes of the operations. */
  val Read = 1
  val Write = 2
}

/** What a response repeats of its request. */
case class Echo() extends Bundle {
  val operation = Bits(8 bits)
  val requester = Bits(16 bits)
  val tag = Bits(32 bits)
}

/** A message that has come whole. Unless its status is OK, only `echo` counts. */
case class Request(p: RmemParameters) extends Bundle {

  /** OK, MALFORMED or TOO_LONG. */
  val status = Status()
  val isWrite = Bool()
  val echo = Echo()
  val objectName = Bits(64 bits)
  val offset = UInt(32 bits)

  /** The offset is 4 GiB or more, which is beyond every object. */
  val isFar = Bool()
  val length = UInt(p.lengthBits bits)
  val requesterClass = UInt(8 bits)
}

/** An object of the table. */
case class Entry(p: RmemParameters) extends Bundle {
  val isUsed = Bool()
  val objectName = Bits(64 bits)

  /** Address of the first byte, in beats: objects start at a multiple of `widthBytes`. */
  val base = UInt(p.addressBits - p.laneBits bits)

  /** Size in bytes. `base` and size never reach beyond the last address. */
  val size = UInt(32 bits)

  /** A bit for each class of requesters that may read, or write. */
  val readers, writers = Bits(p.classes bits)
}

/** A request whose object has been found, or why it is refused. */
case class Access(p: RmemParameters) extends Bundle {
  val status = Status()
  val isWrite = Bool()

  /** Data of a write waits in the buffer, also that of a write that is refused by the table. */
  val hasData = Bool()
  val echo = Echo()
  val address = UInt(p.addressBits bits)
  val length = UInt(p.lengthBits bits)

  /** The entry of the object: requests to one place keep their order. */
  val place = UInt(p.placeBits bits)
}
