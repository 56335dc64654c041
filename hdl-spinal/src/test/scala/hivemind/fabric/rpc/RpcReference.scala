package hivemind.fabric.rpc

import hivemind.fabric.dispatch.Crc
import hivemind.fabric.net.Frames.Frame
import hivemind.fabric.net.{Datagrams, Host}

import java.nio.ByteBuffer
import scala.util.Random

/** A connection as the host puts it into the table. */
case class Peering(peer: Host, flow: Int)

/** An RPC as software sees it. */
case class Call(connection: Int, id: Int, key: Int = 0, kind: Int = 1, version: Int = 1, length: Int = 48, filler: Byte = 0) {
  def line: IndexedSeq[Byte] = {
    val buffer = ByteBuffer.allocate(64)
    buffer.put(version.toByte).put(kind.toByte).putShort(connection.toShort).putInt(id).putInt(key).putShort(7).put(length.toByte).put(0.toByte)
    for (n <- 16 until 64) buffer.put((id * 31 + n * 7 + filler).toByte)
    buffer.array.toIndexedSeq
  }
}
object Call {
  def id(line: Seq[Byte]): Int = ByteBuffer.wrap(line.slice(4, 8).toArray).getInt
}

/** A frame that comes, and what is to become of it: a line of a ring, or the counter that it is counted by. */
case class Arrival(frame: Frame, call: Call, outcome: String, hole: Boolean = false)

/** What the engine is meant to do, written from docs/fabric.md alone. */
object RpcReference {
  private val fabric = RpcHarness.fabric

  /** The first flow from `first` on that takes lines; after the last comes the first. */
  def next(first: Int, usable: Set[Int], flows: Int): Int = (0 until flows).map(n => (first + n) % flows).find(usable).get

  /** Flows of requests one after the other. `loads` are lines that the hosts have not consumed; they and `turn` are kept. */
  class Balance(p: RpcParameters, peers: Map[Int, Peering]) {
    var turn = 0
    val loads: Array[Int] = new Array(p.flows)
    def apply(call: Call, scheme: Int, usable: Set[Int]): Int = {
      val own = peers(call.connection).flow
      val named = if (call.kind == 2) own else scheme match {
        case 0 => turn
        case 1 => usable.toSeq.sorted.minBy(loads(_))
        case 2 => Crc(call.key & 0xffffffffL) % p.flows
        case 3 => own
      }
      val flow = next(named, usable, p.flows)
      if (call.kind == 1) turn = (flow + 1) % p.flows
      loads(flow) += 1
      flow
    }
  }

  /** The frame of a line that is sent. */
  def frame(call: Call, peers: Map[Int, Peering]): Frame = Datagrams.frame(fabric, peers(call.connection).peer, call.line)

  /** A random frame, `share` of them sound. */
  def arrival(random: Random, id: Int, peers: Map[Int, Peering], p: RpcParameters, share: Double = 0.8): Arrival = {
    val numbers = peers.keys.toSeq.sorted
    val number = numbers(random.nextInt(numbers.size))
    val peer = peers(number).peer
    val call = Call(number, id, random.nextInt(), if (random.nextInt(6) == 0) 2 else 1, length = random.nextInt(49))
    val withChecksum = random.nextBoolean()
    def carry(call: Call, from: Host = peer, to: Host = fabric, flags: Int = 0x4000): Frame =
      Datagrams.frame(from, to, call.line, withChecksum, random.nextInt(65536), flags)
    val sound = carry(call)
    def malformed(frame: Frame, hole: Boolean = false) = Arrival(frame, call, "malformed", hole)
    if (random.nextDouble() < share) Arrival(sound, call, "ring")
    else random.nextInt(18) match {
      case 0 => malformed(sound.take(60 + random.nextInt(46)))
      case 1 => malformed(sound ++ Seq.fill(1 + random.nextInt(200))(random.nextInt().toByte))
      case 2 => malformed(sound, hole = true)
      case 3 => malformed(carry(call, to = fabric.copy(port = 4902)))
      case 4 => malformed(carry(call, to = fabric.copy(address = fabric.address + 1)))
      case 5 => malformed(carry(call, to = fabric.copy(mac = fabric.mac + 1)))
      case 6 => malformed(carry(call, flags = 0x2000))
      case 7 => malformed(carry(call, flags = 1 + random.nextInt(0x1fff)))
      case 8 => malformed(carry(call.copy(version = 2)))
      case 9 => malformed(carry(call.copy(kind = if (random.nextBoolean()) 0 else 3)))
      case 10 => malformed(carry(call.copy(length = 49 + random.nextInt(200))))
      case 11 =>
        // a bit of the header of IP
        val at = 14 + random.nextInt(20)
        malformed(sound.updated(at, (sound(at) ^ 1 << random.nextInt(8)).toByte))
      case 12 =>
        // a bit that the checksum of UDP counts
        val checked = Datagrams.frame(peer, fabric, call.line)
        val at = 34 + random.nextInt(72)
        val wrong = checked.updated(at, (checked(at) ^ 1 << random.nextInt(8)).toByte)
        if (wrong(40) == 0 && wrong(41) == 0) malformed(sound.take(70)) else malformed(wrong)
      case 13 => malformed(sound.updated(12, 0x86.toByte))
      case 14 =>
        val free = (0 until p.connections).filterNot(numbers.contains)
        Arrival(carry(call.copy(connection = free(random.nextInt(free.size)))), call, "unknownConnection")
      case 15 => Arrival(carry(call.copy(connection = number + p.connections * (1 + random.nextInt(100)))), call, "unknownConnection")
      case 16 => Arrival(carry(call, from = peer.copy(address = peer.address ^ 1 << random.nextInt(32))), call, "unknownConnection")
      case 17 => Arrival(carry(call, from = peer.copy(port = peer.port ^ 1 << random.nextInt(16))), call, "unknownConnection")
    }
  }
}
