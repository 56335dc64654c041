TaskGraph(list=['a', 'b', 'c'])

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])
Task(b, x, y, 'b.py', parentTask=['a'], childTask=[])
Task(c, None, None, 'c.py', parentTask=None, childTask=[])
