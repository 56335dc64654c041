# A sensor and what acts on its items, both on every device: two invocations' worth of messages for each item.

TaskGraph(list=['sense', 'act'])

Data(reading, kind='stream', type='application/json', size='80B', rate='100/s')

Task(sense, None, reading, 'tasks/sense.mjs', parentTask=None, childTask=['act'])

Task(act, reading, None, 'tasks/act.mjs', parentTask=['sense'], childTask=[])
