package hivemind.fabric

import spinal.core._

/** What the Ethernet side has done since its reset. Counters wrap. */
case class EthernetCounters() extends Bundle {
  val received, damaged, overflowed, sent = UInt(32 bits)
}
