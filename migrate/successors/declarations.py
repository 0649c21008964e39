"""What C declares in the texts of a program: parameters whose types are others now, and those that are new."""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrate.old_api._tables import CALLBACKS
from migrate.successors.names import MESSAGE, SUCCESSOR, Successor, base
from migrate.text.pieces import Change

# To the end of the line, which may be written as \\n.
_COMMENT = re.compile(r"/\*[\s\S]*?\*/|//(?:(?!\\n).)*")
_ENDED = re.compile(r"\)\s*;")
_WIDE = re.compile(r"(?<!\w)size_t(?!\w)")
_LENGTH = 2  # the place of the length in a callback of messages
_EVENT = re.compile(r"\((?=\s*(?:const\s+)?(?:struct\s+)?doca_cc_event_msg_recv\s*\*)")
_NAME = re.compile(r"\w+")
_SCALAR = re.compile(r"(?<!\w)(?:size_t|uint8_t|uint32_t|int|bool|_Bool)(?!\w)")
_BUFFER = re.compile(r"(?<!\w)struct\s+doca_buf(?!\w)")
_CALLED = re.compile(r"(?:[=({},;!&|?:<>+\"'-]|\breturn)\s*$")
_RESULT = re.compile(r"((?:const\s+)?struct\s+doca_buf\s*\*\s*)$")


class Declarations:
    """The declarations in one text, which begins somewhere in that of a file."""

    def __init__(self, text: str, start: int) -> None:
        self._whole, self._start = text, start
        self._text = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)

    def functions(self) -> Iterator[tuple[Successor, int]]:
        """Yield the functions that are declared, and where."""
        for name, successor in SUCCESSOR.items():
            for match in re.finditer(rf"(?<!\w){name}\s*\(", self._text):
                yield successor, match.end() - 1

    def calls(self) -> bool:
        """Whether the text calls a function whose arguments have changed, which only C code does."""
        return any(
            successor.is_changed and _CALLED.search(self._text[: _before_name(self._text, opened)])
            for successor, opened in self.functions()
        )

    def is_unlike(self) -> bool:
        """Whether a function whose parameters have changed is declared with others than it had."""
        return any(
            (successor.inserted is not None or successor.retyped or successor.callback(MESSAGE) is not None)
            and (parameters := self._parameters(opened))
            and _ENDED.match(self._text, parameters[-1][1])
            and len(parameters) != len(successor.before)
            for successor, opened in self.functions()
        )

    def is_wide(self, successor: Successor, opened: int) -> bool:
        """Whether a number that a function fills in is declared with eight bytes."""
        parameters = self._parameters(opened)
        return any(at < len(parameters) and _WIDE.search(self._text, *parameters[at]) for at in successor.cells)

    def changes(self) -> Iterator[Change]:
        """Yield the changes of parameters and results."""
        found: dict[tuple[int, int], Change] = {}
        for change in self._all():
            found.setdefault((change.start, change.end), change)
        for change in found.values():
            yield Change(change.start + self._start, change.end + self._start, change.text)

    def _all(self) -> Iterator[Change]:
        for successor, opened in self.functions():
            yield from self._of_function(successor, opened)
        for match in _EVENT.finditer(self._text):
            yield from self._of_message(match.start())

    def _of_function(self, successor: Successor, opened: int) -> Iterator[Change]:
        parameters = self._parameters(opened)
        if len(parameters) != len(successor.before):
            return
        for at, ctype in successor.retyped.items():
            yield from self._scalar(parameters[at], base(ctype))
        if successor.inserted is not None:
            at, types = successor.inserted
            start = parameters[at][0]
            blank = self._whole[start : start + len(self._whole[start:]) - len(self._whole[start:].lstrip())]
            yield Change(start, start, "".join(f"{blank}{ctype}," for ctype in types))
        if (place := successor.callback(MESSAGE)) is not None:
            yield from self._callback(parameters[place])
        for at, (_, _, ctype) in enumerate(successor.after):
            if ctype == "const struct doca_buf *" and at < len(parameters):
                yield from self._constant(parameters[at])
        if successor.new_result == "const struct doca_buf *":
            yield from self._result(opened)

    def _scalar(self, place: tuple[int, int], new: str) -> Iterator[Change]:
        match = _SCALAR.search(self._text, *place)
        if match and match.group() != new:
            yield Change(*match.span(), new)

    def _constant(self, place: tuple[int, int]) -> Iterator[Change]:
        match = _BUFFER.search(self._text, *place)
        if match and "const" not in self._text[place[0] : match.start()].split():
            yield Change(match.start(), match.start(), "const ")

    def _result(self, opened: int) -> Iterator[Change]:
        before = self._text[: _before_name(self._text, opened)]
        match = _RESULT.search(before)
        if match and not match.group().startswith("const"):
            yield Change(match.start(), match.start(), "const ")

    def _callback(self, place: tuple[int, int]) -> Iterator[Change]:
        """Change the type of a callback: written here, or by the name of its typedef."""
        piece = self._text[slice(*place)]
        if "(" in piece:
            yield from self._of_message(place[0] + piece.rindex("("))
            return
        for name in _NAME.findall(piece)[:1]:
            for match in re.finditer(rf"(?<!\w)typedef\s[^;]*?(?<!\w){name}(?!\w)\s*\)?\s*\(", self._text):
                yield from self._of_message(match.end() - 1)

    def _of_message(self, opened: int) -> Iterator[Change]:
        parameters = self._parameters(opened)
        if len(parameters) == len(CALLBACKS[MESSAGE]) and (match := _WIDE.search(self._text, *parameters[_LENGTH])):
            yield Change(*match.span(), "uint32_t")

    def _parameters(self, opened: int) -> list[tuple[int, int]]:
        """Return where each parameter stands in a pair of brackets; nothing where these are not closed."""
        places, depth, start = [], 0, opened + 1
        for at in range(opened, len(self._text)):
            character = self._text[at]
            depth += (character == "(") - (character == ")")
            if depth == 0 or (character == "," and depth == 1):
                places.append((start, at))
                start = at + 1
            if depth == 0:
                return places
        return []


def _before_name(text: str, opened: int) -> int:
    """Return where the name begins in front of a bracket."""
    match = re.search(r"\w+\s*$", text[:opened])
    return match.start() if match else opened
