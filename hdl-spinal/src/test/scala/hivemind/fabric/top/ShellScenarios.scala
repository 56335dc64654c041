package hivemind.fabric.top

import hivemind.fabric.dispatch.{Crc, Msg}
import hivemind.fabric.net.Frames.Frame
import hivemind.fabric.net.{Datagrams, Frames, Host}
import hivemind.fabric.rmem.{Message => Request, Placed, RmemParameters, RmemReference}
import org.scalatest.Assertions._

import scala.util.Random

/** What a fabric of all engines must do, by what its pins see: questions for its address, remote memory and requests on datagrams, all else. */
object ShellScenarios {
  private val fabric = Host(0x02000000aa01L, 0x0a000063, 0)
  private val client = Host(0x020000000011L, 0x0a000011, 7000)
  private val stranger = Host(0x020000000012L, 0x0a010012, 7001)
  private def at(port: Int): Host = fabric.copy(port = port)

  private object At {
    val Address = 0x2c
    val Mac0 = 0x30
    val Mac1 = 0x34
    val Class0 = 0x38
    val PeerAddress = 0x58
    val Counters = 0x6c
    val Dispatch = 0x200
    val Rmem = 0x300
  }
  private val counterNames = Seq("received", "damaged", "overflowed", "sent", "datagrams", "refused", "dropped", "withoutPeer")
  private def counter(board: FabricHarness, name: String): Long = board.read(At.Counters + 4 * counterNames.indexOf(name))

  private def start(dut: Fabric): FabricHarness = {
    val board = new FabricHarness(dut)
    board.write(At.Mac0, fabric.mac & 0xffffffffL)
    board.write(At.Mac1, fabric.mac >> 32)
    board.write(At.Address, fabric.address)
    board
  }

  /** What comes out for what was sent. */
  private def exchange(board: FabricHarness, frames: Frame*): Seq[Frame] = {
    board.out.clear()
    frames.foreach(board.send(_))
    board.settle()
    board.out.toSeq
  }

  private def insert(board: FabricHarness, placed: Placed): Unit = {
    val words = Seq(placed.name & 0xffffffffL, placed.name >>> 32, placed.base, 0L, placed.size, placed.readers | placed.writers << 8)
    for ((word, n) <- words.zipWithIndex) board.write(At.Rmem + 0x30 + 4 * n, word)
    board.write(At.Rmem + 0x20, 1)
    assert((board.read(At.Rmem + 0x24) & 7) == 0)
  }

  /** Without an address everything passes; with one, questions for it are answered, and nothing else. */
  def address(dut: Fabric): Unit = {
    val board = new FabricHarness(dut)
    val foreign = Seq(
      Datagrams.question(client, fabric.address),
      Datagrams.frame(client, at(4902), Request.read(1, 0, 1).bytes),
    )
    assert(exchange(board, foreign: _*) == foreign)
    board.write(At.Mac0, fabric.mac & 0xffffffffL)
    board.write(At.Mac1, fabric.mac >> 32)
    board.write(At.Address, fabric.address)
    assert(exchange(board, foreign.head) == Seq(Datagrams.answer(fabric, client)))
    val random = new Random(3)
    val others = Seq(
      Datagrams.question(client, fabric.address + 1),
      Datagrams.answer(client, fabric),
      Datagrams.frame(client, at(4903), Seq(1, 2, 3)),
      Datagrams.frame(client, at(4902).copy(address = fabric.address + 1), Seq(1, 2, 3)),
      Datagrams.frame(client, at(4902).copy(mac = fabric.mac + 1), Seq(1, 2, 3)),
      // the first of two fragments
      Datagrams.frame(client, at(4902), Seq(1, 2, 3), flags = 0x2000),
      Datagrams.frame(client, at(4902), Seq(1, 2, 3)).updated(23, 6.toByte),
      Datagrams.frame(client, at(4902), Seq(1, 2, 3)).updated(14, 0x46.toByte),
    ) ++ Seq.fill(10)(IndexedSeq.fill(60 + random.nextInt(1400))(random.nextInt().toByte))
    assert(exchange(board, others: _*) == others)
    assert(counter(board, "datagrams") == 0)
  }

