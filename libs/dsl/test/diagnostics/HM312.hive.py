TaskGraph(list=[])
