// Calls and serves functions through the dispatcher of a HiveMind fabric. C++17 on POSIX, no libraries.
//
//   hivemind::fabric::Worker worker({{"upper", [](std::string payload) { ...; return payload; }}});
//   worker.serve();                                   // until close() is called from another thread
//
//   hivemind::fabric::Caller caller;
//   std::string answer = caller.call("upper", "hello");   // one call at a time; a Caller for each thread
//
// Both say hello to the host of the fabric (`hivemind fabric host`) every half second, from a thread of their own. What cannot be done is
// thrown as a FabricError. The messages are described in docs/fabric.md.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace hivemind::fabric {

constexpr uint16_t kHostPort = 4903;
constexpr size_t kPayloadBytes = 1024;

struct FabricError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/** A call that the dispatcher could not send to a worker; `reason` is its code, 1 to 7. */
struct SlowPathError : FabricError {
  SlowPathError(const std::string& text, int code) : FabricError(text), reason(code) {}
  int reason;
};

namespace detail {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

inline void put(std::string& to, uint64_t value, int bytes) {
  for (int n = bytes - 1; n >= 0; --n) to += static_cast<char>(value >> (8 * n));
}

inline uint64_t get(const std::string& from, size_t at, int bytes) {
  uint64_t value = 0;
  for (int n = 0; n < bytes; ++n) value = value << 8 | static_cast<uint8_t>(from.at(at + n));
  return value;
}

/** The first 32 bits of the SHA-256 (FIPS 180-4) of a name of up to 55 bytes. */
inline uint32_t functionId(const std::string& name) {
  if (name.size() > 55) throw FabricError("The name of a function has at most 55 bytes here.");
  // the first 32 bits of the fractional parts of the cube roots of the first 64 primes
  static const std::array<uint32_t, 64> k = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
      0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
      0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
      0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
      0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
      0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  std::string block = name + '\x80';
  block.resize(56, '\0');
  put(block, name.size() * 8, 8);
  std::array<uint32_t, 64> w{};
  const auto turn = [](uint32_t x, int by) { return x >> by | x << (32 - by); };
  for (int n = 0; n < 16; ++n) w[n] = static_cast<uint32_t>(get(block, 4 * n, 4));
  for (int n = 16; n < 64; ++n) {
    const uint32_t a = turn(w[n - 15], 7) ^ turn(w[n - 15], 18) ^ w[n - 15] >> 3;
    const uint32_t b = turn(w[n - 2], 17) ^ turn(w[n - 2], 19) ^ w[n - 2] >> 10;
    w[n] = w[n - 16] + a + w[n - 7] + b;
  }
  constexpr uint32_t first = 0x6a09e667;
  std::array<uint32_t, 8> s = {first, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int n = 0; n < 64; ++n) {
    const uint32_t sum1 = turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25);
    const uint32_t t1 = s[7] + sum1 + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[n] + w[n];
    const uint32_t sum0 = turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22);
    const uint32_t t2 = sum0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
  }
  return s[0] + first;
}

class Socket {
 public:
  Socket() : descriptor_(socket(AF_INET, SOCK_DGRAM, 0)) {}
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void send(const std::string& host, uint16_t port, const std::string& bytes) const {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    if (inet_pton(AF_INET, host.c_str(), &to.sin_addr) != 1) throw FabricError("'" + host + "' is no IPv4 address.");
    sendto(descriptor_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&to), sizeof to);
  }

  /** What comes next; empty when nothing does in time. */
  std::string receive(milliseconds patience) const {
    const timeval limit{patience.count() / 1000, patience.count() % 1000 * 1000};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    char bytes[2048];
    const ssize_t got = recv(descriptor_, bytes, sizeof bytes, 0);
    return got > 0 ? std::string(bytes, static_cast<size_t>(got)) : std::string();
  }

 private:
  int descriptor_;
};

/** A whole number of the host's JSON, whose names are known and are each there once. */
inline std::map<std::string, uint64_t> numbersOf(const std::string& json) {
  std::map<std::string, uint64_t> found;
  for (size_t at = 0; (at = json.find("\":", at)) != std::string::npos; at += 2) {
    const size_t begin = json.rfind('"', at - 1) + 1;
    if (at + 2 < json.size() && json[at + 2] >= '0' && json[at + 2] <= '9')
      found[json.substr(begin, at - begin)] = std::stoull(json.substr(at + 2));
  }
  return found;
}

