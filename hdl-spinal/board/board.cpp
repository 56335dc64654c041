// The simulated board: Fabric, cycle by cycle, with what its pins carry on sockets of a folder.
//
//   frames.sock  both ways: length (16 bits, the higher byte first), then a frame without preamble and check sequence
//   serial.sock  the bytes of the serial line
//   times.sock   for each frame a letter and a cycle (64 bits, the highest byte first): 'i' and that of its last byte on the way in,
//                'o' and that of its first byte on the way out
//
// Time stands still while nothing happens. The process ends when
// its standard input does, and says on standard output that it is ready.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "VFabric.h"

namespace {

constexpr int kCyclesPerBit = 125;
constexpr int kQuietFrameCycles = 4000;
constexpr int kQuietSerialCycles = 150000;  // a request that breaks off is forgotten before
constexpr int kPollCycles = 512;
constexpr size_t kMaxWaiting = 1 << 20;  // bytes of frames that were read but not sent yet

[[noreturn]] void fail(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

/** A listening socket with at most one client; a new client takes the place of the one before. */
class Port {
 public:
  Port(const std::string& folder, const std::string& name) {
    const std::string path = folder + "/" + name;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) fail(path + " is too long for a socket");
    path.copy(address.sun_path, path.size());
    unlink(path.c_str());
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) || listen(listener_, 4)) fail(path);
  }

  void exchange() {
    const int next = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
    if (next >= 0) {
      drop();
      client_ = next;
    }
    if (client_ < 0) return;
    char buffer[65536];
    while (in.size() < kMaxWaiting) {
      const ssize_t got = recv(client_, buffer, sizeof buffer, 0);
      if (got == 0) return drop();
      if (got < 0) break;
      in.append(buffer, got);
    }
    while (!out.empty()) {
      const ssize_t sent = send(client_, out.data(), out.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      out.erase(0, sent);
    }
  }

  void await(std::vector<pollfd>& list) const {
    list.push_back({listener_, POLLIN, 0});
    if (client_ >= 0) list.push_back({client_, static_cast<short>(POLLIN | (out.empty() ? 0 : POLLOUT)), 0});
  }

  bool hasClient() const { return client_ >= 0; }

  std::string in, out;

 private:
  void drop() {
    if (client_ >= 0) close(client_);
    client_ = -1;
    in.clear();
    out.clear();
  }
  int listener_, client_ = -1;
};

/** Tells when frames came and went, to who listens. */
class Times {
 public:
  explicit Times(Port& port) : port_(port) {}
  void tell(char way, uint64_t cycle) {
    if (!port_.hasClient()) return;
    port_.out += way;
    for (int n = 56; n >= 0; n -= 8) port_.out += static_cast<char>(cycle >> n);
  }

 private:
  Port& port_;
};

/** Puts frames on the GMII towards the fabric. */
class Sender {
 public:
  bool step(Port& port, VFabric& fabric, Times& times, uint64_t cycle) {
    if (at_ == bytes_.size()) {
      at_ = 0;
      bytes_.clear();
      if (gap_ > 0) --gap_;
      else load(port.in);
    }
    const bool valid = at_ < bytes_.size();
    fabric.io_receive_valid = valid;
    fabric.io_receive_error = 0;
    fabric.io_receive_data = valid ? static_cast<uint8_t>(bytes_[at_++]) : 0;
    if (valid && at_ == bytes_.size()) times.tell('i', cycle);
    return valid || gap_ > 0;
  }

 private:
  void load(std::string& in) {
    if (in.size() < 2) return;
    const size_t size = static_cast<uint8_t>(in[0]) << 8 | static_cast<uint8_t>(in[1]);
    if (in.size() < 2 + size) return;
    bytes_ = std::string(7, '\x55') + '\xd5' + in.substr(2, size);
    const uLong check = crc32(0, reinterpret_cast<const Bytef*>(in.data() + 2), size);
    for (int n = 0; n < 4; ++n) bytes_ += static_cast<char>(check >> (8 * n));
    in.erase(0, 2 + size);
    gap_ = 12;
  }
  std::string bytes_;
  size_t at_ = 0;
  int gap_ = 0;
};

