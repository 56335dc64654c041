package hivemind.fabric.dispatch

import spinal.core._

/** The engine runs in frames of five cycles, its phases 0 to 4. Every table is read in one phase and written in others, so
  * no access waits for another, and no value is forwarded past a memory. Each part takes at most one item in a frame, at phase 0.
  */
object Schedule {
  val cycles: Int = 5
  def phase(): UInt = UInt(3 bits)

  /** The phase in which the host's writes reach the tables. No table is read in it. */
  val hostWrites: Int = 3
}

/** How a worker is chosen among those of a function. */
object Balancer extends SpinalEnum {

  /** ROUND_ROBIN: one after the other, for each function. RANDOM: by a linear feedback shift register. LEAST_LOADED: that with
    * the fewest requests in flight, the first of equals. KEY_HASH: by the hash of the key.
    */
  val ROUND_ROBIN, RANDOM, LEAST_LOADED, KEY_HASH = newElement()
  defaultEncoding = binarySequential
}

/** What the host sets. It may change under traffic; a request is judged by one set. */
case class DispatchSettings() extends Bundle {
  val enabled = Bool()
  val balancer = Balancer()

  /** Ticks of `tickCycles` after which a request in flight counts as lost; 0: never. */
  val timeout = UInt(15 bits)

  /** How often a request that timed out is dispatched again. */
  val retries = UInt(4 bits)
}

/** A place in a table, and how often it was used before. */
case class Handle(slotBits: Int, generationBits: Int) extends Bundle {
  val slot = UInt(slotBits bits)
  val generation = UInt(generationBits bits)

  /** The handle in a message: generation and place, of 16 bits each. */
  def word: Bits = generation.asBits.resize(16 bits) ## slot.asBits.resize(16 bits)
}

object Handle {
  def of(word: Bits, slotBits: Int, generationBits: Int): Handle = {
    val handle = Handle(slotBits, generationBits)
    handle.slot := word(slotBits - 1 downto 0).asUInt
    handle.generation := word(16 + generationBits - 1 downto 16).asUInt
    handle
  }

  /** Whether a word of a message can be a handle of such a table. */
  def isInRange(word: Bits, slotBits: Int, generationBits: Int): Bool =
    of(word, slotBits, generationBits).word === word
}

/** A request on its way: a call, or a task of an invocation. */
case class Work(p: DispatchParameters) extends Bundle {
  val function, request, key, payload = Bits(32 bits)
  val payloadBytes = UInt(16 bits)
  val isTask = Bool()
  val invocation = Handle(p.invocationBits, p.generationBits)
  val task = UInt(p.taskBits bits)
  val attempt = UInt(4 bits)

  /** The message of this kind about the request. */
  def message(kind: SpinalEnumElement[Kind.type]): Message = {
    val message = Message.zero()
    message.kind := kind.position
    message.task := Mux(isTask, task.resize(8 bits), U(0, 8 bits))
    message.attempt := attempt
    message.function := function
    message.request := request
    message.key := key
    message.payload := payload
    message.invocation := Mux(isTask, invocation.word, B(0, 32 bits))
    message.payloadBytes := payloadBytes
    message
  }
}

/** A request that goes to a worker. */
case class Dispatched(p: DispatchParameters) extends Bundle {
  val work = Work(p)
  val tag = Handle(p.slotBits, p.generationBits)
  val worker = UInt(p.workerBits bits)
}

/** A request that goes to the slow path. */
case class Refused(p: DispatchParameters) extends Bundle {
  val work = Work(p)
  val reason = Reason()
}

/** A row of the match table. */
case class MatchRow(p: DispatchParameters) extends Bundle {
  val function = Bits(32 bits)

  /** Workers of the function; 0: the row is empty. */
  val count = UInt(p.countBits bits)
  val members = Vec.fill(p.workersPerFunction)(UInt(p.workerBits bits))
}

/** The tables that the host fills. */
object Table extends SpinalEnum {

  /** MATCH: way (highest bit) and row by hash. WORKFLOW: by workflow. TASK_PARENTS, TASK_CHILDREN: by workflow and task. */
  val MATCH, WORKFLOW, TASK_PARENTS, TASK_CHILDREN = newElement()
  defaultEncoding = binarySequential
}

/** One row, written by the host all at once. Data: MATCH: function (32), count (8), members (8 each). WORKFLOW: tasks (64),
  * roots (64). TASK_PARENTS: parents (64), function (32). TASK_CHILDREN: children (64). The first is in the lowest bits.
  */
case class TableWrite() extends Bundle {
  val table = Table()
  val address = UInt(16 bits)
  val data = Bits(TableWrite.words * 32 bits)
}

object TableWrite {
  val words: Int = 4
}

/** Hash of a function's id and of keys: CRC-16 with polynomial 0x1021, from 0, the highest bit first. */
object Hash {
  def apply(value: Bits): Bits = {
    var crc: Seq[Bool] = Seq.fill(16)(False)
    for (bit <- value.asBools.reverse) {
      val feedback = crc(15) ^ bit
      crc = (False +: crc.init).zipWithIndex.map { case (each, n) => if (n == 0 || n == 5 || n == 12) each ^ feedback else each }
    }
    B(crc)
  }
}

/** Visits the rows of all tables once after a reset, so that nothing of what the memories held before counts. */
case class Sweep(p: DispatchParameters) extends Bundle {
  val isActive = Bool()
  val row = UInt(log2Up(p.sweepRows) bits)

  /** Bit n: the sweep is active, and its row is one of the first 2^n. */
  val covered = Bits(log2Up(p.sweepRows) + 1 bits)

  /** Whether a table of so many rows, a power of two, is to clear this row. */
  def covers(rows: Int): Bool = covered(log2Up(rows))
}
