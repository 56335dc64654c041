package hivemind.fabric.dispatch

import hivemind.fabric.net.Headers.speedo
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.Axi4Stream

/** What a message is. The codes are those on the wire; others are malformed. */
object Kind extends SpinalEnum {

  /** CALL: run one function. START: run a workflow, named by `function`. DISPATCH: to a worker. DONE: from a worker, with the
    * `tag` of its DISPATCH. RESOLVE: the host has done a task of an invocation. ABANDON: the host gives an invocation up.
    * RESULT: a call or an invocation is done.
    */
  val NONE, CALL, START, DISPATCH, DONE, RESOLVE, ABANDON, RESULT = newElement()
  defaultEncoding = binarySequential
}

/** Why a message went to the slow path, which it takes with the kind that it had: CALL, START, or DISPATCH of a task. The codes are those on the wire. */
object Reason extends SpinalEnum {

  /** MALFORMED: no message that belongs here. DISABLED: the engine is switched off. NO_WORKER: no row of the match table has
    * the function, or its row names no worker. TABLE_FULL: as many requests are in flight as the table holds. EXHAUSTED: timed
    * out, and the retries are used up. NO_WORKFLOW: the workflow is not loaded. INVOCATIONS_FULL: as many invocations are in
    * progress as the table holds.
    */
  val NONE, MALFORMED, DISABLED, NO_WORKER, TABLE_FULL, EXHAUSTED, NO_WORKFLOW, INVOCATIONS_FULL = newElement()
  defaultEncoding = binarySequential
}

/** A message: the header of Speedo-RPC but for its magic and version. The payload stays where the sender put it. */
case class Message() extends Bundle {
  val kind = Bits(4 bits)

  /** The task of a workflow; 0 in calls. */
  val task = UInt(8 bits)

  /** How often the request has been dispatched before. */
  val attempt = UInt(4 bits)
  val reason = Bits(4 bits)

  /** The function, or the workflow of a START. */
  val function = Bits(32 bits)

  /** The sender's name for the request, given back in its RESULT. */
  val request = Bits(32 bits)

  /** Handle of the dispatched request: generation (16 bits) and place in the table (16 bits). */
  val tag = Bits(32 bits)

  /** What the balancer by key hashes. */
  val key = Bits(32 bits)

  /** Handle of the payload, and its size. */
  val payload = Bits(32 bits)

  /** Handle of the invocation, as `tag`; 0 in calls. */
  val invocation = Bits(32 bits)
  val payloadBytes = UInt(16 bits)
  val worker = UInt(16 bits)

  def is(kind: SpinalEnumElement[Kind.type]): Bool = this.kind === kind.position

  /** The same message with the reason for which it takes the slow path. */
  def because(reason: Bits): Message = {
    val message = Message()
    message := this
    message.allowOverride()
    message.reason := reason
    message
  }
}

object Message {
  val magic: Int = 0x5d
  val version: Int = 1

  /** Words of the stream that one message takes. */
  val words: Int = speedo.bytes / DispatchParameters.wordBytes

  /** A message without values. */
  def zero(): Message = {
    val message = Message()
    message.assignFromBits(B(0, message.getBitsWidth bits))
    message.allowOverride()
    message
  }

  /** The bits of a field in a header whose byte 0 is the lowest. Fields are big-endian on the wire. */
  private def places(name: String): Seq[Int] = {
    val field = speedo(name)
    (0 until field.width).map { n =>
      val wire = field.offset + field.width - 1 - n
      wire / 8 * 8 + 7 - wire % 8
    }
  }
  private def field(header: Bits, name: String): Bits = B(places(name).map(header(_)))

  /** Whether a header has our magic and version. */
  def isOurs(header: Bits): Bool = field(header, "magic") === magic && field(header, "version") === version

  def decode(header: Bits): Message = {
    val message = Message()
    for ((name, value) <- message.elements) value.assignFromBits(field(header, name))
    message
  }

  def encode(message: Message): Bits = {
    val values = message.elements.toMap.map { case (name, value) => name -> value.asBits } ++
      Map("magic" -> B(magic, 8 bits), "version" -> B(version, 4 bits))
    val header = Bits(speedo.bytes * 8 bits)
    for (field <- speedo.fields; (place, n) <- places(field.name).zipWithIndex) header(place) := values(field.name)(n)
    header
  }
}

/** A message that came, and whether it is whole and ours. */
case class Received() extends Bundle {
  val message = Message()
  val isSound = Bool()
}

/** Takes messages from a stream of bytes. A frame that is no message, too short, too long or with a gap, gives one that is not
  * sound, with what its first bytes say. A message takes three cycles
  * at least, so that what comes does not wait for what becomes of it in the same cycle.
  */
class MessageReader(p: DispatchParameters) extends Component {
  val io = new Bundle {
    val input = slave(Axi4Stream(p.stream))
    val output = master(Stream(Received()))
  }
  private val index = RegInit(U(0, 2 bits))
  private val words = Reg(Vec.fill(Message.words)(Bits(p.stream.dataWidth * 8 bits)))
  private val isFull = RegInit(True)
  private val isWhole = Reg(Bool())
  private val valid = RegInit(False)

  io.input.ready := !valid
  when(io.output.fire)(valid := False)
  when(io.input.fire) {
    switch(index) {
      is(0) {
        words(0) := io.input.data
        words(1) := 0
      }
      is(1)(words(1) := io.input.data)
    }
    isFull := io.input.last || (isFull && io.input.keep.andR)
    when(index =/= Message.words)(index := index + 1)
    when(io.input.last) {
      index := 0
      isWhole := index === Message.words - 1 && isFull && io.input.keep.andR
      valid := True
    }
  }
  private val header = Cat(words)
  io.output.valid := valid
  io.output.message := Message.decode(header)
  io.output.isSound := isWhole && Message.isOurs(header)
}

/** Sends each message as two words of bytes. */
class MessageWriter(p: DispatchParameters) extends Component {
  val io = new Bundle {
    val input = slave(Stream(Message()))
    val output = master(Axi4Stream(p.stream))
  }
  private val isSecond = RegInit(False)
  private val words = Message.encode(io.input.payload).subdivideIn(p.stream.dataWidth * 8 bits)
  io.output.valid := io.input.valid
  io.output.data := Mux(isSecond, words(1), words(0))
  io.output.keep.setAll()
  io.output.last := isSecond
  io.input.ready := io.output.ready && isSecond
  when(io.output.fire)(isSecond := !isSecond)
}
