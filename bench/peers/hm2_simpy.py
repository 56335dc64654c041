"""One run of HM2 in SimPy, in its usual style (processes and resources). Argument: number of devices."""

import json
import random
import resource
import sys
import time
from importlib.metadata import version
from math import ceil

import simpy

DEVICES = int(sys.argv[1])
FRAMES = 120
KEEP_ALIVE = 20.0


def main():
    rng = random.Random(1)
    env = simpy.Environment()
    uplink = simpy.Resource(env)
    downlink = simpy.Resource(env)
    cloud = simpy.Resource(env, capacity=ceil(DEVICES * 0.2 / 0.75))
    idle = []
    latencies = []

    def frame():
        emitted = env.now
        with uplink.request() as turn:
            yield turn
            yield env.timeout(0.7 / DEVICES)
        yield env.timeout(0.002)
        with cloud.request() as turn:
            yield turn
            since = idle.pop() if idle else None
            cold = since is None or env.now - since > KEEP_ALIVE
            yield env.timeout(rng.expovariate(5.0) + (0.3 if cold else 0.0))
            idle.append(env.now)
        with downlink.request() as turn:
            yield turn
            yield env.timeout(0.1 / DEVICES)
        yield env.timeout(0.002)
        latencies.append(env.now - emitted)

    def device():
        yield env.timeout(rng.random())
        for _ in range(FRAMES):
            env.process(frame())
            yield env.timeout(1.0)

    for _ in range(DEVICES):
        env.process(device())
    started = time.process_time()
    env.run()
    used = time.process_time() - started
    latencies.sort()
    print(
        json.dumps(
            {
                'cpuS': used,
                'version': '%s (Python %s)' % (version('simpy'), sys.version.split()[0]),
                'meanS': sum(latencies) / len(latencies),
                'p99S': latencies[int(0.99 * (len(latencies) - 1))],
                'rssMB': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )


main()
