package hivemind.fabric.net

import spinal.core._

/** Reads and writes the fields of a header in words of a stream: byte 0 is the lowest, and fields are big-endian. */
object HeaderBits {

  /** A field of a header that starts at byte 0 of `word`. */
  def field(word: Bits, header: Header, name: String): Bits = {
    val Field(_, offset, width) = header(name)
    require(offset % 8 == 0 && width % 8 == 0, s"field $name of ${header.name} must be of whole bytes")
    val bytes = (offset / 8 until (offset + width) / 8).map(n => word(8 * n + 7 downto 8 * n))
    bytes.reduceLeft(_ ## _)
  }

  /** A whole header. Fields without a value are zero; a value of the wrong width or an unknown field is an error. */
  def pack(header: Header, values: (String, Bits)*): Bits = {
    for ((name, bits) <- values)
      require(header(name).width == bits.getWidth, s"field $name of ${header.name} must have ${header(name).width} bits, not ${bits.getWidth}")
    val known = values.toMap
    val wire = header.fields.map(field => known.getOrElse(field.name, B(0, field.width bits))).reduceLeft(_ ## _)
    wire.subdivideIn(8 bits).reduceLeft(_ ## _)
  }
}
