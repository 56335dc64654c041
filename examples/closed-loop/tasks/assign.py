"""Decides for all robots which of them goes to which target, so that together they go as little as possible."""

import json
from math import hypot, inf


def cheapest(costs):
    """For each row its column in the assignment of least total cost; there are at least as many columns as rows.

    The Hungarian method with potentials, in O(rows^2 * columns) steps.
    """
    rows, columns = len(costs), len(costs[0])
    of_row, of_column = [0.0] * (rows + 1), [0.0] * (columns + 1)
    row_at = [0] * (columns + 1)  # which row has a column; rows and columns count from 1
    for row in range(1, rows + 1):
        row_at[0] = row
        column = 0
        least = [inf] * (columns + 1)
        before = [0] * (columns + 1)
        done = [False] * (columns + 1)
        while row_at[column] != 0:
            done[column] = True
            current = row_at[column]
            step, following = inf, 0
            for other in range(1, columns + 1):
                if done[other]:
                    continue
                reduced = costs[current - 1][other - 1] - of_row[current] - of_column[other]
                if reduced < least[other]:
                    least[other], before[other] = reduced, column
                if least[other] < step:
                    step, following = least[other], other
            for other in range(columns + 1):
                if done[other]:
                    of_row[row_at[other]] += step
                    of_column[other] -= step
                else:
                    least[other] -= step
            column = following
        while column != 0:
            row_at[column] = row_at[before[column]]
            column = before[column]
    chosen = [0] * rows
    for column in range(1, columns + 1):
        if row_at[column] != 0:
            chosen[row_at[column] - 1] = column - 1
    return chosen


def run(inputs, args, context):
    robots = [(item['device'], item['value']) for item in inputs['position']]
    with open(context.path('data/targets.json')) as file:
        targets = json.load(file)
    if not robots or not targets:
        return {}
    costs = [[hypot(t['x'] - at['x'], t['y'] - at['y']) for t in targets] for _, at in robots]
    if len(robots) <= len(targets):
        pairs = list(enumerate(cheapest(costs)))
    else:
        pairs = [(robot, target) for target, robot in enumerate(cheapest([list(row) for row in zip(*costs)]))]
    context.log('%d of %d targets assigned to %d robots' % (len(pairs), len(targets), len(robots)))
    # The keys are names of devices, so each robot gets its own part; one without an order is not called.
    return {robots[robot][0]: {'from': robots[robot][1], 'target': targets[target]} for robot, target in pairs}
