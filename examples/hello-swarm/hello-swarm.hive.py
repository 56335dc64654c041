# A first swarm: every device reads a weather sensor, judges each reading, and one summary is made for all of them.

TaskGraph(
    list=['readSensor', 'judge', 'summary'],
    constraint=dict(execTime='10s'),
)

Data(reading, kind='stream', type='application/json', size='80B', rate='20/s')
Data(verdict, kind='stream', type='application/json', size='120B')
Data(report, kind='object', type='application/json')

# A task that reads no data is a sensor: it runs on the devices, and each of them emits a stream.
Task(
    readSensor, None, reading,
    'tasks/read-sensor.mjs',
    files='data/readings.csv',
    rate='20/s',
    parentTask=None, childTask=['judge'],
)

# Called once for each reading of each device. It is Python; a workflow may mix languages.
Task(
    judge, reading, verdict,
    'tasks/judge.py',
    frostBelow=0.0, dampAbove=0.9,
    parentTask=['readSensor'], childTask=['summary'],
)

# Behind a barrier: called once, when every device has finished.
Task(
    summary, verdict, report,
    'tasks/summary.mjs',
    parentTask=['judge'], childTask=[],
)

Synchronize(summary, 'all')
