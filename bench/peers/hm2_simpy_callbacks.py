"""One run of HM2 in SimPy with callbacks on timeouts instead of processes: its fast style.

Arguments: number of devices, seed.
"""

import json
import random
import resource
import sys
import time
from collections import deque
from importlib.metadata import version
from math import ceil

import simpy

DEVICES = int(sys.argv[1])
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
FRAMES = 120
KEEP_ALIVE = 20.0
COLD_START = 0.3
DELAY = 0.002


def main():
    rng = random.Random(SEED)
    env = simpy.Environment()
    # when a first-come-first-served link is free next says all of its queue
    free_at = [0.0, 0.0]
    took = [0.7 / DEVICES, 0.1 / DEVICES]
    free = ceil(DEVICES * 0.2 / 0.75)
    idle = []
    waiting = deque()
    latencies = []

    def after(delay, value, callback):
        env.timeout(delay, value).callbacks.append(callback)

    def send(link, emitted, callback):
        now = env.now
        free_at[link] = max(free_at[link], now) + took[link]
        after(free_at[link] - now + DELAY, emitted, callback)

    def emit(event):
        send(0, env.now, arrive)
        if event.value > 1:
            after(1.0, event.value - 1, emit)

    def arrive(event):
        if free > 0:
            start(event.value)
        else:
            waiting.append(event.value)

    def start(emitted):
        nonlocal free
        free -= 1
        warm = idle and env.now - idle.pop() <= KEEP_ALIVE
        after(rng.expovariate(5.0) + (0.0 if warm else COLD_START), emitted, served)

    def served(event):
        nonlocal free
        free += 1
        idle.append(env.now)
        send(1, event.value, deliver)
        if waiting:
            start(waiting.popleft())

    def deliver(event):
        latencies.append(env.now - event.value)

    for _ in range(DEVICES):
        after(rng.random(), FRAMES, emit)
    started = time.process_time()
    env.run()
    used = time.process_time() - started
    latencies.sort()

    def at(share):
        return latencies[int(share * (len(latencies) - 1))]

    print(
        json.dumps(
            {
                'cpuS': used,
                'version': '%s (Python %s)' % (version('simpy'), sys.version.split()[0]),
                'meanS': sum(latencies) / len(latencies),
                'p50S': at(0.5),
                'p95S': at(0.95),
                'p99S': at(0.99),
                'rssMB': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )


main()
