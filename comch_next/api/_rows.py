"""The shapes of the table rows: one frozen dataclass per kind of row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from packaging.version import InvalidVersion, Version

Generation = Literal["comm_channel", "comm_channel_1x", "cc", "comch", "core", "dpa"]

_RELEASE = re.compile(r"\d+(?:\.\d+)+")
_WORD = re.compile(r"[A-Za-z_][\w-]*(?:\.\w+)?")


def first_release(text: str | None) -> Version | None:
    """The release by which a thing surely existed: "after 2.5, by 3.0" is 3.0, "after 3.0" is unknown."""
    stated = (text or "").split("(")[0]
    if stated.startswith("after") and "by" not in stated:
        return None
    return max(map(Version, _RELEASE.findall(stated)), default=None)


def last_release(text: str | None) -> Version | None:
    """The last release that surely had a thing: "2.8 documented, 2.9 unconfirmed" is 2.8."""
    return min(map(Version, _RELEASE.findall((text or "").split("(")[0])), default=None)


@dataclass(frozen=True, slots=True)
class Param:
    """One C parameter; direction is "in", "out" or "in,out"."""

    name: str
    ctype: str
    direction: str

    @property
    def is_input(self) -> bool:
        """Whether the caller passes a value in it."""
        return self.direction.startswith("in")

    @property
    def is_output(self) -> bool:
        """Whether the function returns a value through it."""
        return self.direction.endswith("out")


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """A documented failure: the C name of the code, and when it is returned."""

    code: str
    when: str


@dataclass(frozen=True, slots=True)
class Variant:
    """The shape that a function or callback had in another release."""

    doca: str
    returns: str
    params: tuple[Param, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Function:
    """A C function of one generation, with the facts of its header."""

    name: str
    generation: Generation
    returns: str
    params: tuple[Param, ...]
    errors: tuple[ErrorRow, ...]
    notes: str
    header: str
    stability: str
    since: str | None
    until: str | None
    replaced_by: str | None  # the spelling of a later release of the same generation
    older_spelling: str | None
    modern: str | None  # cc only: the comch name
    aliases: tuple[str, ...]
    variants: tuple[Variant, ...]
    inferred: bool  # seen in samples only: no header at hand has it

    @property
    def since_release(self) -> Version | None:
        """The first release that certainly has it; None if unknown."""
        return first_release(self.since)

    @property
    def until_release(self) -> Version | None:
        """The last release that certainly has it; None if there is none."""
        return last_release(self.until)

    @property
    def inputs(self) -> tuple[Param, ...]:
        """The parameters that the caller passes a value in."""
        return tuple(param for param in self.params if param.is_input)

    @property
    def outputs(self) -> tuple[Param, ...]:
        """The parameters that the function returns values through."""
        return tuple(param for param in self.params if param.is_output)

    def available_in(self, release: str | Version) -> bool:
        """Return whether a DOCA release certainly has the function; ValueError for an invalid `release`."""
        try:
            wanted = release if isinstance(release, Version) else Version(release)
        except InvalidVersion:
            raise ValueError(f"{release!r} is not a DOCA release such as '2.7'") from None
        wanted = Version(".".join(map(str, wanted.release[:2])))  # the tables tell releases, not patches
        if self.since is not None and (self.since_release is None or wanted < self.since_release):
            return False
        return self.until_release is None or wanted <= self.until_release


@dataclass(frozen=True, slots=True)
class Callback:
    """A C callback type."""

    name: str
    generation: Generation
    returns: str
    params: tuple[Param, ...]
    notes: str
    header: str
    since: str | None
    until: str | None
    replaced_by: str | None
    older_spelling: str | None
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class EnumTable:
    """A C enum: values and meanings by C name, in the order of the header."""

    name: str
    generation: Generation
    values: Mapping[str, int]
    meanings: Mapping[str, str]
    header: str
    typedef: str | None
    until: str | None
    doca: str | None  # set where two releases gave one enum different members
    replaced_by: str | None


@dataclass(frozen=True, slots=True)
class Struct:
    """A C struct or union; without fields it is opaque."""

    name: str
    generation: Generation
    kind: Literal["struct", "union"]
    fields: tuple[tuple[str, str], ...]
    until: str | None
    notes: str


@dataclass(frozen=True, slots=True)
class Typedef:
    """A C typedef."""

    name: str
    ctype: str
    notes: str


@dataclass(frozen=True, slots=True)
class Library:
    """The shared library of a generation."""

    soname: str
    file: str
    pkg_config: str


@dataclass(frozen=True, slots=True)
class Rename:
    """The successor of an old name; `new` is ``a | b`` (by role), ``a + b`` (a sequence of calls) or empty."""

    old: str
    new: str
    old_generation: Generation
    kind: str  # rename, rename+semantic-change, restructure, no-equivalent
    what: str  # function, struct, constant, alias, ...
    since_doca: str
    note: str
    via: tuple[str, ...]  # the spellings in between

    @property
    def new_names(self) -> tuple[str, ...]:
        """Every name in `new`, in order, each once."""
        return tuple(dict.fromkeys(_WORD.findall(self.new)))

    @property
    def since_release(self) -> Version | None:
        """The first release that certainly has it; None if unknown."""
        return first_release(self.since_doca)
