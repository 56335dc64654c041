TaskGraph(list=['a', 'b'])

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])
Task(b, x, y, 'b.py', id=12345678901234567890, parentTask=['a'], childTask=[])
