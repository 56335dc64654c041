"""Prints vectors.json: what each op answers, computed with exact fractions. Hardware and software answer the same bytes.

Usage: python3 libs/nfu/vectors.py > libs/nfu/vectors.json
"""

import json
import random
import struct
from fractions import Fraction

random.seed(18)

# What a fabric holds exactly when it is built with the default parameters: 32 bits before the binary point, 64 after it.
INTEGER_BITS, FRACTION_BITS = 32, 64


def fits(x):
    scaled = Fraction(x) * 2**FRACTION_BITS
    return scaled.denominator == 1 and abs(Fraction(x)) < 2**INTEGER_BITS


def word(x):
    """A double as 16 hexadecimal digits; a zero is positive."""
    return struct.pack(">d", x + 0.0 if x != 0 else 0.0).hex()


def windows(values, size, answer):
    outputs = []
    for n in range(len(values)):
        full = (n + 1) % size == 0
        outputs.append(word(answer(values[n + 1 - size : n + 1])) if full else None)
    return outputs


def mean(values):
    return float(sum(map(Fraction, values)) / len(values))


def vector(code, values, outputs):
    assert all(map(fits, values)), code
    return {"code": code, "values": [struct.pack(">d", x).hex() for x in values], "outputs": outputs}


def near(mid, spread, count):
    values = (random.gauss(mid, spread) for _ in iter(int, 1))
    return [x for x, _ in zip(filter(fits, values), range(count))]


SERIES = [
    near(50, 10, 40),
    near(0, 0.01, 30),
    [random.randint(-(2**31), 2**31) * 1.0 for _ in range(24)],
    [4294967295.0, -4294967295.0, 2.0**-64, -(2.0**-64), 0.0, -0.0, 0.1, -0.1] * 3,
    [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0] * 2,
    [2.0**31 + 2.0**-20, 2.0**-64, 2.0**-63, -(2.0**-64)] * 6,
]

vectors = []
for series in SERIES:
    for size in (1, 2, 3, 7, 10):
        vectors.append(vector(f"nfu:average?window={size}", series, windows(series, size, mean)))
    for size in (1, 4):
        vectors.append(vector(f"nfu:min?window={size}", series, windows(series, size, min)))
        vectors.append(vector(f"nfu:max?window={size}", series, windows(series, size, max)))
    low, high = -0.5, 45.25
    kept = [struct.pack(">d", x).hex() if low <= x <= high else None for x in series]
    vectors.append(vector(f"nfu:filter?above={low}&below={high}", series, kept))
for size in (1, 5):
    outputs = [word(float(n + 1)) if (n + 1) % size == 0 else None for n in range(len(SERIES[0]))]
    vectors.append(vector(f"nfu:counter?count={size}", SERIES[0], outputs))
vectors.append(vector("nfu:forward", SERIES[3], [struct.pack(">d", x).hex() for x in SERIES[3]]))

lines = ",\n".join("  " + json.dumps(each) for each in vectors)
print("[\n" + lines + "\n]")
