package hivemind.fabric.rmem

import hivemind.fabric.{Parameter, Schema}
import spinal.core._
import spinal.lib.bus.amba4.axi.Axi4Config
import spinal.lib.bus.amba4.axis.Axi4StreamConfig

/** What a remote memory engine is built with. Changing any of it needs a new bitstream. What each means: [[RmemParameters.schema]]. */
case class RmemParameters(
    widthBytes: Int = 16,
    maxBytes: Int = 1024,
    bufferBytes: Int = 4096,
    window: Int = 16,
    burstBeats: Int = 16,
    ways: Int = 4,
    sets: Int = 256,
    addressBits: Int = 32,
    classes: Int = 4,
) {
  RmemParameters.schema.check(productElementNames.zip(productIterator.map(_.asInstanceOf[Int])).toMap)
  require(
    bufferBytes >= 2 * maxBytes,
    s"bufferBytes must be at least ${2 * maxBytes}, twice maxBytes, not $bufferBytes",
  )

  val laneBits: Int = log2Up(widthBytes)
  val bufferBeats: Int = bufferBytes / widthBytes

  /** Beats of the longest data, when it starts at a beat. */
  val maxBeats: Int = maxBytes / widthBytes

  /** Bits of a length in bytes, up to and with `maxBytes`. */
  val lengthBits: Int = log2Up(maxBytes + 1)

  /** Bits of a count of beats, up to one more than `maxBeats`: data that starts within a beat. */
  val beatBits: Int = log2Up(maxBeats + 2)

  /** Bits that name an entry of the table: its set and its way. */
  val placeBits: Int = log2Up(sets) + log2Up(ways)
  val stream: Axi4StreamConfig = Axi4StreamConfig(dataWidth = widthBytes, useKeep = true, useLast = true)

  /** The memory port: one ID, so that answers come in the order of the requests. */
  val memory: Axi4Config = Axi4Config(
    addressWidth = addressBits,
    dataWidth = widthBytes * 8,
    useId = false,
    useRegion = false,
    useLock = false,
    useCache = false,
    useQos = false,
    useProt = false,
  )
}

object RmemParameters {
  private val powers = (from: Int, to: Int) => Iterator.iterate(from)(_ * 2).takeWhile(_ <= to).toSeq

  /** The parameters with their limits, as the generator exports them. */
  val schema: Schema = Schema(
    Seq(
      Parameter("widthBytes", 16, Seq(16), "B", "bytes taken per cycle, and width of the memory; 16 is the one width that is tested"),
      Parameter("maxBytes", 1024, powers(64, 4096), "B", "most bytes that one request reads or writes"),
      Parameter("bufferBytes", 4096, powers(128, 65536), "B", "data waiting to be written, and data read that waits to leave; each at least twice maxBytes"),
      Parameter("window", 16, powers(2, 64), "requests", "reads, and writes, that the memory may owe an answer"),
      Parameter("burstBeats", 16, powers(4, 256), "beats", "longest burst; bursts end at multiples of it"),
      Parameter("ways", 4, powers(2, 8), "entries", "objects whose names share a set of the table"),
      Parameter("sets", 256, powers(16, 4096), "sets", "sets of the table; it holds up to ways times sets objects"),
      Parameter("addressBits", 32, 20 to 48, "bit", "width of a memory address"),
      Parameter("classes", 4, 1 to 8, "classes", "classes of requesters with permissions of their own"),
    ),
    "rmem",
  )

  /** Parameters by name; those that are not named have their defaults. */
  def of(settings: Map[String, Int]): RmemParameters = {
    val all = schema.defaults ++ schema.known(settings)
    RmemParameters(
      widthBytes = all("widthBytes"),
      maxBytes = all("maxBytes"),
      bufferBytes = all("bufferBytes"),
      window = all("window"),
      burstBeats = all("burstBeats"),
      ways = all("ways"),
      sets = all("sets"),
      addressBits = all("addressBits"),
      classes = all("classes"),
    )
  }
}
