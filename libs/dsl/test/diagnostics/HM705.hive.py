TaskGraph(list=['a', 'b'], constraint=dict(energy='120%'))

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])
Task(b, x, y, 'b.py', parentTask=['a'], childTask=[])
