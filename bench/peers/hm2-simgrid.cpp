// One run of HM2 in SimGrid, as actors of S4U: devices, both ends of each link, and containers that are suspended while
// idle (an actor for each frame would be slower). Arguments: number of devices, seed.
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

constexpr int FRAMES = 120;
constexpr double KEEP_ALIVE = 20.0;
constexpr double COLD_START = 0.3;
constexpr double DELAY = 0.002;

std::mt19937_64 engine;
std::exponential_distribution<double> service(5.0);
size_t toDeliver;
std::vector<double> latencies;

/// An actor that works through what it is given and sleeps when there is nothing.
struct Worker {
  sg4::ActorPtr actor;
  bool isAsleep = false;

  void wake()
  {
    if (isAsleep) {
      isAsleep = false;
      actor->resume();
    }
  }
  void sleep()
  {
    isAsleep = true;
    sg4::this_actor::suspend();
  }
};

/// A shared first-come-first-served link: one actor sends, one takes what arrives after the delay.
struct Link {
  double seconds;
  void (*arrived)(double emitted);
  std::deque<double> queue{};
  std::deque<std::pair<double, double>> travelling{};
  Worker sender{};
  Worker receiver{};

  void give(double emitted)
  {
    queue.push_back(emitted);
    sender.wake();
  }
  void send()
  {
    for (size_t sent = 0; sent < toDeliver; sent++) {
      while (queue.empty())
        sender.sleep();
      const double emitted = queue.front();
      queue.pop_front();
      sg4::this_actor::sleep_for(seconds);
      travelling.emplace_back(sg4::Engine::get_clock() + DELAY, emitted);
      receiver.wake();
    }
  }
  void receive()
  {
    for (size_t received = 0; received < toDeliver; received++) {
      while (travelling.empty())
        receiver.sleep();
      const auto [at, emitted] = travelling.front();
      travelling.pop_front();
      sg4::this_actor::sleep_until(at);
      arrived(emitted);
    }
  }
};

struct Container {
  Worker worker{};
  double idleSince = -1e9;
  double frame = -1.0;
};

std::vector<Container> containers;
/// The container used last is on top.
std::vector<int> idle;
std::deque<double> waiting;
bool isOver = false;

void arriveInCloud(double emitted);
void deliver(double emitted);

Link uplink{0, &arriveInCloud};
Link downlink{0, &deliver};

void arriveInCloud(double emitted)
{
  if (idle.empty()) {
    waiting.push_back(emitted);
    return;
  }
  Container& container = containers[idle.back()];
  idle.pop_back();
  container.frame = emitted;
  container.worker.wake();
}

void serve(int number)
{
  Container& container = containers[number];
  while (!isOver) {
    while (container.frame < 0 && !isOver)
      container.worker.sleep();
    if (isOver)
      return;
    const bool isWarm = sg4::Engine::get_clock() - container.idleSince <= KEEP_ALIVE;
    sg4::this_actor::sleep_for(service(engine) + (isWarm ? 0.0 : COLD_START));
    container.idleSince = sg4::Engine::get_clock();
    const double served = std::exchange(container.frame, -1.0);
    if (waiting.empty())
      idle.push_back(number);
    else {
      container.frame = waiting.front();
      waiting.pop_front();
    }
    downlink.give(served);
  }
}

void deliver(double emitted)
{
  latencies.push_back(sg4::Engine::get_clock() - emitted);
  if (latencies.size() < toDeliver)
    return;
  isOver = true;
  for (Container& container : containers)
    container.worker.wake();
}

void device(double phase)
{
  for (int frame = 0; frame < FRAMES; frame++) {
    sg4::this_actor::sleep_until(phase + frame);
    uplink.give(sg4::Engine::get_clock());
  }
}

double cpuSeconds(const rusage& usage)
{
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

} // namespace

int main(int argc, char** argv)
{
  const int devices = std::atoi(argv[1]);
  engine.seed(argc > 2 ? std::atoi(argv[2]) : 1);
  sg4::Engine sim(&argc, argv);
  sg4::Engine::set_config("contexts/stack-size:64");
  toDeliver = static_cast<size_t>(devices) * FRAMES;
  latencies.reserve(toDeliver);
  uplink.seconds = 0.7 / devices;
  downlink.seconds = 0.1 / devices;
  auto* zone = sg4::create_full_zone("zone");
  auto* host = zone->create_host("host", "1Gf");
  zone->seal();

  for (Link* link : {&uplink, &downlink}) {
    link->sender.actor = sg4::Actor::create("sender", host, [link]() { link->send(); });
    link->receiver.actor = sg4::Actor::create("receiver", host, [link]() { link->receive(); });
  }
  containers.resize(static_cast<size_t>(std::ceil(devices * 0.2 / 0.75)));
  for (int number = static_cast<int>(containers.size()) - 1; number >= 0; number--) {
    idle.push_back(number);
    containers[number].worker.actor = sg4::Actor::create("container", host, [number]() { serve(number); });
  }
  std::uniform_real_distribution<double> phase(0.0, 1.0);
  for (int number = 0; number < devices; number++) {
    const double at = phase(engine);
    sg4::Actor::create("device", host, [at]() { device(at); });
  }

  rusage before;
  getrusage(RUSAGE_SELF, &before);
  sim.run();
  rusage after;
  getrusage(RUSAGE_SELF, &after);

  std::sort(latencies.begin(), latencies.end());
  const auto at = [](double share) { return latencies[static_cast<size_t>(share * (latencies.size() - 1))]; };
  int major;
  int minor;
  int patch;
  sg_version_get(&major, &minor, &patch);
  std::printf("{\"cpuS\":%.6f,\"version\":\"%d.%d\",\"meanS\":%.9f,\"p50S\":%.9f,\"p95S\":%.9f,\"p99S\":%.9f,\"rssMB\":%.1f}\n",
              cpuSeconds(after) - cpuSeconds(before), major, minor,
              std::accumulate(latencies.begin(), latencies.end(), 0.0) / latencies.size(), at(0.5), at(0.95), at(0.99),
              after.ru_maxrss / 1024.0);
}
