package hivemind.fabric.rmem

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi.{Axi4, Axi4Config}

/** What goes with a beat of a read to its answer. */
case class ReadBeat() extends Bundle {
  val isLast, isBad = Bool()
}

/** Memory of the fabric itself behind an AXI4 port. Bursts are those of [[MemoryAccess]]: INCR, in words as wide as the port. What
  * lies beyond the memory is answered with an error, and changes nothing.
  */
class OnChipMemory(config: Axi4Config, bytes: Int) extends Component {
  require(isPow2(bytes), s"bytes must be a power of two, not $bytes")
  val io = slave(Axi4(config))
  private val wordBytes = config.dataWidth / 8
  private val memory = Mem(Bits(config.dataWidth bits), bytes / wordBytes)
  private def isBeyond(address: UInt): Bool = (address >> log2Up(bytes)) =/= 0
  private def wordOf(address: UInt): UInt = address(log2Up(bytes) - 1 downto log2Up(wordBytes))

  new Area {
    val isBusy, isBad = RegInit(False)
    val word = Reg(UInt(log2Up(bytes / wordBytes) bits))
    val left = Reg(UInt(8 bits))
    io.ar.ready := !isBusy
    val command = Stream(UInt(word.getWidth bits))
    command.valid := isBusy
    command.payload := word
    val beat = ReadBeat()
    beat.isLast := left === 0
    beat.isBad := isBad
    when(command.fire) {
      word := word + 1
      left := left - 1
      isBusy := left =/= 0
    }
    when(io.ar.fire) {
      isBusy := True
      isBad := isBeyond(io.ar.addr)
      word := wordOf(io.ar.addr)
      left := io.ar.len
    }
    // the output of a block RAM is registered before any logic, and what takes it is far from what asks
    val answer = memory.streamReadSync(command, beat).m2sPipe().s2mPipe()
    io.r.arbitrationFrom(answer)
    io.r.data := answer.value
    io.r.last := answer.linked.isLast
    io.r.resp := Mux(answer.linked.isBad, Axi4.resp.DECERR, Axi4.resp.OKAY)
  }

  new Area {
    val isBusy, isBad = RegInit(False)
    val word = Reg(UInt(log2Up(bytes / wordBytes) bits))
    val ended = Stream(Bool())
    io.aw.ready := !isBusy
    io.w.ready := isBusy && ended.ready
    memory.write(word, io.w.data, io.w.fire && !isBad, io.w.strb)
    ended.valid := io.w.fire && io.w.last
    ended.payload := isBad
    when(io.w.fire) {
      word := word + 1
      when(io.w.last)(isBusy := False)
    }
    when(io.aw.fire) {
      isBusy := True
      isBad := isBeyond(io.aw.addr)
      word := wordOf(io.aw.addr)
    }
    val answer = ended.queue(4)
    io.b.arbitrationFrom(answer)
    io.b.resp := Mux(answer.payload, Axi4.resp.DECERR, Axi4.resp.OKAY)
  }
}
