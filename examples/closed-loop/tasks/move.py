"""Drives this robot to its target in a straight line, and says where it is then."""

from math import hypot

TICK_S = 0.1


def run(inputs, args, context):
    order = inputs['orders']
    start, target = order['from'], order['target']
    x, y = start['x'], start['y']
    ticks = 0
    while (left := hypot(target['x'] - x, target['y'] - y)) > 1e-9:
        part = min(1.0, args['speed'] * TICK_S / left)
        x += (target['x'] - x) * part
        y += (target['y'] - y) * part
        ticks += 1
    context.log('at %s after %.1f s' % (target['name'], ticks * TICK_S))
    return {
        'target': target['name'],
        'position': {'x': x, 'y': y},
        'distanceM': hypot(x - start['x'], y - start['y']),
        'seconds': round(ticks * TICK_S, 1),
    }
