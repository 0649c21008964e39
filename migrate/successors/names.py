"""The names of doca_cc, what doca_comch has in their place, and what became of the parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from migrate.old_api._tables import FUNCTIONS, OLDER, RENAMES, SUCCESSORS

_GENERATION = "cc"
_NAMED = frozenset({"function", "struct", "callback", "enum", "constant"})
MESSAGE = "doca_cc_event_msg_recv_cb_t"
_LOG = "log_num_tasks"

Parameters = tuple[tuple[str, str, str], ...]

NEW: Mapping[str, str] = {
    old: rename.new
    for (generation, old), rename in RENAMES.items()
    if generation == _GENERATION and rename.what in _NAMED
}


@dataclass(frozen=True)
class Successor:
    """A function of doca_cc, and the one of doca_comch that has taken its place."""

    old: str
    before: Parameters
    after: Parameters
    new_result: str
    types: tuple[str, ...]  # the C types in DOCA 2.5, where these were others, else those of `before`

    @cached_property
    def log(self) -> int | None:
        """The place of the argument that is no longer a log2."""
        return self._places.get(_LOG)

    @cached_property
    def shows_log(self) -> bool:
        """Whether the function filled in a log2, which is a plain number now."""
        return f"max_{_LOG}" in self._places

    @cached_property
    def inserted(self) -> tuple[int, tuple[str, ...]] | None:
        """The place and the C types of new parameters, in front of the old one at that place."""
        known = {name for name, *_ in self.before}
        new = [at for at, (name, *_) in enumerate(self.after) if name not in known]
        if len(self.before) == len(self.after):
            return None
        return new[0], tuple(self.after[at][2] for at in new)

    @property
    def is_changed(self) -> bool:
        """Whether a call of the function has to change, or what it fills in means something else."""
        return self.log is not None or self.inserted is not None or self.shows_log

    @cached_property
    def retyped(self) -> Mapping[int, str]:
        """Return the C type of each parameter whose number has another one now, by its place."""
        after = [parameter for at, parameter in enumerate(self.after) if not self._is_new(at)]
        pairs = enumerate(zip(self.types, after, strict=True))
        return {at: new for at, (old, (_, _, new)) in pairs if base(old) in SCALARS and base(old) != base(new)}

    @cached_property
    def cells(self) -> Mapping[int, str]:
        """Of these, the ones that the function fills in."""
        return {at: new for at, new in self.retyped.items() if new.endswith("*")}

    def callback(self, type_: str) -> int | None:
        """Return the place of the first parameter with a type."""
        return next((at for at, parameter in enumerate(self.before) if parameter[2] == type_), None)

    def _is_new(self, at: int) -> bool:
        return self.inserted is not None and 0 <= at - self.inserted[0] < len(self.inserted[1])

    @property
    def _places(self) -> Mapping[str, int]:
        return {name: at for at, (name, *_) in enumerate(self.before)}


SCALARS = frozenset({"size_t", "uint8_t", "uint32_t", "int", "bool"})


def base(ctype: str) -> str:
    """Return the type of a number without `const` and stars."""
    return ctype.replace("*", "").removeprefix("const ").strip()


SUCCESSOR: Mapping[str, Successor] = {
    name: Successor(
        name,
        parameters,
        SUCCESSORS[NEW[name]][1],
        SUCCESSORS[NEW[name]][0],
        OLDER.get(name, tuple(kind for *_, kind in parameters)),
    )
    for (generation, name), (_, parameters) in FUNCTIONS.items()
    if generation == _GENERATION
}

# Functions that only DOCA 2.5 has, in its words.
OF_2_5 = frozenset(name for name in SUCCESSOR if NEW[name].replace("comch", "cc", 1) in SUCCESSOR.keys() - {name})
