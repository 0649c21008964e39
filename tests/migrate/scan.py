"""An independent account of old references: tokens and the fact tables only, no code shared with migrate."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

import comch_next.api as api

MODULES = {"doca_comm_channel", "comm_channel_compat", "doca_cc"}
OBJECTS = {
    "Endpoint",
    "PeerAddr",
    "Device",
    "Representor",
    "DevInfo",
    "RepInfo",
    "devices",
    "open_device",
    "DocaError",
}
COMMENT = re.compile(r"\s*# (CCM\d{3}): .+ \(python -m migrate explain \1\)\s*")
_SKIPPED = {tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


def _camel(code: str) -> str:
    return "".join(word.capitalize() for word in code.removeprefix("DOCA_ERROR_").split("_"))


ERRORS = {_camel(code) for code in api.enum("doca_error").values if code != "DOCA_SUCCESS"}
C_NAMES = {row.old for row in api.renames() if row.old_generation != "comch" and row.old.lower().startswith("doca_")}
C_NAMES |= {row.name for generation in ("comm_channel", "comm_channel_1x", "cc") for row in api.functions(generation)}
C_NAMES |= set(api.aliases()) | set(api.enum("doca_error").values)
_CORE = ("doca_dev", "doca_error", "doca_get_error")
C_NAMES |= {row.name for row in api.functions("core") if row.name.startswith(_CORE)}
# Methods that only an old endpoint or peer has; comch_next has no method of these names.
METHODS = {
    row.name.removeprefix(prefix)
    for row in api.functions("comm_channel")
    for prefix in ("doca_comm_channel_ep_", "doca_comm_channel_peer_addr_")
    if row.name.startswith(prefix)
} - {"create", "listen", "connect", "disconnect", "destroy", "sendto", "recvfrom", "update_info"}


class Found(NamedTuple):
    """One old reference: where its name stands, and the line where its logical line begins."""

    line: int
    column: int
    name: str
    logical_line: int


def logical_lines(text: str) -> Iterator[list[tokenize.TokenInfo]]:
    """The tokens of each logical line."""
    line: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if token.type == tokenize.NEWLINE or token.string == ";":
            yield line
            line = []
        elif token.type not in _SKIPPED:
            line.append(token)


class _Names:
    """What a file calls the old module and its names."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.names: set[str] = set()
        self.own: set[str] = set()
        self.star = False


def _imported(line: list[tokenize.TokenInfo]) -> tuple[str, list[tuple[tokenize.TokenInfo, str]]] | None:
    """The module of an import, and (name token, name in the file) of what it brings; None for other lines."""
    words = [each.string for each in line]
    if words[:1] == ["from"] and "import" in words:
        at = words.index("import")
        module, rest = "".join(words[1:at]), line[at + 1 :]
    elif words[:1] == ["import"]:
        module, rest = "", line[1:]
    else:
        return None
    found: list[tuple[tokenize.TokenInfo, str]] = []
    item: list[tokenize.TokenInfo] = []
    for token in [*rest, None]:
        if token is None or token.string in (",", ")"):
            if item:
                found.append((item[0], item[-1].string))
            item = []
        elif token.string != "(":
            item.append(token)
    return module, found


def _collect(text: str) -> tuple[_Names, list[Found]]:
    names, found = _Names(), []
    for line in logical_lines(text):
        imported = _imported(line)
        if imported is None:
            if len(line) > 1 and line[0].type == tokenize.NAME and line[1].string == "=":
                names.own.add(line[0].string)
            elif line and line[0].string in ("def", "class"):
                names.own.add(line[1].string)
            continue
        module, items = imported
        for token, name in items:
            home = (module or token.string).split(".")[0]
            if home in MODULES:
                found.append(Found(*token.start, token.string, line[0].start[0]))
                if token.string == "*":
                    names.star = True
                else:
                    (names.names if module else names.modules).add(name)
    return names, found


def scan(text: str) -> list[Found]:
    """Every old reference in code; what stands in strings and comments is not code."""
    names, found = _collect(text)
    old = bool(names.modules or names.names or names.star)
    known = names.names | (OBJECTS | ERRORS if names.star else set())
    for line in logical_lines(text):
        if not line or _imported(line) is not None:
            continue
        begin = line[0].start[0]
        for index, token in enumerate(line):
            if token.type != tokenize.NAME or token.string in names.own:
                continue
            dotted = index > 0 and line[index - 1].string == "."
            follows = [each.string for each in line[index + 1 : index + 3]]
            owner = line[index - 2].string if dotted and index > 1 else ""
            first = dotted and owner in names.modules and not (index > 2 and line[index - 3].string == ".")
            method = dotted and old and token.string in METHODS and follows[:1] == ["("]
            if first or method or token.string in C_NAMES or (not dotted and token.string in known):
                found.append(Found(*token.start, token.string, begin))
    return sorted(set(found))
