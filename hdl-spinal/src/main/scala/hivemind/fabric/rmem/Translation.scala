package hivemind.fabric.rmem

import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** Finds the object of each request, and judges it: one access leaves for each request, in order.
  *
  * An access whose status is OK lies within its object: `address` is at least `base`, and `address` + `length` at most `base` +
  * `size`, without wrap-around. The table changes between requests: those before a change have ended their business with the
  * memory, those after it see it (HiveMind, section 4.4: address mapping is handled by the FPGA).
  */
class Translation(p: RmemParameters) extends Component {
  val io = new Bundle {
    val requests = slave(Stream(Request(p)))
    val accesses = master(Stream(Access(p)))

    /** No access that has left has still to do with the memory. */
    val isQuiet = in Bool ()

    /** Taken when it has been done; its outcome is then in `outcome`. */
    val command = slave(Stream(TableCommand(p)))
    val outcome = out(TableStatus())

    /** Objects of the table. */
    val objects = out UInt (log2Up(p.sets * p.ways) + 1 bits)
  }
  private val setBits = log2Up(p.sets)
  private val ways = Seq.fill(p.ways)(new TableWay(p))
  private val objects = RegInit(U(0, io.objects.getWidth bits))
  io.objects := objects

  /** A request on its way through the stages, or, with `isCommand`, the look-up of a command. */
  private case class Passing() extends Bundle {
    val isCommand = Bool()
    val request = Request(p)
    val set = UInt(setBits bits)
  }
  val accept, isLookingUp = False
  private val sought = Mux(isLookingUp, io.command.entry.objectName, io.requests.objectName)
  private val last = 5
  val advance = Bool()
  val valids = Vec(Reg(Bool()) init False, last + 1)
  private val passing = Vec(Reg(Passing()), last + 1)
  for (n <- 0 to last) {
    when(advance) {
      if (n == 0) valids(n) := accept || isLookingUp else valids(n) := valids(n - 1)
      if (n > 0) passing(n) := passing(n - 1)
    }
  }
  io.requests.ready := accept && advance
  when(advance) {
    passing(0).isCommand := isLookingUp
    passing(0).request := io.requests.payload
    passing(0).request.objectName.allowOverride()
    passing(0).request.objectName := sought
    passing(0).set := Table.set(p, sought)
  }

  // Stage 0 reads the table; its output is registered, so stage 2 has the entries.
  for (way <- ways) {
    way.io.advance := advance
    way.io.set := passing(0).set
  }

  // Stage 2 compares names, and computes where the request ends in its object.
  private val entries = Vec(Entry(p), p.ways)
  for ((entry, way) <- entries.zip(ways)) entry := way.io.entry
  private def held[T <: Data](value: T): T = RegNextWhen(value, advance)
  private val hits = held(B(entries.map(entry => entry.isUsed && entry.objectName === passing(2).request.objectName)))
  private val free = held(B(entries.map(!_.isUsed)))
  private val end3 = held(passing(2).request.offset +^ passing(2).request.length)
  private val entries3 = held(entries)

  // Stage 3 selects the entry.
  private val isFound = held(hits.orR)
  private val hit = OHMasking.first(hits)
  private val way = held(OHToUInt(Mux(hits.orR, hit, OHMasking.first(free))))
  private val hasFree = held(free.orR)
  private val found = held(MuxOH.or(hit, entries3))
  private val end4 = held(end3)

  // Stage 4 holds it against the request.
  private val isAllowed = {
    val allowed = Mux(passing(4).request.isWrite, found.writers, found.readers)
    val asked = passing(4).request.requesterClass
    held((0 until p.classes).map(n => allowed(n) && asked === n).reduceBalancedTree(_ || _))
  }
  private val isInside = held(end4 <= found.size && !passing(4).request.isFar)
  private val address = held((found.base @@ U(0, p.laneBits bits)) + passing(4).request.offset.resize(p.addressBits bits))
  private val isFound5 = held(isFound)
  private val way5 = held(way)
  private val hasFree5 = held(hasFree)

  // Stage 5 has the verdict.
  private val request = passing(last).request
  private val access = io.accesses.payload
  access.status := Status.OK
  when(!isInside)(access.status := Status.OUT_OF_BOUNDS)
  when(!isAllowed)(access.status := Status.NOT_PERMITTED)
  when(!isFound5)(access.status := Status.UNKNOWN_NAME)
  when(request.status =/= Status.OK)(access.status := request.status)
  access.isWrite := request.isWrite
  access.hasData := request.isWrite && request.status === Status.OK
  access.echo := request.echo
  access.address := address
  access.length := request.length
  access.place := passing(last).set @@ way5.resize(log2Up(p.ways))
  io.accesses.valid := valids(last) && !passing(last).isCommand
  advance := !io.accesses.valid || io.accesses.ready

  // Whether the object of a command fits into the address space.
  private val operation = io.command.operation
  private val entry = io.command.entry
  private val objectEnd = RegNext((entry.base @@ U(0, p.laneBits bits)).resize(49 bits) + entry.size.resize(49 bits))
  private val isRangeGood = RegNext(objectEnd <= (BigInt(1) << p.addressBits))

  private val writes = Seq.fill(p.ways)(False)
  private val written = CombInit(entry)
  private val writtenSet = CombInit(passing(last).set)
  for ((way, write) <- ways.zip(writes)) {
    way.io.write.valid := write
    way.io.write.payload := written
    way.io.writeSet := writtenSet
  }
  io.command.ready := False
  io.outcome := TableStatus.DONE

  val flow = new StateMachine {
    private val swept = Reg(UInt(setBits bits)) init 0

    /** Empties the table: what its memory holds at first is not known. */
    val sweep: State = new State with EntryPoint {
      whenIsActive {
        writes.foreach(_ := True)
        written.isUsed := False
        writtenSet := swept
        swept := swept + 1
        objects := 0
        when(swept.andR) {
          io.command.ready := io.command.valid && operation === TableOperation.CLEAR
          goto(serve)
        }
      }
    }
    val serve: State = new State {
      whenIsActive {
        when(io.command.valid)(goto(drain)) otherwise (accept := io.requests.valid)
      }
    }
    val drain: State = new State {
      whenIsActive(when(!valids.orR && io.isQuiet) {
        when(operation === TableOperation.CLEAR)(goto(sweep)) otherwise goto(lookUp)
      })
    }
    val lookUp: State = new State {
      whenIsActive {
        isLookingUp := True
        goto(change)
      }
    }
    val change: State = new State {
      whenIsActive(when(valids(last)) {
        io.command.ready := True
        goto(serve)
        written.isUsed := operation === TableOperation.INSERT
        val chosen = UIntToOh(way5, p.ways)
        def write(): Unit = for ((write, n) <- writes.zipWithIndex) write := chosen(n)
        when(operation === TableOperation.REMOVE) {
          when(isFound5) {
            write()
            objects := objects - 1
          } otherwise (io.outcome := TableStatus.NOT_FOUND)
        } elsewhen (!isRangeGood) {
          io.outcome := TableStatus.BAD_RANGE
        } elsewhen (isFound5 || hasFree5) {
          write()
          when(!isFound5)(objects := objects + 1)
        } otherwise (io.outcome := TableStatus.FULL)
      })
    }
  }
}
