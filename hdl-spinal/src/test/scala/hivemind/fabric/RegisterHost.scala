package hivemind.fabric

import spinal.core._
import spinal.core.sim._
import spinal.lib.bus.amba3.apb.Apb3

/** The host's side of the registers of a simulated engine: one access at a time. An access to no register fails the test. */
class RegisterHost(bus: Apb3, clock: ClockDomain) {
  bus.PSEL #= 0
  bus.PENABLE #= false

  def read(address: Int): Long = access(address, None)
  def write(address: Int, value: Long): Unit = access(address, Some(value))

  private def access(address: Int, write: Option[Long]): Long = {
    bus.PADDR #= address
    bus.PWRITE #= write.isDefined
    bus.PWDATA #= write.getOrElse(0L)
    bus.PSEL #= 1
    bus.PENABLE #= false
    clock.waitSampling()
    bus.PENABLE #= true
    clock.waitSamplingWhere(bus.PREADY.toBoolean)
    assert(!bus.PSLVERROR.toBoolean, s"no register at $address")
    val value = bus.PRDATA.toLong
    bus.PSEL #= 0
    bus.PENABLE #= false
    value
  }
}
