TaskGraph(list=['a', 'b'], constraint=dict(execTime='1s'))

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])
Task(b, x, y, 'b.py', parentTask=['a'], childTask=[])
Schedule(b, deadline='2s')
