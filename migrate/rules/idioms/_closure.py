"""The nodes that each node of a graph leads to, as sets in the bits of a number: shared, where walks would repeat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from migrate.python.control import Graph, last_first


def closure(following: Sequence[Sequence[int]], own: Sequence[int]) -> list[int]:
    """Return, for each node, what it and all that paths lead to from it have of their own."""
    found, order = list(own), list(last_first(range(len(following)), following.__getitem__))
    is_settled = False
    while not is_settled:  # one turn more than loops are nested
        is_settled = True
        for node in order:
            before = found[node]
            for target in following[node]:
                found[node] |= found[target]
            is_settled = is_settled and found[node] == before
    return found


def targets(graph: Graph) -> list[list[int]]:
    """Return the blocks where control goes from each block of a graph."""
    return [
        [*(edge.target for edge in block.edges), *([block.handler] if any(step.raises for step in block.steps) else ())]
        for block in graph.blocks
    ]


def certain(graph: Graph) -> int:
    """Return the blocks of a graph that are run to their end on every path that returns."""
    passed = [(1 << len(graph.blocks)) - 1] * len(graph.blocks)  # on every path to the beginning of each block
    passed[graph.ENTRY[0]] = 0
    onward = targets(graph)
    order = list(last_first(range(len(onward)), onward.__getitem__))[::-1]
    is_settled = False
    while not is_settled:  # one turn more than loops are nested
        before = list(passed)
        for number in order:
            is_done = {edge.target for edge in graph.blocks[number].edges} - {graph.blocks[number].handler}
            for target in onward[number]:
                passed[target] &= passed[number] | (1 << number if target in is_done else 0)
        is_settled = passed == before
    return passed[graph.RETURN[0]]


def members(bits: int) -> Iterator[int]:
    """Yield the numbers whose bits are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
