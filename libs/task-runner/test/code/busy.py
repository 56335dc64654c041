"""Computes until it has had so many ms of a core, in two halves with an item in between."""
import time


def run(inputs, args, context):
    compute(args['ms'] / 2)
    yield 1
    compute(args['ms'] / 2)


def compute(ms):
    began = time.thread_time()
    while time.thread_time() - began < ms / 1000:
        pass
