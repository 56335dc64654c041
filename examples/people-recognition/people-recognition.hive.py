# Scenario B of the HiveMind paper (section 2.1, Listing 3): drones photograph a field in which people move about;
# how many different people are there?

TaskGraph(
    list=['createRoute', 'collectImage', 'obstacleAvoidance', 'faceRecognition', 'deduplication'],
    constraint=dict(execTime='60s', latency='10s'),
)

Data(inputMap, kind='object', type='application/json')
Data(outputRoute, kind='object', type='application/json', size='2kB')
Data(sensorData, kind='stream', type='image/png', size='50kB', rate='8/s')
Data(adjustRoute, kind='stream', type='application/json', size='200B')
Data(recognitionStats, kind='stream', type='application/json', size='2kB')
Data(dedupList, kind='object', type='application/json')

# Splits the field among the devices and gives each a route over its part.
Task(
    createRoute, inputMap, outputRoute,
    'tasks/create-route.mjs',
    load_balancer='round robin',
    parentTask=None, childTask=['collectImage'],
)

# The camera: plays back the feeds of this device, frame by frame.
Task(
    collectImage, outputRoute, sensorData,
    'tasks/collect-image.mjs',
    role='sensor', files='data/frames',
    speed='4', resolution='320x240', colorFormat='grey',
    parentTask=['createRoute'], childTask=['obstacleAvoidance', 'faceRecognition'],
)

# Always on board: an obstacle cannot wait for the network.
Task(
    obstacleAvoidance, sensorData, adjustRoute,
    'tasks/obstacle-avoidance.mjs',
    algorithm='edge density',
    parentTask=['collectImage'], childTask=[],
)

# Finds faces in a frame and describes each by a point.
Task(
    faceRecognition, sensorData, recognitionStats,
    'tasks/face-recognition.mjs',
    algorithm='gradients and discriminant analysis',
    parentTask=['collectImage'], childTask=['deduplication'],
)

# Once for the swarm: the same person may have been seen by several devices.
Task(
    deduplication, recognitionStats, dedupList,
    'tasks/deduplication.mjs',
    sync='all',
    parentTask=['faceRecognition'], childTask=[],
)

Parallel(obstacleAvoidance, faceRecognition)
Serial(faceRecognition, deduplication)
Learn(faceRecognition, 'Off')
Place(obstacleAvoidance, 'Edge:all')
Persist(faceRecognition)
Persist(deduplication)
