"""The front by pymoo's NSGA-II, population 100, 200 generations. Argument: file of the instance."""
import json
import sys
import time
from importlib.metadata import version

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from pymoo.operators.crossover.pntx import TwoPointCrossover
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.sampling.rnd import BinaryRandomSampling
from pymoo.optimize import minimize

instance = json.load(open(sys.argv[1]))
tasks, edges = instance["tasks"], instance["edges"]
times = np.array([task["time"] for task in tasks], dtype=float)
figures = np.array([task["figures"] for task in tasks], dtype=float)


class Placement(Problem):
    def __init__(self):
        super().__init__(n_var=len(tasks), n_obj=3, xl=0, xu=1, vtype=bool)

    def _evaluate(self, x, out, *args, **kwargs):
        tier = x.astype(int)
        ready = np.zeros(tier.shape)
        ends = np.zeros(tier.shape)
        sums = np.zeros((tier.shape[0], 2))
        for t in range(len(tasks)):
            for edge in into[t]:
                a, b = tier[:, edge["from"]], tier[:, t]
                ready[:, t] = np.maximum(ready[:, t], ends[:, edge["from"]] + edge["time"][a, b])
                sums += edge["figures"][a, b]
            ends[:, t] = ready[:, t] + times[t][tier[:, t]]
            sums += figures[t][tier[:, t]]
        out["F"] = np.column_stack([ends.max(axis=1), sums])


for edge in edges:
    edge["time"] = np.array(edge["time"], dtype=float)
    edge["figures"] = np.array(edge["figures"], dtype=float)
into = [[edge for edge in edges if edge["to"] == t] for t in range(len(tasks))]
started = time.process_time()
algorithm = NSGA2(
    pop_size=100,
    sampling=BinaryRandomSampling(),
    crossover=TwoPointCrossover(),
    mutation=BitflipMutation(),
    eliminate_duplicates=True,
)
result = minimize(Placement(), algorithm, ("n_gen", 200), seed=1, verbose=False)
print(json.dumps({
    "cpuS": time.process_time() - started,
    "version": version("pymoo"),
    "complete": False,
    "points": np.unique(result.F, axis=0).tolist(),
}))
