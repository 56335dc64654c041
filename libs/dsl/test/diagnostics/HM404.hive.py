TaskGraph(list=['a', 'b', 'c'])

Task(a, None, x, 'a.py', parentTask=None, childTask=['b', 'c'])
Task(b, x, y, 'b.py', parentTask=['a'], childTask=[])
Task(c, y, z, 'c.py', parentTask=['a'], childTask=[])
