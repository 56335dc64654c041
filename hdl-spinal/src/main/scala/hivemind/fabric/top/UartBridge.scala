package hivemind.fabric.top

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb.{Apb3, Apb3Config}
import spinal.lib.com.uart._
import spinal.lib.fsm._

/** Registers over a serial line of 1 Mbaud, 8 bits, no parity, one stop bit. Address, data and direction are on the bus a cycle
  * before a block is selected.
  *
  * `R`, address (16 bits): answered by `r` and the value (32 bits). `W`, address, value: answered by `w`. A refusal is
  * answered by `e`. The highest byte comes first. A request that breaks off is forgotten after 1 ms; a byte that begins none
  * is skipped.
  */
class UartBridge(bus: Apb3Config) extends Component {
  val io = new Bundle {
    val uart = master(Uart())
    val bus = master(Apb3(UartBridge.this.bus))
  }
  private val samples = UartCtrlGenerics(dataWidthMax = 8, clockDividerWidth = 5, preSamplingSize = 1, samplingSize = 3, postSamplingSize = 1)
  private val uart = new UartCtrl(samples)
  uart.io.config.frame.dataLength := 7
  uart.io.config.frame.parity := UartParityType.NONE
  uart.io.config.frame.stop := UartStopType.ONE
  uart.io.config.clockDivider := UartBridge.cyclesPerBit / samples.rxSamplePerBit - 1
  uart.io.writeBreak := False
  io.uart <> uart.io.uart
  private val received = uart.io.read.toFlow
  private val send = Stream(Bits(8 bits))
  uart.io.write << send

  private val isWrite = Reg(Bool())
  private val request = Reg(Bits(48 bits))
  private val left = Reg(UInt(3 bits))
  private val reply = Reg(Bits(40 bits))
  private val patience = Reg(UInt(17 bits))

  private val address = Mux(isWrite, request(47 downto 32), request(15 downto 0)).asUInt
  io.bus.PADDR := address.resized
  io.bus.PWDATA := request(31 downto 0)
  io.bus.PWRITE := isWrite
  io.bus.PSEL := 0
  io.bus.PENABLE := False
  send.valid := False
  send.payload := reply(39 downto 32)

  private def answer(code: Char, value: Bits, bytes: Int): Unit = {
    reply := B(code.toInt, 8 bits) ## value
    left := bytes
  }

  val flow = new StateMachine {
    val idle: State = new State with EntryPoint {
      whenIsActive(when(received.valid) {
        patience := 0
        isWrite := received.payload === 'W'.toInt
        left := Mux(received.payload === 'W'.toInt, U(6), U(2))
        when(received.payload === 'W'.toInt || received.payload === 'R'.toInt)(goto(collect))
      })
    }
    val collect: State = new State {
      whenIsActive {
        patience := patience + 1
        when(patience.andR)(goto(idle))
        when(received.valid) {
          patience := 0
          request := request(39 downto 0) ## received.payload
          left := left - 1
          when(left === 1)(goto(setup))
        }
      }
    }
    val setup: State = new State {
      whenIsActive {
        io.bus.PSEL := 1
        goto(access)
        when((address >> bus.addressWidth) =/= 0) {
          io.bus.PSEL := 0
          answer('e', B(0, 32 bits), 1)
          goto(respond)
        }
      }
    }
    val access: State = new State {
      whenIsActive {
        io.bus.PSEL := 1
        io.bus.PENABLE := True
        when(io.bus.PREADY) {
          goto(respond)
          when(io.bus.PSLVERROR)(answer('e', B(0, 32 bits), 1)) elsewhen
            (isWrite)(answer('w', B(0, 32 bits), 1)) otherwise answer('r', io.bus.PRDATA, 5)
        }
      }
    }
    val respond: State = new State {
      whenIsActive {
        send.valid := True
        when(send.ready) {
          reply := reply |<< 8
          left := left - 1
          when(left === 1)(goto(idle))
        }
      }
    }
  }
}

object UartBridge {

  /** At 125 MHz, for 1 Mbaud. */
  val cyclesPerBit: Int = 125
}
