"""Plays cases of exports: `importer EXPORT OTHERS`, an export in hexadecimal and other descriptors of its process.

A case comes on one line of the input, its steps parted by semicolons; the answer is a word for each import: the
name of the result, and for a map that came of it `-readable` or `-writable`, and its length. Then `holds` and how many
descriptors.
"""

from __future__ import annotations

import json
import sys
import zlib

import comch_next as comch
from comch_next import ErrorCode
from comch_next.driver.emulated._export import _FACTS, _SUM
from tests.descriptors import open_fds
from tests.fuzz.grammar import FIELDS, Step

_WIDTHS = (32, 16, 16, 32, 32, 64, 64, 64)


class Forger:
    """A descriptor of an export that is changed step by step; its sum is right, unless that is a change."""

    def __init__(self, export: bytes, others: dict[str, list[int]]) -> None:
        self._others = others
        magic, *numbers = _FACTS.unpack(export[: _FACTS.size])
        self._values = dict(zip(FIELDS, (int.from_bytes(magic, "little"), *numbers), strict=False))
        self._cut: int | None = None
        self._more = b""

    def step(self, step: Step) -> None:
        verb, *words = step
        if verb == "field":
            self._values[words[0]] = int(words[1])
        elif verb == "other":
            self._values["fd"], self._values["inode"], self._values["size"] = self._others[words[0]]
        elif verb == "cut":
            self._cut = int(words[0]) % (_FACTS.size + _SUM.size + 1)
        else:
            self._more += bytes.fromhex(words[0][1:])

    def export(self) -> bytes:
        """As it is now."""
        pairs = zip(self._values.values(), _WIDTHS, strict=False)
        facts = b"".join((value % (1 << width)).to_bytes(width // 8, "little") for value, width in pairs)
        total = self._values.get("sum", zlib.crc32(facts)) % (1 << 32)
        return (facts + _SUM.pack(total))[: self._cut] + self._more


def imported(export: bytes, device: comch.Device) -> str:
    """What comes of it, in a word."""
    code, made = comch.outcome(comch.Mmap.create_from_export, export, device)
    if made is None:
        return code.name
    with made, made.view as view:
        found = "readable" if view.readonly else "writable"
        known = bytes(view[:8]) == b"exported"  # touches the first page, and the last
        return f"{ErrorCode.SUCCESS.name}-{found}-{len(view)}-{known}-{view[-1]}"


def main(export: str, others: str) -> None:
    device = comch.open_device("03:00.0")
    for line in sys.stdin:
        forger = Forger(bytes.fromhex(export), json.loads(others))
        words = []
        for text in line.split(";"):
            step = tuple(text.split())
            if step == ("import",):
                words.append(imported(forger.export(), device))
            elif step:
                forger.step(step)
        print(*words, "holds", open_fds(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
