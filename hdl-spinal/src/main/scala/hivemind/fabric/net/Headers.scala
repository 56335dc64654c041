package hivemind.fabric.net

/** A field of a header. Offset and width are in bits; bit 0 is the first on the wire. */
case class Field(name: String, offset: Int, width: Int) {
  require(width > 0, s"field $name: width must be at least 1 bit, not $width")
}

/** A protocol header as a table of fields without gaps, in wire order. */
case class Header(name: String, source: String, fields: Seq[Field]) {
  require(fields.map(_.name).distinct.size == fields.size, s"header $name names a field twice")

  /** Size of the whole header. */
  val bytes: Int = {
    val bits = fields.map(_.width).sum
    require(bits % 8 == 0, s"header $name has $bits bits, which are no whole bytes")
    bits / 8
  }

  def apply(field: String): Field = fields
    .find(_.name == field)
    .getOrElse(throw new NoSuchElementException(s"header $name has no field $field; it has ${fields.map(_.name).mkString(", ")}"))
}

object Header {
  def of(name: String, source: String)(widths: (String, Int)*): Header = {
    val offsets = widths.scanLeft(0)(_ + _._2)
    Header(name, source, widths.zip(offsets).map { case ((field, width), offset) => Field(field, offset, width) })
  }
}

/** Headers that follow each other in a frame. */
case class HeaderStack(headers: Header*) {

  /** Offset of a header from the start of the frame, in bytes. */
  def start(header: Header): Int = {
    require(headers.contains(header), s"no ${header.name} in the stack ${headers.map(_.name).mkString(", ")}")
    headers.takeWhile(_ != header).map(_.bytes).sum
  }

  /** Offset of the first bit of a field from the start of the frame. */
  def bit(header: Header, field: String): Int = start(header) * 8 + header(field).offset

  /** Offset of the byte that holds the first bit of a field. */
  def byte(header: Header, field: String): Int = bit(header, field) / 8

  /** Offset of the first byte after all headers. */
  val end: Int = headers.map(_.bytes).sum
}

/** The headers the engines read and write. Hardware and simulation codecs are built from these tables. */
object Headers {
  val ethernet = Header.of("ethernet", "IEEE 802.3, clause 3.1")(
    "destination" -> 48,
    "source" -> 48,
    "etherType" -> 16,
  )
  val arp = Header.of("arp", "RFC 826, for IPv4 over Ethernet")(
    "hardware" -> 16,
    "protocol" -> 16,
    "hardwareBytes" -> 8,
    "protocolBytes" -> 8,
    "operation" -> 16,
    "senderMac" -> 48,
    "senderAddress" -> 32,
    "targetMac" -> 48,
    "targetAddress" -> 32,
  )
  val ipv4 = Header.of("ipv4", "RFC 791, section 3.1")(
    "version" -> 4,
    "headerWords" -> 4,
    "service" -> 8,
    "totalLength" -> 16,
    "identification" -> 16,
    "flags" -> 3,
    "fragmentOffset" -> 13,
    "timeToLive" -> 8,
    "protocol" -> 8,
    "checksum" -> 16,
    "source" -> 32,
    "destination" -> 32,
  )
  val udp = Header.of("udp", "RFC 768")(
    "sourcePort" -> 16,
    "destinationPort" -> 16,
    "length" -> 16,
    "checksum" -> 16,
  )
  val coap = Header.of("coap", "RFC 7252, section 3")(
    "version" -> 2,
    "type" -> 2,
    "tokenLength" -> 4,
    "code" -> 8,
    "messageId" -> 16,
  )

  /** Control messages of the dispatcher, after UDP; what they stand for is said in `dispatch/Message.scala`. */
  val speedo = Header.of("speedo", "Speedo, section 3.3; the fields are ours")(
    "magic" -> 8,
    "version" -> 4,
    "kind" -> 4,
    "task" -> 8,
    "attempt" -> 4,
    "reason" -> 4,
    "function" -> 32,
    "request" -> 32,
    "tag" -> 32,
    "key" -> 32,
    "payload" -> 32,
    "invocation" -> 32,
    "payloadBytes" -> 16,
    "worker" -> 16,
  )

  /** A request to remote memory (HiveMind, section 4.4); the data of a write follows. */
  val rmemRequest = Header.of("rmemRequest", "docs/fabric.md, Remote memory")(
    "version" -> 8,
    "operation" -> 8,
    "requester" -> 16,
    "tag" -> 32,
    "name" -> 64,
    "offset" -> 64,
    "length" -> 32,
    "requesterClass" -> 8,
    "reserved" -> 24,
  )

  /** What answers it; the data of a read follows. */
  val rmemResponse = Header.of("rmemResponse", "docs/fabric.md, Remote memory")(
    "version" -> 8,
    "operation" -> 8,
    "requester" -> 16,
    "tag" -> 32,
    "status" -> 8,
    "reserved" -> 24,
    "length" -> 32,
  )

  /** An RPC, after UDP; 48 bytes of payload follow, of which `payloadBytes` count. Both together are a line: 64 bytes. */
  val rpc = Header.of("rpc", "docs/fabric.md, RPC; HiveMind, section 4.5; the fields are ours")(
    "version" -> 8,
    "kind" -> 8,
    "connection" -> 16,
    "id" -> 32,
    "key" -> 32,
    "method" -> 16,
    "payloadBytes" -> 8,
    "reserved" -> 8,
  )

  val coapOverUdp = HeaderStack(ethernet, ipv4, udp, coap)
}
