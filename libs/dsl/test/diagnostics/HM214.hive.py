TaskGraph(list=['a', 'b'])

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])
Task(b, x, y, 'b.py', table={1: 2}, parentTask=['a'], childTask=[])
