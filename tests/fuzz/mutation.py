"""Makes new cases from known ones, the same ones again for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.fuzz.grammar import BYTES, NUMBER, Case, Grammar, Kind, Step

# Limits, what lies just beside them, and where the words of shared memory lie.
NUMBERS = (
    *(0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 72, 80, 128, 192, 255, 256),
    *(1023, 1024, 1025, 4079, 4080, 4081, 4095, 4096, 4097, 4100, 4104, 4112, 4128, 4144, 4160, 8192),
    *(65535, 65536, 65537, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 16, (1 << 32) - 1, 1 << 32, 1 << 40),
    *((1 << 40) + 1, 1 << 63, (1 << 64) - 16, (1 << 64) - 2, (1 << 64) - 1),
)
_MOST_STEPS = 40


class Mutator:
    """Cases of one grammar, from its seeds."""

    def __init__(self, grammar: Grammar, seed: int) -> None:
        self._grammar = grammar
        self._rng = random.Random(seed)
        self._seeds = list(grammar.seeds().values())

    def case(self) -> Case:
        """The next one: a seed with one change or a few."""
        steps = list(self._rng.choice(self._seeds))
        for _ in range(self._rng.choice((1, 1, 2, 3, 6))):
            change = self._rng.choice((self._alter, self._alter, self._alter, self._insert, self._remove, self._graft))
            change(steps)
        return tuple(steps[:_MOST_STEPS])

    # Changes of the whole

    def _alter(self, steps: list[Step]) -> None:
        if steps:
            at = self._rng.randrange(len(steps))
            steps[at] = self._altered(steps[at])

    def _insert(self, steps: list[Step]) -> None:
        verb = self._rng.choice(list(self._grammar.verbs))
        step = (verb, *(self._made(kind) for kind in self._grammar.verbs[verb]))
        steps.insert(self._rng.randint(0, len(steps)), step)

    def _remove(self, steps: list[Step]) -> None:
        if len(steps) > 1:
            del steps[self._rng.randrange(len(steps))]

    def _graft(self, steps: list[Step]) -> None:
        """A stretch of another seed, or of the same once more."""
        donor = self._rng.choice((tuple(steps), self._rng.choice(self._seeds)))
        at = self._rng.randint(0, len(donor))
        where = self._rng.randint(0, len(steps))
        steps[where:where] = donor[at : at + self._rng.randint(1, 4)]

    # Changes of a step

    def _altered(self, step: Step) -> Step:
        verb, kinds = step[0], self._grammar.verbs[step[0]]
        words = list(step[1:])
        if verb in self._grammar.carriers and (not kinds or self._rng.random() < 0.4):
            return (verb, *words[: len(kinds)], *self._carried(words[len(kinds) :]))
        if kinds:
            at = self._rng.randrange(len(kinds))
            words[at] = self._changed(kinds[at], words[at])
        return (verb, *words)

    def _carried(self, names: Sequence[str]) -> list[str]:
        """The descriptors that go with it: another one, one more, one less, or in another order."""
        found = list(names)
        name = self._rng.choice(self._grammar.descriptors)
        how = self._rng.randrange(4)
        if how == 0 or not found:
            found.insert(self._rng.randint(0, len(found)), name)
        elif how == 1:
            found[self._rng.randrange(len(found))] = name
        elif how == 2:
            del found[self._rng.randrange(len(found))]
        else:
            self._rng.shuffle(found)
        return found

    def _made(self, kind: Kind) -> str:
        if isinstance(kind, tuple):
            return self._rng.choice(kind)
        if kind == BYTES:
            return ":" + self._rng.randbytes(self._rng.randrange(80)).hex()
        return str(self._rng.choice(NUMBERS))

    def _changed(self, kind: Kind, word: str) -> str:
        if kind == BYTES:
            return ":" + self._bytes(bytearray.fromhex(word[1:])).hex()
        if kind != NUMBER or self._rng.random() < 0.5:
            return self._made(kind)
        number, bit = int(word, 0), 1 << self._rng.randrange(64)
        return str(self._rng.choice((number + 1, number - 1, number ^ bit, number * 2)) % (1 << 64))

    def _bytes(self, data: bytearray) -> bytearray:
        """One change: a bit, a number at some place, a byte more or less, a cut, a repetition."""
        at = self._rng.randint(0, len(data))
        how = self._rng.randrange(5)
        if how == 0 and at < len(data):
            data[at] ^= 1 << self._rng.randrange(8)
        elif how == 1:
            width = self._rng.choice((1, 2, 4, 8))
            data[at : at + width] = (self._rng.choice(NUMBERS) % (1 << 8 * width)).to_bytes(width, "little")
        elif how == 2:
            data.insert(at, self._rng.randrange(256))
        elif how == 3:
            del data[at:]
        else:
            data += data[at:]
        return data
