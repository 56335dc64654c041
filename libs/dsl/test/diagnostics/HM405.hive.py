TaskGraph(list=['a', 'b', 'c'])

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])
Task(b, x, y, 'b.py', parentTask=['a'], childTask=['c'])
Task(c, x, z, 'c.py', parentTask=['b'], childTask=[])