/** Takes frames from the GMII of the fabric; one with a wrong check sequence ends the process. */
class Receiver {
 public:
  bool step(Port& port, const VFabric& fabric, Times& times, uint64_t cycle) {
    if (fabric.io_transmit_valid && bytes_.empty()) times.tell('o', cycle);
    if (fabric.io_transmit_valid) bytes_ += static_cast<char>(fabric.io_transmit_data);
    else if (!bytes_.empty()) {
      constexpr size_t kPreamble = 8, kCheck = 4;
      const size_t size = bytes_.size() - kPreamble - kCheck;
      const auto* frame = reinterpret_cast<const Bytef*>(bytes_.data()) + kPreamble;
      uLong check = 0;
      for (size_t n = 0; n < kCheck; ++n) check |= static_cast<uLong>(frame[size + n]) << (8 * n);
      if (bytes_.size() < kPreamble + kCheck || check != crc32(0, frame, size)) fail("the fabric sent a damaged frame");
      port.out += static_cast<char>(size >> 8);
      port.out += static_cast<char>(size);
      port.out.append(reinterpret_cast<const char*>(frame), size);
      bytes_.clear();
    }
    return fabric.io_transmit_valid;
  }

 private:
  std::string bytes_;
};

/** The serial line, both ways. */
class Serial {
 public:
  bool step(Port& port, VFabric& fabric) {
    if (sending_ == 0 && !port.in.empty()) {
      // start bit, eight bits, stop bit
      shift_ = 0x200 | static_cast<uint8_t>(port.in[0]) << 1;
      port.in.erase(0, 1);
      sending_ = 10 * kCyclesPerBit;
    }
    fabric.io_uart_rxd = sending_ == 0 ? 1 : shift_ >> (10 - (sending_ + kCyclesPerBit - 1) / kCyclesPerBit) & 1;
    if (sending_ > 0) --sending_;

    if (receiving_ == 0 && !fabric.io_uart_txd) receiving_ = 10 * kCyclesPerBit - kCyclesPerBit / 2;
    else if (receiving_ > 0 && receiving_ % kCyclesPerBit == 0) {
      const int bit = 9 - receiving_ / kCyclesPerBit;
      if (bit >= 1 && bit <= 8) byte_ = byte_ >> 1 | fabric.io_uart_txd << 7;
      if (bit == 8) port.out += static_cast<char>(byte_);
    }
    if (receiving_ > 0) --receiving_;
    return sending_ > 0 || receiving_ > 0;
  }

 private:
  int sending_ = 0, receiving_ = 0;
  unsigned shift_ = 0, byte_ = 0;
};

void wait(const std::vector<const Port*>& ports) {
  std::vector<pollfd> list{{STDIN_FILENO, POLLIN, 0}};
  for (const Port* port : ports) port->await(list);
  poll(list.data(), list.size(), -1);
}

bool isStdinClosed() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  char byte;
  return poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: board FOLDER\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  Port frames(argv[1], "frames.sock"), serial(argv[1], "serial.sock"), moments(argv[1], "times.sock");
  Times times(moments);
  VFabric fabric;
  Sender sender;
  Receiver receiver;
  Serial line;
  uint64_t cycles = 0;
  int quietFrames = 0, quietSerial = 0;
  bool isReady = false;
  for (;; ++cycles) {
    fabric.clk = 0;
    fabric.io_receiveClock = 0;
    fabric.reset = cycles < 16;
    if (cycles < 64) {
      fabric.io_uart_rxd = 1;
    } else {
      const bool moves = sender.step(frames, fabric, times, cycles);
      quietFrames = receiver.step(frames, fabric, times, cycles) || moves ? 0 : quietFrames + 1;
      quietSerial = line.step(serial, fabric) ? 0 : quietSerial + 1;
    }
    fabric.eval();
    fabric.clk = 1;
    fabric.io_receiveClock = 1;
    fabric.eval();
    if (cycles < 64 || cycles % kPollCycles != 0) continue;
    if (!isReady) {
      std::printf("ready\n");
      std::fflush(stdout);
      isReady = true;
    }
    if (isStdinClosed()) break;
    frames.exchange();
    serial.exchange();
    moments.exchange();
    const bool isQuiet = quietFrames > kQuietFrameCycles && quietSerial > kQuietSerialCycles;
    if (isQuiet && frames.in.empty() && serial.in.empty()) wait({&frames, &serial, &moments});
  }
  std::printf("cycles %llu\n", static_cast<unsigned long long>(cycles));
}
