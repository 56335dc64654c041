# A field of sensors: each sends temperatures, a network function makes one mean of every ten, and one task draws the field.

TaskGraph(
    list=['sense', 'average', 'field'],
    constraint=dict(execTime='10s'),
)

Data(reading, kind='stream', type='application/json', size='9B', rate='20/s')
Data(mean, kind='stream', type='application/json', size='9B')
Data(map, kind='object', type='application/json')

# A task that reads no data is a sensor: it runs on the devices, and each of them emits a stream.
Task(
    sense, None, reading,
    'tasks/sense.mjs',
    readings=40, rate='20/s',
    parentTask=None, childTask=['average'],
)

# A network function: no code of one's own. It runs on the devices, in the cloud or on the fabric, and the same op as a server of CoAP.
Task(
    average, reading, mean,
    'nfu:average?window=10',
    parentTask=['sense'], childTask=['field'],
)

# Behind a barrier: called once, when every device has finished.
Task(
    field, mean, map,
    'tasks/field.mjs',
    parentTask=['average'], childTask=[],
)

Synchronize(field, 'all')
