TaskGraph(list=['a', 'b', 'c'])

Task(a, None, x, 'a.py', parentTask=['c'], childTask=['b'])
Task(b, x, y, 'b.py', parentTask=['a'], childTask=['c'])
Task(c, y, z, 'c.py', parentTask=['b'], childTask=['a'])
