TaskGraph(list=['a', 'b'], constraint=dict(execTime='10s', execTime='20s'))

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])
Task(b, x, y, 'b.py', parentTask=['a'], childTask=[])
