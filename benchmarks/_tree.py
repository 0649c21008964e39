"""Source trees that migrate is measured with, made the same every time."""

from __future__ import annotations

import random
from pathlib import Path

__all__ = ["AFFECTED", "large_file", "write_program", "write_tree"]

AFFECTED = 12  # files of a tree that use the old API
_MODULES = 24  # of a package
_FILLER = '''
class Part{number}:
    """Holds what a part of the program has."""

    def __init__(self, name: str, sizes: dict[str, int]) -> None:
        self.name = name
        self.sizes = dict(sizes)

    def largest(self, limit: int = {number}) -> list[tuple[str, int]]:
        found = [(key, size) for key, size in self.sizes.items() if size > limit]
        if not found:
            raise ValueError(f"{{self.name}} has nothing above {{limit}}")
        return sorted(found, key=lambda item: (-item[1], item[0]))  # the largest first


def total{number}(parts: list[Part{number}]) -> int:
    """Add up the sizes of parts."""
    return sum(size for part in parts for size in part.sizes.values())

'''
_OLD_HEAD = "import doca_comm_channel as cc\n\nSERVICE = 'bench'\n"
_OLD = '''

def exchange{number}(ep, peer, messages):
    """Send messages and collect the answers."""
    answers = []
    for message in messages:
        while True:
            try:
                ep.sendto(message, peer)
                break
            except cc.Again:
                continue
        try:
            answer, peer = ep.recvfrom(4080)
            answers.append(answer)
        except cc.Again:
            pass
    return answers


def open{number}(address):
    dev = cc.open_device(address)
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_max_msg_size(4080)
    peer = ep.connect(SERVICE)
    return exchange{number}(ep, peer, [b"one", b"two"])


print(open{number}("b1:00.0"))
'''


def _filler(lines: int, number: int) -> str:
    part = _FILLER.count("\n")
    return "".join(_FILLER.format(number=number + index) for index in range(lines // part))


def _program(lines: int) -> str:
    part = _OLD.count("\n")
    return _OLD_HEAD + "".join(_OLD.format(number=number) for number in range(lines // part))


def large_file(lines: int) -> bytes:
    """Return one program that uses the old API from its first line to its last."""
    return _program(lines).encode()


def write_program(folder: Path, files: int, lines: int) -> None:
    """Write files that use the old API, with so many lines in all."""
    for number in range(files):
        (folder / f"old{number}.py").write_text(_program(lines // files))


def write_tree(folder: Path, lines: int, each: int = 500) -> None:
    """Write a tree of packages, whose modules import some of the modules before them; AFFECTED use the old API."""
    rng = random.Random(lines)
    count = lines // each
    affected = set(rng.sample(range(count), min(AFFECTED, count)))
    for number in range(count):
        package = folder / f"package{number // _MODULES}"
        package.mkdir(exist_ok=True)
        first = number - number % _MODULES
        near = sorted({rng.randrange(first, number) for _ in range(3)}) if number > first else []
        text = "import os\nimport sys\n" + "".join(
            f"from package{other // _MODULES} import module{other}\n" for other in near
        )
        text += _program(200) if number in affected else ""
        (package / f"module{number}.py").write_text(text + _filler(each, number))
