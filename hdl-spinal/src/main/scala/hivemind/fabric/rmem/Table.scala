package hivemind.fabric.rmem

import spinal.core._
import spinal.lib._

/** What the host asks of the table. CLEAR empties it. */
object TableOperation extends SpinalEnum {
  val INSERT, REMOVE, CLEAR = newElement()
}

/** How it ended. FULL: every entry of the set holds another object. BAD_RANGE: the object would reach beyond the last address.
  * The position of each is its code in the register.
  */
object TableStatus extends SpinalEnum(binarySequential) {
  val DONE, NOT_FOUND, FULL, BAD_RANGE = newElement()
}

case class TableCommand(p: RmemParameters) extends Bundle {
  val operation = TableOperation()
  val entry = Entry(p)
}

/** One way of the table: a memory with a registered output, so that data comes two cycles after its address. */
class TableWay(p: RmemParameters) extends Component {
  val io = new Bundle {

    /** What is read stays while this is low. */
    val advance = in Bool ()
    val set = in UInt (log2Up(p.sets) bits)
    val entry = out(Entry(p))
    val write = slave(Flow(Entry(p)))
    val writeSet = in UInt (log2Up(p.sets) bits)
  }
  private val memory = Mem(Bits(Entry(p).getBitsWidth bits), p.sets)
  memory.write(io.writeSet, io.write.payload.asBits, io.write.valid)
  private val read = memory.readSync(io.set, io.advance)
  io.entry.assignFromBits(RegNextWhen(read, io.advance))
}

object Table {

  /** The set of a name: its bits folded by exclusive or. */
  def set(p: RmemParameters, name: Bits): UInt = {
    val bits = log2Up(p.sets)
    B((0 until bits).map(n => (n until name.getWidth by bits).map(name(_)).reduce(_ ^ _))).asUInt
  }
}