  /** Remote memory: what it answers is what the reference answers, in order, for classes by address. */
  def remoteMemory(dut: Fabric): Unit = {
    val board = start(dut)
    val memoryBytes = 16 * 1024
    val reference = new RmemReference(RmemParameters(sets = 16), memoryBytes + 4096, _ >= memoryBytes)
    // class 0 is everybody in 10.0.0.0/16; strangers are none
    board.write(At.Class0, 0x0a000000L)
    board.write(At.Class0 + 4, 0xffff0000L)
    val objects = Seq(Placed(0x1122334455667788L, 0, 1000, 1, 1), Placed(5, 1024, 3000, 1, 0), Placed(9, memoryBytes - 64, 256, 1, 1))
    // what the memory holds at first is not known
    insert(board, Placed(1, 0, memoryBytes, 1, 1))
    val zeros = (0 until memoryBytes by 1024).map(offset => Datagrams.frame(client, at(4902), Request.write(1, offset, Seq.fill(1024)(0.toByte)).bytes))
    assert(exchange(board, zeros: _*).size == zeros.size)
    board.write(At.Rmem + 0x20, 2)
    for (placed <- objects) {
      insert(board, placed)
      reference.insert(placed)
    }
    val random = new Random(11)
    val names = objects.map(_.name) :+ 77L
    val requests = Seq.fill(60) {
      val (name, offset, length) = (names(random.nextInt(names.size)), random.nextInt(1100).toLong, random.nextInt(500))
      random.nextInt(8) match {
        case 0 => Request(IndexedSeq.fill(1 + random.nextInt(80))(random.nextInt().toByte))
        case 1 => Request.read(name, offset, 1025 + length)
        case n if n < 5 => Request.read(name, offset % 300, length, random.nextInt())
        case _ => Request.write(name, offset % 300, Seq.fill(length)(random.nextInt().toByte), random.nextInt())
      }
    }
    for (group <- requests.grouped(6)) {
      val answers = exchange(board, group.map(request => Datagrams.frame(client, at(4902), request.bytes, random.nextBoolean())): _*)
      assert(answers.map(Datagrams.payload(_, at(4902), client)) == group.map(reference(_)))
    }
    // the class that a request claims does not count
    val claimed = Request.request(1, 5, 0, 8, asked = 0)
    val refused = exchange(board, Datagrams.frame(stranger, at(4902), claimed.bytes))
    assert(Datagrams.payload(refused.head, at(4902), stranger)(8) == 4)
    assert(counter(board, "refused") == 0 && counter(board, "dropped") == 0)
    val broken = Datagrams.frame(client, at(4902), Request.read(5, 0, 8).bytes)
    val damaged = Seq(broken.updated(60, (broken(60) ^ 1).toByte), broken.updated(22, 1.toByte), broken.updated(39, (broken(39) + 1).toByte), broken.take(60))
    assert(exchange(board, damaged: _*).isEmpty)
    assert(counter(board, "refused") == 4 && counter(board, "datagrams") == 61 + zeros.size)
    // nothing of them is in the next
    val next = Request.read(5, 0, 8)
    assert(exchange(board, Datagrams.frame(client, at(4902), next.bytes)).map(Datagrams.payload(_, at(4902), client)) == Seq(reference(next)))
  }

