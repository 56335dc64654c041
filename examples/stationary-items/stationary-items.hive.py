# Scenario A of the HiveMind paper (section 2.1): a swarm looks for 15 tennis balls that lie on a field.
# The field is divided equally among the devices, and each flies a short route over its part.

TaskGraph(
    list=['createRoute', 'collectImage', 'obstacleAvoidance', 'itemDetection', 'itemCount'],
    constraint=dict(execTime='60s'),
)

Data(inputMap, kind='object', type='application/json', size='1kB')
Data(outputRoute, kind='object', type='application/json', size='10kB')
Data(sensorData, kind='stream', type='image/png', size='35kB', rate='8/s')
Data(adjustRoute, kind='stream', type='application/json', size='200B')
Data(detections, kind='stream', type='application/json', size='300B')
Data(itemList, kind='object', type='application/json', size='3kB')

# A* over the obstacle map, from one place to photograph to the next.
Task(
    createRoute, inputMap, outputRoute,
    'tasks/create_route.py',
    load_balancer='contiguous', clearance=0.3,
    parentTask=None, childTask=['collectImage'],
)

# The camera under the drone: one photograph at each stop of the route.
Task(
    collectImage, outputRoute, sensorData,
    'tasks/collect-image.mjs',
    files='data/frames',
    role='sensor', pace='fast', rate='8/s',
    parentTask=['createRoute'], childTask=['obstacleAvoidance', 'itemDetection'],
)

# On board, always: it must not wait for the network.
Task(
    obstacleAvoidance, sensorData, adjustRoute,
    'tasks/obstacle-avoidance.mjs',
    darkness=0.62,
    parentTask=['collectImage'], childTask=[],
)

# Round, yellow, and of the size of a tennis ball.
Task(
    itemDetection, sensorData, detections,
    'tasks/item-detection.mjs',
    diameter=0.067,
    parentTask=['collectImage'], childTask=['itemCount'],
)

# Neighbouring photographs overlap: what lies at one place of the field is one item.
Task(
    itemCount, detections, itemList,
    'tasks/item-count.mjs',
    radius=0.35,
    parentTask=['itemDetection'], childTask=[],
)

Parallel(obstacleAvoidance, itemDetection)
Serial(itemDetection, itemCount)
Synchronize(itemCount, 'all')
Place(obstacleAvoidance, 'Edge:all')
Persist(itemCount)
