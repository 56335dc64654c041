"""The whole front by OR-Tools' CP-SAT: the best sum, then the best that beats every point found in some objective.

Arguments: file of the instance, seconds after which to stop.
"""
import json
import sys
import time
from importlib.metadata import version

from ortools.sat.python import cp_model

instance = json.load(open(sys.argv[1]))
limit = float(sys.argv[2])
tasks, edges = instance["tasks"], instance["edges"]
started = time.process_time()

model = cp_model.CpModel()
edge_side = [model.new_bool_var(f"x{t}") for t in range(len(tasks))]
horizon = sum(max(task["time"]) for task in tasks) + sum(max(map(max, edge["time"])) for edge in edges)
ends = [model.new_int_var(0, horizon, f"end{t}") for t in range(len(tasks))]
latency = model.new_int_var(0, horizon, "latency")
differs = []
for e, edge in enumerate(edges):
    cut = model.new_bool_var(f"cut{e}")
    a, b = edge_side[edge["from"]], edge_side[edge["to"]]
    model.add(cut >= a - b)
    model.add(cut >= b - a)
    model.add(cut <= a + b)
    model.add(cut <= 2 - a - b)
    differs.append(cut)


def by_tier(t, values):
    return values[0] + (values[1] - values[0]) * edge_side[t]


for t, task in enumerate(tasks):
    model.add(ends[t] >= by_tier(t, task["time"]))
    model.add(latency >= ends[t])
for e, edge in enumerate(edges):
    model.add(ends[edge["to"]] >= ends[edge["from"]] + edge["time"][0][1] * differs[e] + by_tier(edge["to"], tasks[edge["to"]]["time"]))


def figure(k):
    own = sum(by_tier(t, [row[k] for row in task["figures"]]) for t, task in enumerate(tasks))
    return own + sum(edge["figures"][0][1][k] * differs[e] for e, edge in enumerate(edges))


objectives = [latency, figure(0), figure(1)]
totals = []
for k, objective in enumerate(objectives):
    total = model.new_int_var(0, 10**9, f"objective{k}")
    model.add(total == objective)
    totals.append(total)
model.minimize(sum(totals))

points = []
complete = False
while time.process_time() - started < limit:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = max(0.01, limit - (time.process_time() - started))
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        complete = True
        break
    if status != cp_model.OPTIMAL:
        break
    point = [solver.value(total) for total in totals]
    points.append(point)
    better = []
    for k, value in enumerate(point):
        flag = model.new_bool_var("")
        model.add(totals[k] <= value - 1).only_enforce_if(flag)
        better.append(flag)
    model.add_bool_or(better)

print(json.dumps({
    "cpuS": time.process_time() - started,
    "version": version("ortools"),
    "complete": complete,
    "points": points,
}))
