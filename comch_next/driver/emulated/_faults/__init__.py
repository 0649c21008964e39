"""Faults on demand, above the nouns: nothing imports this storey but the driver, and that only if COMCH_FAULTS asks.

faults   the text of COMCH_FAULTS, and when its faults strike
nouns    the nouns that fail
"""
