package hivemind.fabric.rpc

import spinal.core._
import spinal.lib._

/** The connection table: who is at the other end of each, and the flow it belongs to. Two streams look connections up, each in its order.
  * The table is emptied after the reset; look-ups wait for that. A row changes in one cycle, for which look-ups of it wait.
  */
class Connections[R <: Data, T <: Data](p: RpcParameters, received: HardType[R], sent: HardType[T]) extends Component {
  val io = new Bundle {
    val write = slave(Stream(ConnectionWrite(p)))
    val rx = slave(Stream(received()))
    val rxNumber = in UInt (p.connectionBits bits)
    val rxRow = master(Stream(Connections.Row(p, received)))
    val tx = slave(Stream(sent()))
    val txNumber = in UInt (p.connectionBits bits)
    val txRow = master(Stream(Connections.Row(p, sent)))
  }
  private val memory = Mem(Bits(widthOf(Connection(p)) bits), p.connections)
  private val swept = Reg(UInt(p.connectionBits + 1 bits)) init 0
  private val isSwept = swept.msb
  when(!isSwept)(swept := swept + 1)
  io.write.ready := isSwept
  memory.write(
    Mux(isSwept, io.write.number, swept.resize(p.connectionBits)),
    Mux(isSwept, io.write.row.asBits, B(0, widthOf(Connection(p)) bits)),
    io.write.valid || !isSwept,
  )

  private def lookUp[A <: Data](asked: Stream[A], number: UInt, kept: HardType[A]): Stream[Connections.Row[A]] = {
    // a row that is read while it is written would be junk
    val isChanging = io.write.valid && io.write.number === number
    val command = asked.haltWhen(!isSwept || isChanging).translateWith(number)
    val found = memory.streamReadSync(command, asked.payload).m2sPipe()
    found.map { found =>
      val row = Connections.Row(p, kept)
      row.connection.assignFromBits(found.value)
      row.asked := found.linked
      row
    }
  }
  io.rxRow << lookUp(io.rx, io.rxNumber, received)
  io.txRow << lookUp(io.tx, io.txNumber, sent)
}

object Connections {

  /** A row with what it was looked up for. */
  case class Row[A <: Data](p: RpcParameters, kept: HardType[A]) extends Bundle {
    val connection = Connection(p)
    val asked = kept()
  }
}
