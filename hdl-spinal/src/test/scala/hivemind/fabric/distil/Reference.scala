package hivemind.fabric.distil

import hivemind.fabric.net.Frames
import hivemind.fabric.net.Frames.Frame

import java.math.{BigDecimal => Big, BigInteger, MathContext, RoundingMode}
import scala.collection.mutable

/** What distil is meant to do with frames, written from the documents alone: on whole frames, with decimals that round
  * nowhere but at the end.
  */
class Reference(p: DistilParameters, op: String, window: Int, keyed: Boolean, above: Big, below: Big) {
  private case class State(source: Int, var seen: Int = 0, var values: Vector[Big] = Vector(), var count: Long = 0)
  private val states = mutable.Map[Int, State]()

  def apply(frame: Frame): Option[Frame] = value(frame) match {
    case None => Some(frame)
    case Some((x, at)) =>
      op match {
        case "forward" => Some(frame)
        case "filter"  => if (x.compareTo(above) >= 0 && x.compareTo(below) <= 0) Some(frame) else None
        case _         => aggregate(frame, x, at)
      }
  }

  private def aggregate(frame: Frame, x: Big, at: Int): Option[Frame] = {
    val source = if (keyed) u32(frame, 26) else 0
    val state = states.getOrElseUpdate(java.lang.Integer.remainderUnsigned(source, p.sources), State(source))
    if (state.source != source) return Some(frame)
    state.values :+= x
    state.count += 1
    if (state.values.size < window) return None
    val values = state.values
    state.values = Vector()
    val (sum, divisor) = op match {
      case "counter" => (new Big(state.count), 1)
      case "average" => (values.reduce(_ add _), values.size)
      case "min"     => (values.reduce(_ min _), 1)
      case "max"     => (values.reduce(_ max _), 1)
    }
    Some(summary(frame, at, Reference.nearest(sum, divisor)))
  }

  private def summary(frame: Frame, at: Int, value: Double): Frame = {
    val out = (frame.take(at) ++ Frames.double(value)).toArray
    put16(out, 16, out.length - 14)
    put16(out, 24, 0)
    put16(out, 24, Frames.ones(out.slice(14, 34).toSeq))
    put16(out, 38, out.length - 34)
    put16(out, 40, 0)
    val pseudo = out.slice(26, 34) ++ Array[Byte](0, 17) ++ out.slice(38, 40)
    val sum = Frames.ones((pseudo ++ out.drop(34)).toSeq)
    put16(out, 40, if (sum == 0) 0xffff else sum)
    out.padTo(60, 0.toByte).toIndexedSeq
  }

  private def put16(bytes: Array[Byte], at: Int, value: Int): Unit = {
    bytes(at) = (value >> 8).toByte
    bytes(at + 1) = value.toByte
  }
  private def u8(f: Frame, at: Int) = f(at) & 0xff
  private def u16(f: Frame, at: Int) = (u8(f, at) << 8) | u8(f, at + 1)
  private def u32(f: Frame, at: Int) = (u16(f, at) << 16) | u16(f, at + 2)

  /** The number that a message carries, and where its payload starts. */
  private def value(f: Frame): Option[(Big, Int)] = {
    if (f.size > p.captureBytes || f.size < 47 || u16(f, 12) != 0x0800 || u8(f, 14) != 0x45) return None
    val end = 14 + u16(f, 16)
    if (end > f.size || end < 47 || (u16(f, 20) & 0xbfff) != 0 || u8(f, 23) != 17) return None
    if (Frames.ones(f.slice(14, 34)) != 0 || u16(f, 36) != 5683 || u16(f, 38) != end - 34) return None
    val pseudo = f.slice(26, 34) ++ IndexedSeq[Byte](0, 17) ++ f.slice(38, 40)
    if (u16(f, 40) != 0 && Frames.ones(pseudo ++ f.slice(34, end)) != 0) return None
    val tokens = u8(f, 42) & 15
    if ((u8(f, 42) >> 4) != 5 || tokens > 8 || !Set(2, 3)(u8(f, 43))) return None
    var at = 46 + tokens
    while (at < end && u8(f, at) != 0xff) {
      val (delta, length) = (u8(f, at) >> 4, u8(f, at) & 15)
      if (delta == 15 || length >= 14) return None
      val extended = at + 1 + (if (delta == 13) 1 else if (delta == 14) 2 else 0)
      if (length == 13 && extended >= f.size) return None
      at = if (length == 13) extended + 1 + u8(f, extended) + 13 else extended + length
    }
    at += 1
    if (at >= end) return None
    number(f.slice(at, end)).filter(Reference.fits(p, _)).map(_ -> at)
  }

  private def number(item: Frame): Option[Big] = {
    val (major, minor) = (u8(item, 0) >> 5, u8(item, 0) & 31)
    val size = if (minor < 24) 0 else if (minor < 28) 1 << (minor - 24) else return None
    if (item.size < 1 + size) return None
    val argument = new BigInteger(1, item.slice(1, 1 + size).toArray)
    def whole = if (minor < 24) BigInteger.valueOf(minor.toLong) else argument
    def real(x: Double) = if (x.isNaN || x.isInfinite) None else Some(new Big(x))
    (major, minor) match {
      case (0, _)  => Some(new Big(whole))
      case (1, _)  => Some(new Big(whole.negate.subtract(BigInteger.ONE)))
      case (7, 25) => Reference.half(argument.intValue)
      case (7, 26) => real(java.lang.Float.intBitsToFloat(argument.intValue).toDouble)
      case (7, 27) => real(java.lang.Double.longBitsToDouble(argument.longValue))
      case _       => None
    }
  }
}

object Reference {
  private val exact = MathContext.UNLIMITED

  /** The double nearest to `sum / divisor`; ties go to the even one. */
  def nearest(sum: Big, divisor: Int): Double = {
    // 800 digits are more than lie between any such quotient and the middle of two doubles.
    val quotient = sum.divide(new Big(divisor), new MathContext(800, RoundingMode.HALF_EVEN))
    val x = quotient.doubleValue
    val candidates = Seq(x, Math.nextUp(x), Math.nextDown(x))
    val best = candidates.map(c => (new Big(c).multiply(new Big(divisor), exact).subtract(sum).abs, c))
    val closest = best.map(_._1).reduce(_ min _)
    val ties = best.filter(_._1.compareTo(closest) == 0).map(_._2)
    ties.find(c => (java.lang.Double.doubleToRawLongBits(c) & 1) == 0).getOrElse(ties.head) + 0.0
  }

  def fits(p: DistilParameters, x: Big): Boolean = {
    val scaled = x.multiply(new Big(BigInteger.ONE.shiftLeft(p.fractionBits)))
    scaled.stripTrailingZeros.scale <= 0 && scaled.abs.compareTo(new Big(BigInteger.ONE.shiftLeft(p.valueBits))) < 0
  }

  def half(bits: Int): Option[Big] = {
    val (exponent, fraction) = ((bits >> 10) & 31, bits & 1023)
    if (exponent == 31) return None
    val magnitude = if (exponent == 0) fraction * Math.pow(2, -24) else (1024 + fraction) * Math.pow(2, exponent - 25)
    Some(new Big(if ((bits & 0x8000) != 0) -magnitude else magnitude))
  }
}
