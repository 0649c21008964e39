"""Pauses between attempts: exponential, capped, with jitter from a generator of one's own."""
import random


def pauses(first=0.002, factor=2.0, cap=0.02, tries=1500, seed=7):
    rng = random.Random(seed)
    pause = first
    for _ in range(tries):
        yield pause * rng.uniform(0.9, 1.1)
        pause = min(cap, pause * factor)
