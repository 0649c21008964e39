"""What the C headers declare, a module of plain data per generation, for whoever starts without reading the tables.

Each has FUNCTIONS, ALIASES, CALLBACKS and CONSTANTS, generated from comch_next.api, which knows more and loads longer.
"""
