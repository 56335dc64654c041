TaskGraph(list=['a', 'b'])

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])
Task(b, x, None, 'b.py', parentTask=['a'], childTask=[])
Persist(b)
