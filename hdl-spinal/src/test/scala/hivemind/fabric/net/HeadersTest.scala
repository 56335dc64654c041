package hivemind.fabric.net

import hivemind.fabric.net.Headers._
import org.scalatest.funsuite.AnyFunSuite

class HeadersTest extends AnyFunSuite {
  test("headers have the sizes and offsets of their documents") {
    assert(Seq(ethernet, ipv4, udp, coap).map(_.bytes) == Seq(14, 20, 8, 4))
    assert(coapOverUdp.end == 46)
    val positions = Map(
      (ethernet, "etherType") -> 12,
      (ipv4, "totalLength") -> 16,
      (ipv4, "protocol") -> 23,
      (ipv4, "source") -> 26,
      (udp, "destinationPort") -> 36,
      (udp, "checksum") -> 40,
      (coap, "code") -> 43,
    )
    assert(rmemRequest.bytes == 32 && rmemResponse.bytes == 16)
    assert(Seq("name", "offset", "length", "requesterClass").map(rmemRequest(_).offset / 8) == Seq(8, 16, 24, 28))
    assert(rpc.bytes == 16 && Seq("connection", "id", "key", "method", "payloadBytes").map(rpc(_).offset / 8) == Seq(2, 4, 8, 12, 14))
    for (((header, field), position) <- positions) assert(coapOverUdp.byte(header, field) == position, field)
    assert(coapOverUdp.bit(ipv4, "fragmentOffset") == 20 * 8 + 3)
    assert(speedo.bytes == 32 && speedo("function").offset == 32 && speedo("worker").offset == 30 * 8)
  }

  test("a table with a fault is refused") {
    def reason(faulty: => Any) = intercept[Exception](faulty).getMessage
    assert(reason(Header.of("odd", "none")("a" -> 7)).contains("no whole bytes"))
    assert(reason(Header.of("twice", "none")("a" -> 8, "a" -> 8)).contains("names a field twice"))
    assert(reason(Field("a", 0, 0)).contains("at least 1 bit"))
    assert(reason(udp("port")).contains("it has sourcePort, destinationPort"))
    assert(reason(HeaderStack(ethernet).start(udp)).contains("no udp in the stack"))
  }
}