  /** The dispatcher: a batch of calls goes to workers where the table has them, results to who asked, the rest to the host. */
  def dispatcher(dut: Fabric): Unit = {
    val board = start(dut)
    val workers = (0 until 2).map(n => Host(0x020000000100L + n, 0x0a000020 + n, 7100 + n))
    val host = Host(0x020000000300L, 0x0a000030, 7300)
    def peer(number: Int, where: Host): Unit = {
      board.write(At.PeerAddress, where.address)
      board.write(At.PeerAddress + 4, where.mac & 0xffffffffL)
      board.write(At.PeerAddress + 8, where.port | (where.mac >> 32) << 16)
      board.write(At.PeerAddress + 12, number | 0x100)
    }
    workers.zipWithIndex.foreach { case (worker, n) => peer(n, worker) }
    peer(200, client)
    peer(201, host)
    board.write(At.PeerAddress + 16, 201)
    // function 77 on both workers, in way 0 at the low bits of its hash; then round robin, enabled
    val row = BigInt(77) | BigInt(2) << 32 | BigInt(0) << 40 | BigInt(1) << 48
    for (n <- 0 until 4) board.write(At.Dispatch + 0x30 + 4 * n, ((row >> (32 * n)) & 0xffffffffL).toLong)
    board.write(At.Dispatch + 0x40, Crc(77) & 7)
    board.write(At.Dispatch + 0x44, 1)
    board.write(At.Dispatch + 0x24, 1)
    board.write(At.Dispatch + 0x20, 1)

    def call(n: Int, function: Long = 77, asker: Long = 200): Msg = Msg(Msg.Call, function = function, request = asker << 24 | n, payload = 1000 + n, payloadBytes = 5)
    val dispatched = exchange(board, Datagrams.frame(client, at(4900), call(1).bytes ++ call(2).bytes ++ call(3).bytes))
    val asked = dispatched.zip(Seq(0, 1, 0)).map { case (frame, worker) => Msg.of(Datagrams.payload(frame, at(4901), workers(worker)).toIndexedSeq) }
    assert(asked.map(_.kind) == Seq.fill(3)(Msg.Dispatch) && asked.map(_.request & 0xff) == Seq(1, 2, 3) && asked.map(_.worker) == Seq(0, 1, 0))
    val done = asked.map(message => Msg(Msg.Done, tag = message.tag, payload = message.payload + 1, payloadBytes = 6))
    val results = exchange(board, Datagrams.frame(workers(0), at(4901), done(0).bytes ++ done(2).bytes), Datagrams.frame(workers(1), at(4901), done(1).bytes))
    val answered = results.map(frame => Msg.of(Datagrams.payload(frame, at(4901), client).toIndexedSeq))
    assert(answered.map(message => (message.kind, message.request & 0xff, message.payload)) == Seq(1, 3, 2).map(n => (Msg.Result, n, 1001 + n)))

    // what the dispatcher cannot do, and half a message, go to the host; to a peer that is not there nothing goes
    val slow = exchange(board, Datagrams.frame(client, at(4900), call(4, function = 5).bytes ++ call(5).bytes.take(10)))
    assert(slow.map(frame => Msg.of(Datagrams.payload(frame, at(4901), host).toIndexedSeq).reason).toSet == Set(Msg.NoWorker, Msg.Malformed))
    val toNobody = exchange(board, Datagrams.frame(client, at(4900), call(6, asker = 9).bytes))
    val tag = Msg.of(Datagrams.payload(toNobody.head, at(4901), workers(1)).toIndexedSeq).tag
    assert(exchange(board, Datagrams.frame(workers(1), at(4901), Msg(Msg.Done, tag = tag).bytes)).isEmpty)
    assert(counter(board, "withoutPeer") == 1)
  }

  /** Datagrams for different engines one after the other: each goes to its own. */
  def together(dut: Fabric): Unit = {
    val board = start(dut)
    board.write(At.Class0, client.address)
    insert(board, Placed(5, 0, 2048, 1, 1))
    val host = Host(0x020000000300L, 0x0a000030, 7300)
    board.write(At.PeerAddress, host.address)
    board.write(At.PeerAddress + 4, host.mac & 0xffffffffL)
    board.write(At.PeerAddress + 8, host.port | (host.mac >> 32) << 16)
    board.write(At.PeerAddress + 12, 201 | 0x100)
    board.write(At.PeerAddress + 16, 201)
    val random = new Random(5)
    val data = Seq.fill(12)(IndexedSeq.fill(1 + random.nextInt(150))(random.nextInt().toByte))
    val frames = data.zipWithIndex.flatMap { case (bytes, n) =>
      Seq(
        Datagrams.frame(client, at(4902), Request.write(5, 160 * n, bytes).bytes),
        // nobody has the function: it goes to the host
        Datagrams.frame(client, at(if (n % 2 == 0) 4900 else 4901), Msg(Msg.Call, function = 9, request = n).bytes),
        Datagrams.frame(client, at(4902), Request.read(5, 160 * n, bytes.size).bytes),
      )
    }
    val out = exchange(board, frames: _*)
    val (toHost, toClient) = out.partition(_.slice(30, 34) == Datagrams.frame(client, host, Seq()).slice(30, 34))
    assert(toHost.map(frame => Msg.of(Datagrams.payload(frame, at(4901), host).toIndexedSeq).request).sorted == data.indices.map(_.toLong))
    val answers = toClient.map(Datagrams.payload(_, at(4902), client))
    assert(answers.forall(_(8) == 0) && answers.size == 2 * data.size)
    assert(answers.grouped(2).map(_(1).drop(16)).toSeq == data)
  }

  /** Distil works beside the others: readings become averages while memory is read. */
  def beside(dut: Fabric): Unit = {
    val board = start(dut)
    board.write(At.Class0, client.address)
    insert(board, Placed(5, 0, 64, 1, 1))
    board.write(0x124, 1 | 2 << 2)
    board.write(0x128, 2)
    board.write(0x120, 1)
    def reading(n: Double): Frame = Frames.Coap(payload = Frames.double(n)).frame
    val out = exchange(board, reading(1), Datagrams.frame(client, at(4902), Request.read(5, 0, 4).bytes), reading(4))
    assert(out.toSet.size == 2 && out.contains(reading(2.5)), out)
  }
}
