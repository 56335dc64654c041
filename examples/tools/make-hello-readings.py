"""Writes hello-swarm/data/readings.csv: eight made-up weather stations through one cold night. Standard library only."""

import csv
import math
import pathlib
import random

STATIONS = ['home', 'first', 'second', 'third', 'left', 'centre', 'right', 'mound']
MINUTES = range(0, 600, 60)


def main():
    rng = random.Random(20)
    target = pathlib.Path(__file__).resolve().parents[1] / 'hello-swarm' / 'data' / 'readings.csv'
    with target.open('w', newline='') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(['station', 'minute', 'temperatureC', 'humidity'])
        for index, station in enumerate(STATIONS):
            base = 3.0 + 0.6 * index + rng.uniform(-0.5, 0.5)
            for minute in MINUTES:
                temperature = base - 4.5 * math.sin(math.pi * minute / 700) + rng.uniform(-0.3, 0.3)
                humidity = min(0.99, 0.97 - 0.03 * temperature + rng.uniform(-0.02, 0.02))
                writer.writerow([station, minute, f'{temperature:.1f}', f'{humidity:.2f}'])


if __name__ == '__main__':
    main()
