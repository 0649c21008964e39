"""The enums and other constants that a project declares for cffi, and the names of the enums' values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_ENUM = re.compile(r"\benum\s*(\w*)\s*\{([^{}]*)\}\s*(\w*)")
_DEFINED = re.compile(r"^\s*#\s*define\s+(\w+)\s+(\w+)\s*$|\bstatic\s+const\s+[\w ]+?(\w+)\s*=\s*(\w+)\s*;", re.M)


class Enums:
    """Answers for one project. What two texts declare differently is not known."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._types: dict[str, list[Mapping[str, int]]] = {}
        self._constants: dict[str, set[int]] = {}
        for text in texts:
            for tag, body, name in _ENUM.findall(text):
                values = _values(body)
                for kind in (f"enum {tag}", name):
                    self._types.setdefault(kind, []).append(values)
                for constant, value in values.items():
                    self._constants.setdefault(constant, set()).add(value)
            for parts in _DEFINED.findall(text):
                for constant, value in _values(" = ".join(filter(None, parts))).items():
                    self._constants.setdefault(constant, set()).add(value)

    def constant(self, name: str) -> int | None:
        """Return the value of a constant; None where it is not known."""
        found = self._constants.get(name, set())
        return next(iter(found)) if len(found) == 1 else None

    def names(self, kind: str) -> Mapping[int, str]:
        """Return the names of an enum's values, the first for each; nothing if it is not an enum."""
        found = self._types.get(" ".join(kind.split()), [])
        values = found[0] if len(found) == 1 else {}
        names: dict[int, str] = {}
        for name, value in values.items():
            names.setdefault(value, name)
        return dict(sorted(names.items()))


def _values(body: str) -> dict[str, int]:
    """Return the constants of an enum; nothing when the value of one is not a number."""
    values: dict[str, int] = {}
    following = 0
    for part in filter(None, (part.strip() for part in body.split(","))):
        name, _, given = (piece.strip() for piece in part.partition("="))
        if given:
            try:
                following = int(given, 0)
            except ValueError:
                return {}
        values[name] = following
        following += 1
    return values
