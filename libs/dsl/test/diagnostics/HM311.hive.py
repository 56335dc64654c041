TaskGraph(list=['a', 'b', 'c'])

Task(a, None, x, 'a.py', parentTask=['b'], childTask=['b'])
Task(b, x, y, 'b.py', parentTask=['a'], childTask=['a', 'c'])
Task(c, y, z, 'c.py', parentTask=['b'], childTask=[])
