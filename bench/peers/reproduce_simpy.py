"""Three rows of the reproduction page, simulated again in SimPy from what the page states of its inputs, and nothing else.

Arguments: the page, and the number of repetitions. Prints JSON: the values of the rows by name.
"""

import json
import random
import re
import sys
from statistics import mean

import simpy

DEVICES = 16
ROUTERS = 2
SECONDS = 120
FLIGHT_M = 4
FRAME_M = 6.7
RESULT = 2e3
PAGE = open(sys.argv[1], encoding="utf8").read()
REPETITIONS = int(sys.argv[2])


def inputs():
    """The column `value` of the table of inputs, by name."""
    table = PAGE[PAGE.index("## Inputs") :]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.split("\n") if line.startswith("| ")]
    return {row[0]: float(row[3]) for row in rows if re.fullmatch(r"[.\d]+", row[3])}


def jobs():
    """Name, time of the task in s, what it works on, and tasks a second, of each job."""
    pattern = r"^- (S\d+) [^:]+: (\d+) ms, (\w+)(?:, ([.\d]+) tasks a second)?"
    return [
        (name, int(ms) / 1000, kind, float(rate or 1))
        for name, ms, kind, rate in re.findall(pattern, PAGE, re.MULTILINE)
    ]


def quantiles(of):
    line = re.search(rf"^- {of}: ([-.\d, ]+)$", PAGE, re.MULTILINE).group(1)
    return [float(each) for each in line.split(", ")]


IN = inputs()
TASKS = quantiles("tasks")
STARTS = [1 + IN["startSpread"] * (each - 1) for each in quantiles("starts")]


class Sampler:
    """Draws from evenly spaced quantiles, linear between them, scaled to mean 1."""

    def __init__(self, points):
        area = sum((a + b) / 2 for a, b in zip(points, points[1:])) / (len(points) - 1)
        self.points = [each / area for each in points]

    def __call__(self, rng):
        at = rng.random() * (len(self.points) - 1)
        below = min(int(at), len(self.points) - 2)
        return self.points[below] + (self.points[below + 1] - self.points[below]) * (at - below)


task_time = Sampler(TASKS)
start_time = Sampler(STARTS)


def run(job, is_hivemind, seed):
    """Latencies of a job, each with its time in the network and in management (starts and scheduling), in s."""
    _, work_s, kind, rate = job
    rng = random.Random(seed)
    env = simpy.Environment()
    routers = [simpy.Resource(env) for _ in range(ROUTERS)]
    cores = [simpy.Resource(env) for _ in range(DEVICES)]
    store = simpy.Resource(env)
    idle = {"select": [], "work": []}
    latencies = []
    photos = kind == "photos"
    fps = IN["lightFps"]
    frame = IN["frameMB"] * 1e6
    sensed = {"photos": fps * frame, "video": fps * 0.3e6, "readings": 10e3}[kind]
    kept = min(fps, FLIGHT_M / (FRAME_M * IN["newGround"])) * frame if photos else sensed
    select_s = IN["selectMs"] * fps / 1000
    device_mb_s = 2 * IN["callMBps"] * IN["droneSpeed"]
    per_byte = 1e-6 / device_mb_s + (0 if is_hivemind else 1e-6 / IN["ingestMBps"])
    per_call = (IN["callMs"] / 2 / IN["droneSpeed"] + (0 if is_hivemind else IN["ingestMs"]) + IN["delayMs"]) / 1000
    dispatch_s = IN["dispatchMs"] * (IN["schedulerRatio"] if is_hivemind else 1) / 1000
    keep_s = IN["keepAliveS"] if is_hivemind else 0

    def cross(device, size):
        with routers[device % ROUTERS].request() as turn:
            yield turn
            yield env.timeout(size * 8 / (IN["routerMbps"] * 1e6))
        yield env.timeout(size * per_byte + per_call)

    def compute(device, seconds):
        with cores[device].request() as turn:
            yield turn
            yield env.timeout(seconds * task_time(rng) * IN["nativeRatio"] / IN["droneSpeed"])

    def invoke(function, seconds, parts):
        started = env.now
        yield env.timeout(dispatch_s)
        pool = idle[function]
        since = pool.pop() if pool else None
        if since is None or env.now - since > keep_s:
            yield env.timeout(IN["coldStartMs"] / 1000 * start_time(rng))
        parts["management"] += env.now - started
        yield env.timeout(seconds * task_time(rng))
        pool.append(env.now)

    def hand_over(size):
        with store.request() as turn:
            yield turn
            yield env.timeout(size / (IN["storeMBps"] * 1e6))
        yield env.timeout(IN["storeMs"] / 1000)

    def network(device, size, parts):
        started = env.now
        yield from cross(device, size)
        parts["network"] += env.now - started

    def item(device):
        captured = env.now
        parts = {"network": 0.0, "management": 0.0}
        if photos and is_hivemind:
            yield from compute(device, select_s)
            yield from network(device, kept, parts)
        elif photos:
            yield from network(device, sensed, parts)
            yield from invoke("select", select_s, parts)
            yield from hand_over(kept)
        else:
            yield from network(device, sensed, parts)
        yield from invoke("work", work_s * IN["workRatio"], parts)
        yield from network(device, RESULT, parts)
        latencies.append((env.now - captured, parts["network"], parts["management"]))
        # the device reports what it did
        yield from cross(device, RESULT)

    def sensor(device):
        gap = 1 / rate
        yield env.timeout(rng.random() * gap)
        for _ in range(round(rate * SECONDS)):
            env.process(item(device))
            yield env.timeout(gap)

    for device in range(DEVICES):
        env.process(sensor(device))
    env.run()
    return latencies


def around_median(latencies):
    """The tenth of items around the median."""
    ordered = sorted(latencies)
    return ordered[int(0.45 * len(ordered)) : int(0.55 * len(ordered)) + 1]


def p99(latencies):
    ordered = sorted(each[0] for each in latencies)
    return ordered[int(0.99 * (len(ordered) - 1))]


def main():
    network, starts, gains = [], [], {}
    for job in jobs():
        central = [run(job, False, seed) for seed in range(REPETITIONS)]
        middle = [each for latencies in central for each in around_median(latencies)]
        total = sum(each[0] for each in middle)
        in_network = sum(each[1] for each in middle)
        network.append(in_network / total)
        starts.append(sum(each[2] for each in middle) / (total - in_network))
        # HiveMind selects photos on board, as the page says
        if job[2] == "photos":
            hive = [run(job, True, seed) for seed in range(REPETITIONS)]
            gains[job[0]] = mean(p99(each) for each in central) / mean(p99(each) for each in hive)
    print(json.dumps({"network-mean": mean(network), "start-median": mean(starts), "gains": gains}))


main()
