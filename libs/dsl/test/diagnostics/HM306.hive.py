TaskGraph(list=['a', 'detec'])

Task(a, None, x, 'a.py', parentTask=None, childTask=['detect'])
Task(detect, x, y, 'b.py', parentTask=['a'], childTask=[])
