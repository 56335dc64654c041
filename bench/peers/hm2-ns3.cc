// One run of HM2 on the core of ns-3: its event scheduler and clock, no packets and no network devices.
// Arguments: number of devices, seed.
#include <ns3/core-module.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <numeric>
#include <random>
#include <vector>

namespace
{

constexpr int FRAMES = 120;
constexpr int64_t KEEP_ALIVE_NS = 20'000'000'000;
constexpr int64_t COLD_START_NS = 300'000'000;
constexpr int64_t DELAY_NS = 2'000'000;
constexpr int64_t PERIOD_NS = 1'000'000'000;

std::mt19937_64 engine;
std::exponential_distribution<double> service(5.0);

int64_t
Now()
{
    return ns3::Simulator::Now().GetNanoSeconds();
}

/// A shared first-come-first-served link: when it is free next says all of its queue.
struct Link
{
    int64_t tookNs;
    int64_t freeAt = 0;

    /// Takes a frame; returns how long until it is at the other end.
    int64_t Send(int64_t now)
    {
        freeAt = std::max(freeAt, now) + tookNs;
        return freeAt - now + DELAY_NS;
    }
};

Link uplink;
Link downlink;
int freeContainers;
std::vector<int64_t> idle;
std::deque<int64_t> waiting;
std::vector<double> latencies;

void
Deliver(int64_t emitted)
{
    latencies.push_back(static_cast<double>(Now() - emitted) / 1e9);
}

void Served(int64_t emitted);

void
Start(int64_t now, int64_t emitted)
{
    freeContainers--;
    bool isWarm = false;
    if (!idle.empty())
    {
        isWarm = now - idle.back() <= KEEP_ALIVE_NS;
        idle.pop_back();
    }
    const auto held = static_cast<int64_t>(service(engine) * 1e9) + (isWarm ? 0 : COLD_START_NS);
    ns3::Simulator::Schedule(ns3::NanoSeconds(held), &Served, emitted);
}

void
Served(int64_t emitted)
{
    const int64_t now = Now();
    freeContainers++;
    idle.push_back(now);
    ns3::Simulator::Schedule(ns3::NanoSeconds(downlink.Send(now)), &Deliver, emitted);
    if (!waiting.empty())
    {
        const int64_t next = waiting.front();
        waiting.pop_front();
        Start(now, next);
    }
}

void
Arrive(int64_t emitted)
{
    if (freeContainers > 0)
        Start(Now(), emitted);
    else
        waiting.push_back(emitted);
}

void
Emit(int left)
{
    const int64_t now = Now();
    ns3::Simulator::Schedule(ns3::NanoSeconds(uplink.Send(now)), &Arrive, now);
    if (left > 1)
        ns3::Simulator::Schedule(ns3::NanoSeconds(PERIOD_NS), &Emit, left - 1);
}

double
CpuSeconds(const rusage& usage)
{
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

} // namespace

int
main(int argc, char** argv)
{
    const int devices = std::atoi(argv[1]);
    engine.seed(argc > 2 ? std::atoi(argv[2]) : 1);
    // the fastest of its schedulers here: map, calendar and heap took 1.3 to 2.4 times as long
    ns3::Simulator::SetScheduler(ns3::ObjectFactory("ns3::PriorityQueueScheduler"));
    uplink.tookNs = std::llround(0.7e9 / devices);
    downlink.tookNs = std::llround(0.1e9 / devices);
    freeContainers = static_cast<int>(std::ceil(devices * 0.2 / 0.75));
    latencies.reserve(static_cast<size_t>(devices) * FRAMES);
    std::uniform_real_distribution<double> phase(0.0, 1e9);
    for (int device = 0; device < devices; device++)
        ns3::Simulator::Schedule(ns3::NanoSeconds(static_cast<int64_t>(phase(engine))), &Emit, FRAMES);

    rusage before;
    getrusage(RUSAGE_SELF, &before);
    ns3::Simulator::Run();
    rusage after;
    getrusage(RUSAGE_SELF, &after);
    ns3::Simulator::Destroy();

    std::sort(latencies.begin(), latencies.end());
    const auto at = [](double share) { return latencies[static_cast<size_t>(share * (latencies.size() - 1))]; };
    std::printf("{\"cpuS\":%.6f,\"version\":\"\",\"meanS\":%.9f,\"p50S\":%.9f,\"p95S\":%.9f,\"p99S\":%.9f,\"rssMB\":%.1f}\n",
                CpuSeconds(after) - CpuSeconds(before),
                std::accumulate(latencies.begin(), latencies.end(), 0.0) / latencies.size(),
                at(0.5), at(0.95), at(0.99), after.ru_maxrss / 1024.0);
}