struct Message {
  int kind, attempt, reason;
  uint32_t function, request, tag, key, payload;
  size_t payloadBytes;

  static bool is(const std::string& bytes) { return bytes.size() == 32 && bytes[0] == '\x5d'; }
  static Message of(const std::string& b) {
    const auto word = [&b](int n) { return static_cast<uint32_t>(get(b, 4 + 4 * n, 4)); };
    return {b[1] & 15, static_cast<uint8_t>(b[3]) >> 4, b[3] & 15, word(0), word(1), word(2), word(3), word(4), static_cast<size_t>(get(b, 28, 2))};
  }
  static std::string encode(int kind, uint32_t function, uint32_t request, uint32_t tag, uint32_t key, uint32_t payload, size_t payloadBytes) {
    std::string bytes;
    put(bytes, 0x5d10u | static_cast<unsigned>(kind), 2);
    put(bytes, 0, 2);
    for (const uint32_t word : {function, request, tag, key, payload, 0u}) put(bytes, word, 4);
    put(bytes, payloadBytes, 2);
    put(bytes, 0, 2);
    return bytes;
  }
};

/** What callers and workers share. */
class Client {
 public:
  Client(std::string hello, std::string host, uint16_t port) : hello_(std::move(hello)), host_(std::move(host)), port_(port) {
    std::string answer;
    // a host that still writes its tables for it says so; a call that came before the welcome is sent again by the dispatcher
    for (int silent = 0; silent < 10 && answer.empty();) {
      messages_.send(host_, port_, hello_);
      answer = messages_.receive(kHello);
      silent = answer.empty() ? silent + 1 : 0;
      const bool isWaiting = answer.find("\"waiting\"") != std::string::npos;
      if (isWaiting || answer[0] != '{') answer.clear();
      if (isWaiting) std::this_thread::sleep_for(kHello);
    }
    if (answer.empty()) throw FabricError("No host of a fabric answers at " + host_ + ": `hivemind fabric host` runs one.");
    const size_t refused = answer.find("\"refused\":\"");
    if (refused != std::string::npos) throw FabricError(answer.substr(refused + 11, answer.rfind('"') - refused - 11));
    welcome_ = numbersOf(answer);
    // a host that is started anew gives it the number that calls under way have
    hello_.insert(hello_.size() - 1, ",\"number\":" + std::to_string(said("number")));
    hellos_ = std::thread([this] {
      std::unique_lock<std::mutex> lock(mutex_);
      while (!end_.wait_for(lock, kHello, [this] { return !isOpen_; })) messages_.send(host_, port_, hello_);
    });
  }
  ~Client() {
    close();
    hellos_.join();
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /** May be called from any thread, and again. */
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (isOpen_) messages_.send(host_, port_, "{\"kind\":\"bye\"}");
    isOpen_ = false;
    end_.notify_all();
  }

 protected:
  static constexpr milliseconds kHello{500};

  bool isOpen() const { return isOpen_; }
  uint64_t said(const char* name) const { return welcome_.at(name); }
  void send(const char* port, const std::string& bytes) const { messages_.send(host_, static_cast<uint16_t>(said(port)), bytes); }

  /** The next message, or none within some time. */
  bool next(Message& message, milliseconds patience) {
    const std::string bytes = messages_.receive(patience);
    if (!bytes.empty() && bytes[0] == '{' && bytes.find("\"ports\"") != std::string::npos) welcome_ = numbersOf(bytes);
    if (!Message::is(bytes)) return false;
    message = Message::of(bytes);
    return true;
  }

  std::string read(uint64_t offset, size_t length) { return ask(1, offset, length, ""); }
  void write(uint64_t offset, const std::string& data) { ask(2, offset, data.size(), data); }

 private:
  /** Lost datagrams are sent again: a read or a write does no harm twice. */
  std::string ask(int operation, uint64_t offset, size_t length, const std::string& data) {
    std::string request;
    put(request, 0x100u | static_cast<unsigned>(operation), 2);
    put(request, 0, 2);
    put(request, ++tag_, 4);
    put(request, 1, 8);
    put(request, offset, 8);
    put(request, length, 4);
    put(request, 0, 4);
    request += data;
    for (int n = 0; n < 5; ++n) {
      memory_.send(host_, static_cast<uint16_t>(said("rmem")), request);
      for (std::string answer; (answer = memory_.receive(milliseconds(1000))).size() >= 16;) {
        if (get(answer, 4, 4) != tag_) continue;
        if (answer[8] != 0) throw FabricError("Remote memory refused a request with status " + std::to_string(answer[8]) + ".");
        return answer.substr(16);
      }
    }
    throw FabricError("Remote memory did not answer 5 times.");
  }

