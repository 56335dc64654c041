package hivemind.fabric.net

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axis.{Axi4Stream, Axi4StreamConfig}

/** Frames as words, as bytes, and as beats of an AXI-Stream of 16 bytes. A byte in each cycle is the rate of a GMII. */
object FrameBytes {

  /** The bytes of words. */
  def of(words: Stream[FrameWord]): Stream[FrameByte] = {
    val index = Reg(UInt(4 bits)) init 0
    val bytes = Stream(FrameByte())
    val isEnd = index === words.count
    bytes.valid := words.valid
    bytes.data := words.data.subdivideIn(8 bits).read(index)
    bytes.last := words.last && isEnd
    words.ready := bytes.ready && isEnd
    when(bytes.fire)(index := Mux(isEnd, U(0), index + 1))
    bytes.m2sPipe()
  }

  /** The words of bytes. */
  def pack(bytes: Stream[FrameByte]): Stream[FrameWord] = {
    val position = Reg(UInt(4 bits)) init 0
    val word = Reg(Vec.fill(16)(Bits(8 bits)))
    val count = Reg(UInt(4 bits))
    val last = Reg(Bool())
    val isWhole = RegInit(False)
    val words = Stream(FrameWord())
    words.valid := isWhole
    words.data := word.asBits
    words.count := count
    words.last := last
    bytes.ready := !isWhole || words.ready
    when(words.fire)(isWhole := False)
    when(bytes.fire) {
      word(position) := bytes.data
      count := position
      last := bytes.last
      isWhole := bytes.last || position.andR
      position := Mux(bytes.last, U(0), position + 1)
    }
    words
  }

  /** Words as beats of an AXI-Stream. */
  def toAxis(words: Stream[FrameWord], config: Axi4StreamConfig): Axi4Stream.Axi4Stream = {
    val stream = Axi4Stream(config)
    stream.arbitrationFrom(words)
    stream.data := words.data
    stream.keep := ((U(2, 17 bits) |<< words.count) - 1)(15 downto 0).asBits
    stream.last := words.last
    stream
  }

  /** Beats of an AXI-Stream as words: the bytes of a beat are its lowest, and all beats but the last are full. */
  def fromAxis(stream: Axi4Stream.Axi4Stream): Stream[FrameWord] = {
    val words = Stream(FrameWord())
    words.arbitrationFrom(stream)
    words.data := stream.data
    words.count := (CountOne(stream.keep) - 1).resized
    words.last := stream.last
    words
  }

  /** Joins streams of frames, a whole frame of one after a whole frame of another. */
  def join[T <: Data with OfFrame](streams: Seq[Stream[T]]): Stream[T] =
    if (streams.size == 1) streams.head
    else StreamArbiterFactory().roundRobin.lambdaLock[T]((s: Stream[T]) => s.payload.last).on(streams)
}
