# A closed loop: every robot reports where it is, one decision is made for all of them, and each robot acts on its part.

TaskGraph(
    list=['locate', 'assign', 'move', 'report'],
    constraint=dict(execTime='10s'),
)

# Each of these is one value: a robot is asked once where it is, and moves once.
Data(position, kind='object', type='application/json', size='100B')
Data(orders, kind='object', type='application/json', size='200B')
Data(arrival, kind='object', type='application/json', size='200B')
Data(summary, kind='object', type='application/json')

# A sensor: it runs on every robot. `field` is the input of the run.
Task(
    locate, field, position,
    'tasks/locate.mjs',
    role='sensor',
    parentTask=None, childTask=['assign'],
)

# Behind a barrier: called once, with the positions of all robots. It returns a map from robot to order.
Task(
    assign, position, orders,
    'tasks/assign.py',
    files='data/targets.json', sync='all',
    parentTask=['locate'], childTask=['move'],
)

# Below the barrier and back on the robots: the map is scattered, and each robot gets its own order.
Task(
    move, orders, arrival,
    'tasks/move.py',
    role='actuator', speed=1.5,
    parentTask=['assign'], childTask=['report'],
)

# The loop ends where it began: with the new positions of all robots.
Task(
    report, arrival, summary,
    'tasks/report.mjs',
    sync='all',
    parentTask=['move'], childTask=[],
)

Schedule(move, priority=2, deadline='2s')
Persist(report)
