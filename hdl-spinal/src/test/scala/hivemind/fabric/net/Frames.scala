package hivemind.fabric.net

/** Frames for tests, written byte by byte without the tables of the hardware. */
object Frames {
  type Frame = IndexedSeq[Byte]

  def ones(bytes: Seq[Byte]): Int = {
    var sum = 0L
    for (pair <- bytes.grouped(2)) sum += ((pair.head & 0xff) << 8) | (if (pair.size > 1) pair(1) & 0xff else 0)
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16)
    (~sum & 0xffff).toInt
  }

  private def be(value: Long, bytes: Int): Seq[Byte] = (bytes - 1 to 0 by -1).map(n => (value >> (8 * n)).toByte)

  case class Coap(
      source: Int = 0x0a000001,
      payload: Seq[Byte] = Seq(),
      options: Seq[Byte] = Seq(0xb1.toByte, 't'.toByte),
      token: Seq[Byte] = Seq(),
      kind: Int = 1,
      code: Int = 2,
      messageId: Int = 1,
      port: Int = 5683,
      udpChecksum: Option[Int] = None,
      ipChecksum: Option[Int] = None,
      udpLength: Option[Int] = None,
      totalLength: Option[Int] = None,
      fragment: Int = 0,
      etherType: Int = 0x0800,
      versionAndWords: Int = 0x45,
      marker: Boolean = true,
  ) {
    def frame: Frame = {
      val coap = Seq((0x40 | (kind << 4) | token.size).toByte, code.toByte) ++ be(messageId, 2) ++ token ++ options ++
        (if (marker) Seq(0xff.toByte) ++ payload else Seq())
      val destination = 0x0a0000fe
      val udpSize = udpLength.getOrElse(8 + coap.size)
      val pseudo = be(source, 4) ++ be(destination, 4) ++ be(17, 2) ++ be(udpSize, 2)
      val udp = be(40000, 2) ++ be(port, 2) ++ be(udpSize, 2)
      val computed = ones(pseudo ++ udp ++ be(0, 2) ++ coap)
      val checksum: Int = udpChecksum.getOrElse(if (computed == 0) 0xffff else computed)
      val datagram = udp ++ be(checksum, 2) ++ coap
      val total = totalLength.getOrElse(20 + datagram.size)
      val start = Seq(versionAndWords.toByte, 0.toByte) ++ be(total, 2) ++ be(7, 2) ++ be(fragment, 2) ++ Seq(64.toByte, 17.toByte)
      val addresses = be(source, 4) ++ be(destination, 4)
      val headerChecksum: Int = ipChecksum.getOrElse(ones(start ++ be(0, 2) ++ addresses))
      val ip = start ++ be(headerChecksum, 2) ++ addresses
      val ethernet = be(0x020000000002L, 6) ++ be(0x020000000001L, 6) ++ be(etherType, 2)
      (ethernet ++ ip ++ datagram).padTo(60, 0.toByte).toIndexedSeq
    }
  }

  def double(x: Double): Seq[Byte] = 0xfb.toByte +: be(java.lang.Double.doubleToRawLongBits(x), 8)
  def float(x: Float): Seq[Byte] = 0xfa.toByte +: be(java.lang.Float.floatToRawIntBits(x), 4)
  def half(bits: Int): Seq[Byte] = 0xf9.toByte +: be(bits, 2)
  def integer(n: Long, size: Int): Seq[Byte] = {
    val major = if (n < 0) 0x20 else 0
    val value = if (n < 0) -1 - n else n
    if (size == 0) Seq((major | value.toInt).toByte)
    else {
      val log = Integer.numberOfTrailingZeros(size)
      (major | (24 + log)).toByte +: be(value, size)
    }
  }

  /** An option with its number as a difference to the option before it. */
  def option(delta: Int, value: Seq[Byte]): Seq[Byte] = {
    def nibble(n: Int) = if (n < 13) (n, Seq()) else if (n < 269) (13, be(n - 13, 1)) else (14, be(n - 269, 2))
    val ((d, dx), (l, lx)) = (nibble(delta), nibble(value.size))
    ((d << 4) | l).toByte +: (dx ++ lx ++ value)
  }
}
