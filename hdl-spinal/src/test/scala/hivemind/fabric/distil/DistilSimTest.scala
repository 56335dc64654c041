package hivemind.fabric.distil

import hivemind.fabric.net.Frames
import hivemind.fabric.distil.DistilHarness.Setup
import hivemind.fabric.net.Frames.{Coap, Frame}
import org.scalatest.funsuite.AnyFunSuite

import java.math.{BigDecimal => Big}
import java.nio.file.{Files, Path}
import scala.util.Random

/** The engine against `Reference`: random frames, sound and broken, with random gaps and back-pressure. */
class DistilSimTest extends AnyFunSuite {
  private val p = DistilHarness.parameters
  private val full = sys.env.get("HIVEMIND_HDL_QUICK").isEmpty
  private val seeds = if (full) 40 else 6
  private val framesPerSeed = 150

  private def value(random: Random): Seq[Byte] = random.nextInt(14) match {
    case 0 => Frames.half(random.nextInt(65536))
    case 1 => Frames.float(random.nextInt(100000) / 7f)
    case 2 => Frames.float(java.lang.Float.intBitsToFloat(random.nextInt()))
    case 3 => Frames.integer(random.nextInt(24), 0)
    case 4 => Frames.integer(-1 - random.nextInt(24), 0)
    case 5 => Frames.integer(random.nextInt(256), 1)
    case 6 => Frames.integer(-random.nextInt(65536) - 1, 2)
    case 7 => Frames.integer(random.nextInt() & 0xffffffffL, 4)
    case 8 => Frames.integer(random.nextLong(), 8)
    case 9 => Frames.double(java.lang.Double.longBitsToDouble(random.nextLong()))
    case 10 => Seq(0x63, 'a', 'b', 'c').map(_.toByte)
    case 11 => Frames.double(-0.0)
    case _ => Frames.double(50 + 10 * random.nextGaussian())
  }

  private def option(random: Random): Seq[Byte] = {
    val size = random.nextInt(if (random.nextInt(5) == 0) 20 else 9)
    Frames.option(Seq(0, 1, 11, 12, 13, 200, 300)(random.nextInt(7)), Seq.fill(size)('x'.toByte))
  }

  private def message(random: Random): Coap = Coap(
    source = 0x0a000000 + random.nextInt(if (random.nextInt(4) == 0) 6 else 3),
    payload = value(random) ++ Seq.fill(if (random.nextBoolean()) 0 else random.nextInt(45))(random.nextInt().toByte),
    options = Seq.fill(random.nextInt(4))(option(random)).flatten,
    token = Seq.fill(random.nextInt(9))(random.nextInt().toByte),
    code = 2 + random.nextInt(2),
    messageId = random.nextInt(65536),
    udpChecksum = if (random.nextInt(10) == 0) Some(0) else None,
  )

  private def anyFrame(random: Random): Frame = {
    val m = message(random)
    random.nextInt(30) match {
      case 0 => m.copy(ipChecksum = Some(random.nextInt(65536))).frame
      case 1 => m.copy(udpChecksum = Some(1 + random.nextInt(65535))).frame
      case 2 => m.copy(udpLength = Some(random.nextInt(200))).frame
      case 3 => m.copy(totalLength = Some(random.nextInt(200))).frame
      case 4 => m.copy(fragment = Seq(0x2000, 0x4000, 5, 0x8000)(random.nextInt(4))).frame
      case 5 => m.copy(etherType = Seq(0x8100, 0x86dd, 0x0806)(random.nextInt(3))).frame
      case 6 => m.copy(versionAndWords = Seq(0x46, 0x65)(random.nextInt(2))).frame
      case 7 => m.copy(port = 5684).frame
      case 8 => m.copy(kind = random.nextInt(4)).frame
      case 9 => m.copy(code = random.nextInt(256)).frame
      case 10 => m.copy(marker = false).frame
      case 11 => m.copy(options = Seq.fill(random.nextInt(12))(random.nextInt().toByte)).frame
      case 12 => m.frame.take(1 + random.nextInt(m.frame.size))
      case 13 => IndexedSeq.fill(1 + random.nextInt(if (random.nextInt(6) == 0) 9000 else 300))(random.nextInt().toByte)
      case 14 => m.copy(payload = Seq()).frame
      case 15 => m.copy(payload = m.payload.take(1 + random.nextInt(4))).frame
      case 16 => m.copy(payload = m.payload ++ Seq.fill(40 + random.nextInt(60))(1.toByte)).frame
      case _ => m.frame
    }
  }

  private val setups = Seq(
    Setup("average", 10, keyed = false),
    Setup("average", 3, keyed = true),
    Setup("average", 1, keyed = true),
    Setup("min", 4, keyed = true),
    Setup("max", 2, keyed = false),
    Setup("counter", 5, keyed = true),
    Setup("filter", 1, keyed = false, above = 45.5, below = 55.25),
    Setup("filter", 1, keyed = false, above = -1000, below = 0),
    Setup("forward", 1, keyed = false),
  )

  for (setup <- setups) test(s"$setup answers as the reference does, over $seeds seeds") {
    for (seed <- 0 until seeds) {
      val random = new Random(seed * 1000 + setups.indexOf(setup))
      val frames = Seq.fill(framesPerSeed)(anyFrame(random))
      val reference = new Reference(p, setup.op, setup.window, setup.keyed, new Big(setup.above), new Big(setup.below))
      val expected = frames.flatMap(reference(_))
      val (gap, stall) = (Seq(0.0, 0.5)(seed % 2), Seq(0.0, 0.3, 0.8)(seed % 3))
      DistilHarness.compiled.doSim(s"${setup.op}-${setup.window}-$seed", seed) { dut =>
        val got = DistilHarness.run(dut, setup, frames, random, gap, stall)
        for (((a, b), n) <- got.zip(expected).zipWithIndex) assert(a == b, s"seed $seed, frame $n of the output:\n${hex(a)}\n${hex(b)}")
        assert(got.size == expected.size, s"seed $seed")
      }
    }
  }

  private def hex(frame: Frame): String = frame.map(byte => f"${byte & 0xff}%02x").mkString

  private val vectors = ujson.read(Files.readString(Path.of("../libs/nfu/vectors.json"))).arr
  for ((vector, index) <- vectors.zipWithIndex) test(s"vector $index: ${vector("code").str} answers byte for byte") {
    val Array(op, rest) = (vector("code").str.stripPrefix("nfu:") + "?").split("\\?", 2)
    val parameters = rest.stripSuffix("?").split("&").filter(_.nonEmpty).map(_.split("=")).map(pair => pair(0) -> pair(1).toDouble).toMap
    val window = parameters.get("window").orElse(parameters.get("count")).fold(1)(_.toInt)
    val setup = Setup(op, window, keyed = false, parameters.getOrElse("above", 0), parameters.getOrElse("below", 0))
    def payload(word: String) = 0xfb.toByte +: word.grouped(2).map(Integer.parseInt(_, 16).toByte).toSeq
    val frames = vector("values").arr.map(word => Coap(payload = payload(word.str)).frame).toSeq
    val expected = vector("outputs").arr.filterNot(_.isNull).map(word => Coap(payload = payload(word.str)).frame).toSeq
    DistilHarness.compiled.doSim(s"vector-$index") { dut =>
      assert(DistilHarness.run(dut, setup, frames, new Random(index), 0, 0) == expected)
    }
  }
}
