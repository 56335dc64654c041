package hivemind.fabric.net

import hivemind.fabric.net.Frames.{Frame, ones}

/** A process on another machine, for tests. */
case class Host(mac: Long, address: Int, port: Int)

/** Datagrams and questions for addresses, written byte by byte without the tables of the hardware. */
object Datagrams {
  private def be(value: Long, bytes: Int): Seq[Byte] = (bytes - 1 to 0 by -1).map(n => (value >> (8 * n)).toByte)

  /** A datagram; `damage` changes its bytes after all checksums were computed. */
  def frame(from: Host, to: Host, payload: Seq[Byte], withChecksum: Boolean = true, identification: Int = 0, flags: Int = 0x4000): Frame = {
    val length = 8 + payload.size
    val pseudo = be(from.address, 4) ++ be(to.address, 4) ++ be(17, 2) ++ be(length, 2)
    val udp = be(from.port, 2) ++ be(to.port, 2) ++ be(length, 2)
    val sum = ones(pseudo ++ udp ++ be(0, 2) ++ payload)
    val checksum: Int = if (!withChecksum) 0 else if (sum == 0) 0xffff else sum
    val start = be(0x4500, 2) ++ be(20 + length, 2) ++ be(identification, 2) ++ be(flags, 2) ++ be(0x4011, 2)
    val addresses = be(from.address, 4) ++ be(to.address, 4)
    val ip = start ++ be(ones(start ++ be(0, 2) ++ addresses), 2) ++ addresses
    val ethernet = be(to.mac, 6) ++ be(from.mac, 6) ++ be(0x0800, 2)
    (ethernet ++ ip ++ udp ++ be(checksum, 2) ++ payload).padTo(60, 0.toByte).toIndexedSeq
  }

  /** What a datagram carries, when `frame` is exactly that datagram. */
  def payload(frame: Frame, from: Host, to: Host): Seq[Byte] = {
    val size = ((frame(38) & 0xff) << 8 | (frame(39) & 0xff)) - 8
    val carried = frame.slice(42, 42 + size)
    assert(frame == Datagrams.frame(from, to, carried), s"no sound datagram from $from to $to: $frame")
    carried
  }

  def question(from: Host, address: Int): Frame = arp(from, 1, be(0xffffffffffffL, 6), be(0, 6) ++ be(address, 4))
  def answer(from: Host, to: Host): Frame = arp(from, 2, be(to.mac, 6), be(to.mac, 6) ++ be(to.address, 4))

  private def arp(from: Host, operation: Int, destination: Seq[Byte], target: Seq[Byte]): Frame =
    (destination ++ be(from.mac, 6) ++ be(0x0806, 2) ++ be(1, 2) ++ be(0x0800, 2) ++ be(0x0604, 2) ++ be(operation, 2) ++
      be(from.mac, 6) ++ be(from.address, 4) ++ target).padTo(60, 0.toByte).toIndexedSeq
}
