"""What the C headers declare, as one module of plain data per generation, which loads faster than the fact tables.

Each has FUNCTIONS, ALIASES, CALLBACKS and CONSTANTS, generated from comch_next.api, which has all facts.
"""
