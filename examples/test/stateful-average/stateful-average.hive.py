# For tests: each device counts from 0 to 7, a network function averages every four values, and one task collects all.

TaskGraph(list=['count', 'average', 'collect'])

Data(number, kind='stream', type='application/json')
Data(mean, kind='stream', type='application/json')
Data(rows, kind='object', type='application/json')

Task(count, None, number, 'tasks/count.mjs', items=8, parentTask=None, childTask=['average'])
Task(average, number, mean, 'nfu:average?window=4', parentTask=['count'], childTask=['collect'])
Task(collect, mean, rows, 'tasks/collect.py', parentTask=['average'], childTask=[])

Synchronize(collect, 'all')
