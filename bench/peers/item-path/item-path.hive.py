# Bytes from a task on a device, as fast as they go, to a function, whose small answer is the result of the run.

TaskGraph(list=['sense', 'look'])
Data(frame, kind='stream', type='application/octet-stream', size='100kB')
Data(seen, kind='stream', type='application/json', size='20B')
Task(sense, None, frame, 'tasks/sense.mjs', parentTask=None, childTask=['look'])
Task(look, frame, seen, 'tasks/look.mjs', parentTask=['sense'], childTask=[])
