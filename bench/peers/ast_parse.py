"""Time of one ast.parse of a workflow text, read from the file named: prints it as JSON."""

import ast
import json
import sys
import time

with open(sys.argv[1], encoding='utf8') as file:
    text = file.read()


def once():
    started = time.process_time()
    ast.parse(text)
    return time.process_time() - started


for _ in range(10):
    once()
times = sorted(once() for _ in range(30))
print(
    json.dumps({'cpuS': times[15], 'version': 'Python ' + sys.version.split()[0], 'kB': len(text) / 1000})
)
