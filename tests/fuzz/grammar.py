"""What a case is made of: steps, one to a line, each a verb and its arguments.

Kinds of arguments: a number; bytes, written as a colon and hexadecimal digits; one name out of a few; and, last, any
number of names of descriptors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

NUMBER, BYTES = "number", "bytes"
Kind = str | tuple[str, ...]
Step = tuple[str, ...]
Case = tuple[Step, ...]

CORPUS = Path(__file__).resolve().parent / "corpus"


@dataclass(frozen=True)
class Grammar:
    """The verbs of a target with the kinds of their arguments, and the descriptors that may follow, if any."""

    name: str
    verbs: dict[str, tuple[Kind, ...]]
    carriers: frozenset[str] = frozenset()  # verbs that descriptors may follow
    descriptors: tuple[str, ...] = ()

    def seeds(self) -> dict[str, Case]:
        """The committed cases by name."""
        return {path.stem: parse(path.read_text(encoding="ascii")) for path in sorted((CORPUS / self.name).glob("*"))}


def parse(text: str) -> Case:
    """A case from its text; lines that begin with # are comments."""
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return tuple(tuple(words) for words in lines if words)


def render(case: Sequence[Step]) -> str:
    """The text of a case."""
    return "".join(" ".join(step) + "\n" for step in case)


N3 = (NUMBER,) * 3

KERNEL = Grammar(
    "kernel",
    {
        "open": (NUMBER,) * 7,
        "send": (NUMBER,),
        "receive": (NUMBER,),
        "look": (),
        "cut": (),
        "leave": (),
        "post": N3,
        "fill": N3,
        "take": (),
        "close": (),
        "ring": N3,
        "posts": N3,
    },
)

FIELDS = ("magic", "version", "permissions", "pid", "fd", "birth", "inode", "size", "sum")

EXPORT = Grammar(
    "export",
    {
        "field": (FIELDS, NUMBER),
        "other": (("ring", "pipe", "socket", "file", "null"),),  # its descriptor, inode and size in place of the map's
        "cut": (NUMBER,),
        "append": (BYTES,),
        "import": (),
    },
)

# Of what both sides share: the ring to the library's side and from it, the posts of its consumer and of ours.
REGIONS = ("to", "from", "posts", "memory", "own_posts", "own_memory")

HANDSHAKE = Grammar(
    "handshake",
    {
        "hello": (NUMBER,) * 5,  # version (0 is the one in force), strict, message size, send and receive queue
        "welcome": (NUMBER,) * 6,  # code, version, and the same
        "say": (BYTES,),
        "announce": (NUMBER,) * 4,  # id, depth, immediate data, size of the memory
        "expire": (NUMBER,),
        "flood": (NUMBER, NUMBER),  # announce and expire this id so many times
        "bye": (),
        "turn": (),  # the library's side looks, and the good pair exchanges messages
        "stop": (),  # it stops or starts its consumer
        "drop": (),  # it ends the connection, as far as it may
        "shut": (NUMBER,),  # as socket.shutdown
        "send": (NUMBER,),
        "receive": (),
        "fill": (NUMBER, NUMBER),
        "post": N3,
        "take": (),
        "poke": (REGIONS, NUMBER, NUMBER, NUMBER),  # where, offset, value, width
        "scribble": (REGIONS, NUMBER, NUMBER),  # where, seed, how often
        "bell": (("ring", "drain", "fill", "block", "shut"),),
    },
    frozenset({"hello", "welcome", "say", "announce", "expire", "bye"}),
    (
        *("bell", "to", "from", "posts", "memory", "unsealed", "sparse", "readonly"),
        *("eventfd", "null", "pipe", "socket", "self"),
    ),
)
