"""How fast messages go, beside the other ways to carry them between two Python processes.

`python -m benchmarks` runs every rival of `rivals/` in turn, several rounds of all, so that a machine that grows
slower during the run is slower for everyone; ratios are taken within a round.
"""