  std::string hello_;
  const std::string host_;
  const uint16_t port_;
  std::map<std::string, uint64_t> welcome_;
  Socket messages_, memory_;
  uint32_t tag_ = 0;
  std::atomic<bool> isOpen_{true};
  std::mutex mutex_;
  std::condition_variable end_;
  std::thread hellos_;
};

template <class Names>
std::string workerHello(const Names& functions) {
  std::string names;
  for (const auto& [name, run] : functions) names += (names.empty() ? "\"" : ",\"") + name + "\"";
  return "{\"kind\":\"worker\",\"functions\":[" + names + "]}";
}

}  // namespace detail

using Function = std::function<std::string(const std::string&)>;

/** Serves functions. */
class Worker : public detail::Client {
 public:
  /** @param functions names without quotes and backslashes, and what each makes of a payload */
  explicit Worker(const std::map<std::string, Function>& functions, const std::string& host = "127.0.0.1", uint16_t port = kHostPort)
      : Client(detail::workerHello(functions), host, port) {
    for (const auto& [name, run] : functions) functions_[detail::functionId(name)] = run;
  }

  /** Serves until it is closed. A call whose function throws is left to the time-out of the dispatcher; what it throws goes on. */
  void serve() {
    constexpr int kDispatch = 3, kDone = 4;
    for (detail::Message message{}; isOpen();) {
      if (!next(message, kHello) || message.kind != kDispatch) continue;
      const auto found = functions_.find(message.function);
      if (found == functions_.end()) continue;
      const std::string answer = found->second(message.payloadBytes > 0 ? read(message.payload, message.payloadBytes) : "");
      if (answer.size() > kPayloadBytes) throw FabricError("An answer has at most 1024 bytes.");
      const auto place = static_cast<uint32_t>(message.payload + (1 + message.attempt) * kPayloadBytes);
      if (!answer.empty()) write(place, answer);
      send("completions", detail::Message::encode(kDone, 0, 0, message.tag, message.key, place, answer.size()));
    }
  }

 private:
  std::map<uint32_t, Function> functions_;
};

/** Calls functions, one at a time. */
class Caller : public detail::Client {
 public:
  explicit Caller(const std::string& host = "127.0.0.1", uint16_t port = kHostPort) : Client("{\"kind\":\"caller\"}", host, port) {
    rests_.resize(said("slots"));
  }

  /** What the function's worker answers to up to 1,024 bytes. Throws SlowPathError, and FabricError when nothing comes in 10 s. */
  std::string call(const std::string& name, const std::string& payload, uint32_t key = 0) {
    constexpr int kCall = 1, kResult = 7, kExhausted = 5;
    if (payload.size() > kPayloadBytes) throw FabricError("A payload has at most 1024 bytes.");
    size_t slot = 0;
    while (slot < rests_.size() && rests_[slot] > detail::Clock::now()) ++slot;
    if (slot == rests_.size()) throw FabricError("Too many calls were not answered: wait half a minute.");
    const auto place = static_cast<uint32_t>(said("offset") + slot * said("slotBytes"));
    if (!payload.empty()) write(place, payload);
    const auto request = static_cast<uint32_t>(said("number") << 24 | (++count_ & 0xffffff));
    send("requests", detail::Message::encode(kCall, detail::functionId(name), request, 0, key, place, payload.size()));
    const auto end = detail::Clock::now() + std::chrono::seconds(10);
    for (detail::Message message{}; detail::Clock::now() < end;) {
      if (!next(message, kHello) || message.request != request) continue;
      if (message.kind == kResult) return message.payloadBytes > 0 ? read(message.payload, message.payloadBytes) : "";
      if (message.reason == kExhausted) rest(slot);
      throw SlowPathError("The call of '" + name + "' took the slow path for reason " + std::to_string(message.reason) + ".", message.reason);
    }
    rest(slot);
    throw FabricError("The call of '" + name + "' was not answered within 10 s.");
  }

 private:
  /** A worker that is late may still write to the slot. */
  void rest(size_t slot) { rests_[slot] = detail::Clock::now() + std::chrono::seconds(30); }

  uint32_t count_ = 0;
  std::vector<detail::Clock::time_point> rests_;
};

}  // namespace hivemind::fabric
