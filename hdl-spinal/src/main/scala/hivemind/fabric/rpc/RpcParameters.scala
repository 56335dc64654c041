package hivemind.fabric.rpc

import hivemind.fabric.{Parameter, Schema}
import spinal.core._
import spinal.lib.bus.amba4.axi.Axi4Config
import spinal.lib.bus.amba4.axis.Axi4StreamConfig

/** What an RPC engine is built with (hard reconfiguration, HiveMind, section 4.5). Changing any of it needs a new bitstream. What
  * each means: [[RpcParameters.schema]].
  */
case class RpcParameters(
    widthBytes: Int = 16,
    flows: Int = 8,
    maxBatch: Int = 16,
    maxRing: Int = 1024,
    connections: Int = 64,
    addressBits: Int = 32,
    transport: Int = 17,
) {
  RpcParameters.schema.check(productElementNames.zip(productIterator.map(_.asInstanceOf[Int])).toMap)
  require(maxRing >= maxBatch, s"maxRing must be at least maxBatch, $maxBatch, not $maxRing")

  val laneBits: Int = log2Up(widthBytes)
  val flowBits: Int = log2Up(flows)

  /** Words of a line, each as wide as the streams. */
  val lineWords: Int = RpcParameters.lineBytes / widthBytes
  val wordBits: Int = log2Up(lineWords)

  /** Bits of an index into a ring: one more than the largest ring needs, so that a full ring differs from an empty one. */
  val indexBits: Int = log2Up(maxRing) + 1

  /** Bits of a number of lines up to and with `maxBatch`. */
  val batchBits: Int = log2Up(maxBatch) + 1

  /** Lines of one flow that may wait in the engine until the memory has answered for them. */
  val stageLines: Int = 2 * maxBatch
  val stageBits: Int = log2Up(stageLines)

  /** Lines fetched from transmit rings that may wait in the engine. */
  val fetchLines: Int = 2 * maxBatch

  /** Bits of the address of a line. */
  val lineAddressBits: Int = addressBits - RpcParameters.lineShift
  val connectionBits: Int = log2Up(connections)
  val stream: Axi4StreamConfig = Axi4StreamConfig(dataWidth = widthBytes, useKeep = true, useLast = true)

  /** The port to the memory of the rings: one ID, so that answers come in the order of the requests. */
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

object RpcParameters {

  /** Bytes of a line: one RPC, and one entry of a ring. */
  val lineBytes: Int = 64
  val lineShift: Int = log2Up(lineBytes)

  /** Lines of a page, which no burst of AXI4 may leave: 4 KiB. */
  val pageLines: Int = 4096 / lineBytes
  private val powers = (from: Int, to: Int) => Iterator.iterate(from)(_ * 2).takeWhile(_ <= to).toSeq

  /** The parameters with their limits, as the generator exports them. */
  val schema: Schema = Schema(
    Seq(
      Parameter("widthBytes", 16, Seq(16, 32), "B", "bytes of frames taken per cycle, and width of the memory; the shell has 16"),
      Parameter("flows", 8, powers(2, 16), "flows", "flows, each with a receive ring and a transmit ring"),
      Parameter("maxBatch", 16, powers(2, 32), "lines", "most RPCs that are moved in one burst"),
      Parameter("maxRing", 1024, powers(8, 16384), "lines", "most entries of a ring"),
      Parameter("connections", 64, powers(16, 1024), "connections", "rows of the connection table"),
      Parameter("addressBits", 32, 20 to 38, "bit", "width of a memory address"),
      Parameter("transport", 17, Seq(17), "IP protocol", "17 is UDP, the one transport there is"),
    ),
    "rpc",
  )

  /** Parameters by name; those that are not named have their defaults. */
  def of(settings: Map[String, Int]): RpcParameters = {
    val all = schema.defaults ++ schema.known(settings)
    RpcParameters(
      widthBytes = all("widthBytes"),
      flows = all("flows"),
      maxBatch = all("maxBatch"),
      maxRing = all("maxRing"),
      connections = all("connections"),
      addressBits = all("addressBits"),
      transport = all("transport"),
    )
  }
}
