TaskGraph(list=['a', 'b', 'c', 'd'])

Task(a, None, x, 'a.py', parentTask=None, childTask=['b', 'c', 'd'])
Task(b, x, None, 'b.py', parentTask=['a'], childTask=[])
Task(c, x, None, 'c.py', parentTask=['a'], childTask=[])
Task(d, x, None, 'd.py', parentTask=['a'], childTask=[])
Serial(b, c)
Serial(c, d)
Serial(d, b)
