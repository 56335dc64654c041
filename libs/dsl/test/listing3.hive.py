TaskGraph(list=['createRoute', 'collectImage',
'obstacleAvoid','faceRecognition',
'deduplication'],constraint=[execTime='10s'])

Task(createRoute,inputMap,outputRoute,
'filepath/to/task/code',
load_balancer='round robin',
parentTask=None,childTask=['collectImage'])

Task(collectImage,None,sensorData,
'filepath/to/task/code',
speed='4',resolution='1024p',
colorFormat='color',
parentTask=['createRoute'],childTask=
['obstacleAvoidance','faceRecognition'])

Task(obstacleAvoidance,sensorData,adjustRoute,
'filepath/to/task/code',
algorithm='slam',
parentTask=['collectImage']),childTask=[])

Task(faceRecognition,sensorData,recognitionStats,
'filepath/to/task/code',
trainingData='zoo',
algorithm='tensorflow_zoo',
parentTask=['collectImage'],),
childTask=['deduplication'])

Task(deduplication,recognitionStats,dedupList,
'filepath/to/task/code',
sync='all',
parentTask=['faceRecognition']),
childTask=[])

Parallel(obstacleAvoidance,faceRecognition)
Serial(faceRecognition,deduplication)
Learn(faceRecognition,'Global')
Place(obstacleAvoidance,'Edge:all')
Persist(faceRecognition)
Persist(deduplication)
