"""Divides the field among the devices and plans the route of one of them with A* (paper section 2.1, Scenario A)."""

from heapq import heappop, heappush
from math import hypot, sqrt

GRID = 0.25  # metres between two points of the planning grid


def stops_of(field):
    """Every place to photograph, back and forth over the field: `{frame, x, y}`, x and y in metres."""
    stops = []
    for row in range(field['rows']):
        columns = range(field['columns'])
        for column in columns if row % 2 == 0 else reversed(columns):
            stops.append({
                'frame': 'r%d-c%d' % (row, column),
                'x': field['photo']['width'] / 2 + column * field['step']['x'],
                'y': field['photo']['height'] / 2 + row * field['step']['y'],
            })
    return stops


def share(stops, index, count, policy):
    """The stops of one device: a stretch of the whole tour ('contiguous'), or every n-th ('round robin')."""
    if policy == 'round robin':
        return stops[index::count]
    if policy == 'contiguous':
        return stops[len(stops) * index // count:len(stops) * (index + 1) // count]
    raise ValueError("load_balancer must be 'contiguous' or 'round robin', not %r" % policy)


class Map:
    """The field as a grid of points a drone may or may not be at."""

    def __init__(self, field, clearance):
        self.columns = int(field['width'] / GRID) + 1
        self.rows = int(field['height'] / GRID) + 1
        self.blocked = {
            (column, row)
            for column in range(self.columns)
            for row in range(self.rows)
            if any(
                hypot(column * GRID - tree['x'], row * GRID - tree['y']) < tree['radius'] + clearance
                for tree in field['obstacles']
            )
        }

    def nearest(self, place):
        return round(place['x'] / GRID), round(place['y'] / GRID)

    def open_around(self, point):
        """The free neighbours of a point and how far they are, in grid units; no cutting of blocked corners."""
        column, row = point
        for across in (-1, 0, 1):
            for down in (-1, 0, 1):
                step = (column + across, row + down)
                if step == point or not self.free(step):
                    continue
                if across and down and not (self.free((column + across, row)) and self.free((column, row + down))):
                    continue
                yield step, sqrt(2) if across and down else 1.0

    def free(self, point):
        return 0 <= point[0] < self.columns and 0 <= point[1] < self.rows and point not in self.blocked


def a_star(field_map, start, goal):
    """The shortest way between two grid points, both included, or None."""

    def at_least(point):
        across, down = abs(point[0] - goal[0]), abs(point[1] - goal[1])
        return max(across, down) + (sqrt(2) - 1) * min(across, down)

    if not (field_map.free(start) and field_map.free(goal)):
        return None
    came_from, cost = {start: None}, {start: 0.0}
    open_points = [(at_least(start), start)]
    while open_points:
        _, point = heappop(open_points)
        if point == goal:
            way = []
            while point is not None:
                way.append(point)
                point = came_from[point]
            return way[::-1]
        for step, length in field_map.open_around(point):
            through = cost[point] + length
            if through < cost.get(step, float('inf')):
                cost[step], came_from[step] = through, point
                heappush(open_points, (through + at_least(step), step))
    return None


def corners(way):
    """The way in metres, without the points between two turns."""
    kept = [
        point for index, point in enumerate(way)
        if index in (0, len(way) - 1)
        or (point[0] - way[index - 1][0], point[1] - way[index - 1][1])
        != (way[index + 1][0] - point[0], way[index + 1][1] - point[1])
    ]
    return [[column * GRID, row * GRID] for column, row in kept]


def length_of(way):
    return sum(hypot(a[0] - b[0], a[1] - b[1]) for a, b in zip(way, way[1:]))


def run(inputs, args, context):
    field = inputs['inputMap']
    if not field:
        raise ValueError("createRoute needs the field as the run's input 'inputMap'; inputs.json holds an example.")
    mine = share(stops_of(field), context.deviceIndex, len(context.devices), args['load_balancer'])
    field_map = Map(field, args['clearance'])
    here, legs, reached, skipped = field_map.nearest(field['home']), [], [], []
    for stop in mine:
        way = a_star(field_map, here, field_map.nearest(stop))
        if way is None:
            skipped.append(stop['frame'])
            continue
        here = way[-1]
        legs.append(corners(way))
        reached.append(stop)
    metres = round(sum(length_of(leg) for leg in legs), 2)
    context.log('%d stops, %.1f m to fly' % (len(reached), metres))
    if skipped:
        context.log('no way to ' + ', '.join(skipped), 'warning')
    return {'stops': reached, 'legs': legs, 'metres': metres, 'skipped': skipped, 'photo': field['photo']}
