package hivemind.fabric.rmem

import java.nio.ByteBuffer
import scala.collection.mutable

/** An object as the host puts it into the table; bit n of `readers` and `writers` is for class n. */
case class Placed(name: Long, base: Long, size: Long, readers: Int, writers: Int)

/** A message as it comes: its bytes, and whether a lane within it is not kept. */
case class Message(bytes: IndexedSeq[Byte], hasHole: Boolean = false)

/** What remote memory is meant to do, written from the documents alone: one request after the other, on whole messages. */
class RmemReference(p: RmemParameters, memorySize: Int, isBroken: Long => Boolean) {
  val memory: Array[Byte] = new Array(memorySize)
  private val objects = mutable.Map[Long, Placed]()

  /** The names of a set: those whose groups of bits have the same exclusive or. */
  private def set(name: Long): Long = {
    val bits = Integer.numberOfTrailingZeros(p.sets)
    (0 until 64 by bits).map(n => (name >>> n) & (p.sets - 1)).reduce(_ ^ _)
  }

  /** Answers as the register RESULT does. */
  def insert(placed: Placed): Int =
    if (BigInt(placed.base / p.widthBytes * p.widthBytes) + placed.size > (BigInt(1) << p.addressBits)) 3
    else if (!objects.contains(placed.name) && objects.keys.count(set(_) == set(placed.name)) == p.ways) 2
    else {
      objects(placed.name) = placed
      0
    }
  def remove(name: Long): Int = if (objects.remove(name).isDefined) 0 else 1
  def clear(): Unit = objects.clear()
  def size: Int = objects.size
  def names: Seq[Long] = objects.keys.toSeq

  def apply(message: Message): IndexedSeq[Byte] = {
    val header = ByteBuffer.wrap(message.bytes.take(32).padTo(32, 0.toByte).toArray)
    val data = message.bytes.drop(32)
    val (version, operation) = (header.get(0).toInt, header.get(1).toInt)
    val (name, offset, length, asked) = (header.getLong(8), header.getLong(16), header.getInt(24) & 0xffffffffL, header.get(28) & 0xff)
    val isWrite = operation == 2
    def check: Int = {
      if (message.bytes.size < 32 || message.hasHole || version != 1 || !Set(1, 2)(operation)) return 1
      if (length > p.maxBytes) return 2
      if (data.size != (if (isWrite) length else 0)) return 1
      val placed = objects.getOrElse(name, return 3)
      val allowed = if (isWrite) placed.writers else placed.readers
      if (asked >= p.classes || (allowed >> asked & 1) == 0) return 4
      if ((BigInt(offset) & ((BigInt(1) << 64) - 1)) + length > placed.size) return 5
      if ((0L until length).exists(n => isBroken(placed.base + offset + n))) 6 else 0
    }
    val status = check
    val start = if (status == 0 || status == 6) (objects(name).base + offset).toInt else 0
    if (isWrite && (status == 0 || status == 6))
      for (n <- data.indices if !isBroken(start + n)) memory(start + n) = data(n)
    val answer = ByteBuffer.allocate(16)
    answer.put(1.toByte).put(header.get(1)).putShort(header.getShort(2)).putInt(header.getInt(4))
    answer.put(status.toByte).put(new Array[Byte](3)).putInt(if (status == 0) length.toInt else 0)
    val result = if (status == 0 && !isWrite) memory.slice(start, start + length.toInt) else Array[Byte]()
    (answer.array ++ result).toIndexedSeq
  }
}

object Message {

  /** A request, with fields as wide as on the wire. */
  def request(operation: Int, name: Long, offset: Long, length: Long, data: Seq[Byte] = Seq(), requester: Int = 7, tag: Int = 1, asked: Int = 0, version: Int = 1): Message = {
    val header = ByteBuffer.allocate(32)
    header.put(version.toByte).put(operation.toByte).putShort(requester.toShort).putInt(tag).putLong(name).putLong(offset)
    header.putInt(length.toInt).put(asked.toByte)
    Message((header.array ++ data).toIndexedSeq)
  }
  def read(name: Long, offset: Long, length: Long, tag: Int = 1): Message = request(1, name, offset, length, tag = tag)
  def write(name: Long, offset: Long, data: Seq[Byte], tag: Int = 1): Message = request(2, name, offset, data.size, data, tag = tag)
}
