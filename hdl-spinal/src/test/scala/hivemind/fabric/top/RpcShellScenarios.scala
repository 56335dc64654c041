package hivemind.fabric.top

import hivemind.fabric.IdBlock
import hivemind.fabric.net.Frames.Frame
import hivemind.fabric.net.{Datagrams, Host}
import hivemind.fabric.rmem.{Message => Request}
import hivemind.fabric.rpc.Call

/** Scenarios of a fabric of rmem and rpc by what a board's pins would see. A host elsewhere has the rings in the memory that rmem serves.
  * Each throws where the fabric does other than it must.
  */
object RpcShellScenarios {
  private val fabric = Host(0x02000000aa01L, 0x0a000063, 4903)
  private val client = Host(0x020000000011L, 0x0a000011, 7000)
  private val host = Host(0x020000000012L, 0x0a000012, 7001)
  private val memory = fabric.copy(port = 4902)
  private object At {
    val Address = 0x30
    val Class0 = 0x3c
    val Rmem = 0x300
    val Rpc = 0x400
  }
  private def exchange(board: FabricHarness, frames: Frame*): Seq[Frame] = {
    board.out.clear()
    frames.foreach(board.send(_))
    board.settle()
    board.out.toSeq
  }

  private def started(dut: Fabric): FabricHarness = {
    val board = new FabricHarness(dut)
    board.write(At.Address + 4, fabric.mac & 0xffffffffL)
    board.write(At.Address + 8, fabric.mac >> 32)
    board.write(At.Address, fabric.address)
    board.write(At.Class0, host.address)
    // an object that is the whole memory
    for ((word, n) <- Seq(1L, 0L, 0L, 0L, 16384L, 0x101L).zipWithIndex) board.write(At.Rmem + 0x30 + 4 * n, word)
    board.write(At.Rmem + 0x20, 1)
    def place(isTransmit: Boolean, address: Int): Unit = {
      board.write(At.Rpc + 0x3c, 1)
      board.write(At.Rpc + 0x40, address / 64)
      board.write(At.Rpc + 0x44, 3)
      board.write(At.Rpc + 0x34, if (isTransmit) 2 else 1)
      assert(board.read(At.Rpc + 0x38) == 0)
    }
    place(isTransmit = false, 0x1000)
    place(isTransmit = true, 0x2000)
    board.write(At.Rpc + 0x48, client.address)
    board.write(At.Rpc + 0x4c, client.mac & 0xffffffffL)
    board.write(At.Rpc + 0x50, client.port | (client.mac >> 32) << 16)
    board.write(At.Rpc + 0x54, 5 | 1 << 16 | 1L << 24)
    board.write(At.Rpc + 0x34, 4)
    board.write(At.Rpc + 0x28, 2)
    board.write(At.Rpc + 0x2c, 4)
    board
  }
  private def readRing(board: FabricHarness, entry: Int): Seq[Byte] = {
    val answer = exchange(board, Datagrams.frame(host, memory, Request.read(1, 0x1000 + 64 * entry, 64).bytes))
    Datagrams.payload(answer.head, memory, host).drop(16)
  }

  /** RPCs from the network are in the ring, and a host that reads and writes the rings over the network answers them. */
  def answered(dut: Fabric): Unit = {
    val board = started(dut)
    assert((1 to 4).map(window => board.read(0x1c + 4 * window)) == Seq(0L, 0L, IdBlock.word("RMEM").toLong, IdBlock.word("RPC ").toLong))
    val calls = Seq.tabulate(3)(n => Call(5, 100 + n))
    assert(exchange(board, calls.map(call => Datagrams.frame(client, fabric, call.line)): _*).isEmpty)
    assert(board.read(At.Rpc + 0x58) == 3)
    assert(calls.indices.map(readRing(board, _)) == calls.map(_.line))
    board.write(At.Rpc + 0x60, 3 | 1 << 16 | 1L << 24)

    val answers = calls.map(_.copy(kind = 2, filler = 9))
    val writes = answers.zipWithIndex.map { case (call, n) => Datagrams.frame(host, memory, Request.write(1, 0x2000 + 64 * n, call.line).bytes) }
    assert(exchange(board, writes: _*).size == 3)
    board.out.clear()
    board.write(At.Rpc + 0x64, 3 | 1 << 16 | 1L << 24)
    board.settle()
    assert(board.out == answers.map(call => Datagrams.frame(fabric, client, call.line)))
    assert(board.read(At.Rpc + 0x5c) == (3 | 3 << 16))
  }

  /** Memory is read and written while RPCs come; what is for another passes. */
  def beside(dut: Fabric): Unit = {
    val board = started(dut)
    val others = Seq(
      Datagrams.frame(client, fabric.copy(address = fabric.address + 1), Call(5, 1).line),
      Datagrams.frame(client, fabric.copy(port = 4904), Call(5, 1).line),
    )
    val mixed = (0 until 8).flatMap(n =>
      Seq(
        Datagrams.frame(client, fabric, Call(5, n).line),
        Datagrams.frame(host, memory, Request.write(1, 256 * n, Seq.fill(100)(n.toByte)).bytes),
        Datagrams.frame(host, memory, Request.read(1, 256 * n, 100).bytes),
      )
    )
    val out = exchange(board, others ++ mixed: _*)
    assert(out.take(2) == others && out.size == 2 + 16)
    val read = out.drop(2).map(Datagrams.payload(_, memory, host)).filter(_.size > 16).map(_.drop(16))
    assert(read == (0 until 8).map(n => Seq.fill(100)(n.toByte)))
    assert((board.read(At.Rpc + 0x58) & 0xffff) == 8)
    assert((0 until 8).map(readRing(board, _)) == (0 until 8).map(Call(5, _).line))
    // the ring is full, and a stranger is no peer
    exchange(board, Datagrams.frame(client, fabric, Call(5, 9).line), Datagrams.frame(host, fabric, Call(5, 9).line), Datagrams.frame(client, fabric, Seq(1, 2, 3)))
    val counted = Seq(0, 2, 3, 5).map(n => board.read(At.Rpc + 0x6c + 4 * n))
    assert(counted == Seq(8L, 1L, 1L, 1L))
  }
}
