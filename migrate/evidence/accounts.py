"""The accounts of runs, as `comm_channel_compat run --report FILE.json` writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

VERSION = 2


class AccountError(Exception):
    """A file that is not an account, or an account of another version."""


class Site(NamedTuple):
    """A place of a run: the file by its digest, the line, and what was called there."""

    digest: str
    line: int
    symbol: str


class Given(NamedTuple):
    """A handle that a call got: as which argument (place or keyword), of which class, made where."""

    argument: int | str
    kind: str
    made: Site


@dataclass(frozen=True)
class Call:
    """All calls of one function from one line. nested: how many of them came from a callback."""

    site: Site
    count: int
    results: Mapping[str, int]
    nested: int
    given: tuple[Given, ...]


class Lookup(NamedTuple):
    """A name that was read from an old module, which may not have it."""

    digest: str
    line: int
    name: str
    exists: bool
    times: int


@dataclass(frozen=True)
class Account:
    """One run. name: of its file. paths: where the files stood that ran, by their digests."""

    name: str
    paths: Mapping[str, str]
    calls: tuple[Call, ...]
    lookups: tuple[Lookup, ...]


def read(path: Path) -> Account:
    """Read an account. Raises AccountError if the file is not one."""
    try:
        facts = json.loads(path.read_bytes())
        if facts["version"] != VERSION:
            raise AccountError(f"{path} is an account of version {facts['version']}, not {VERSION}: run it again")
        return _account(path.name, facts)
    except OSError as error:
        raise AccountError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AccountError(f"{path} is not an account of `comm_channel_compat run --report FILE.json`") from error


def _account(name: str, facts: Mapping[str, Any]) -> Account:
    digests = {source["file"]: source["sha256"] for source in facts["sources"]}

    def site(place: Mapping[str, Any]) -> Site:
        return Site(digests.get(place["file"], ""), place["line"], place["symbol"])

    calls = (
        Call(
            site(call),
            call["count"],
            call["results"],
            call["nested"],
            tuple(Given(given["argument"], given["kind"], site(given["made"])) for given in call["handles"]),
        )
        for call in facts["calls"]
    )
    lookups = (
        Lookup(digests.get(found["file"], ""), found["line"], found["name"], found["exists"], found["count"])
        for found in facts["lookups"]
    )
    paths = {source["sha256"]: source["path"] for source in facts["sources"]}
    return Account(name, paths, tuple(calls), tuple(lookups))
