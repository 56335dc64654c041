TaskGraph(list=['a', 'b'])

Task(a, None, x, 'a.py', parentTask=None, childTask=['b'])
Task(b, x, y, 'nfu:average', parentTask=['a'], childTask=[])
Place(b, 'Fabric')
