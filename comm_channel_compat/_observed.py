"""What else an account holds, for tools that judge a program by a run of it.

The files that old calls stand in, by their bytes; the handles that each place was given, and where these were made; how
often a callback called; the names that were read from the old modules.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from types import FrameType, ModuleType
from typing import Any

from comm_channel_compat._known import kind_of
from comm_channel_compat._old_calls import package_of

__all__ = ["Call", "Observed", "Site", "named", "watch_names"]

Site = tuple[str, str, int]  # C name, file and line

_PACKAGE = __name__.partition(".")[0]
_NO_PROGRAM = (_PACKAGE, "comch_next", "importlib")


class Call:
    """A call that runs. refusal: the code of why it will fail."""

    refusal = 0


class _Calls(threading.local):
    """Those of a thread that run, the innermost last."""

    def __init__(self) -> None:
        self.running: list[Call] = []


class Observed:
    """Of one process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # see Account
        self._calls = _Calls()
        self._files: dict[str, tuple[str, str]] = {}  # path and digest, "" for what is not a file
        self._made: dict[int, tuple[type, Site]] = {}  # identity of a handle -> its class and where it was made
        self._given: defaultdict[Site, dict[tuple[int | str, str, Site], None]] = defaultdict(dict)
        self._nested: Counter[Site] = Counter()
        self._names: Counter[tuple[str, int, str, bool]] = Counter()

    # What happens

    def call(
        self, site: Site, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[Call, Any]:
        """Make and observe a call: what it is given, and whether another old call has called back. Return its value."""
        self._read(site[1])
        running = self._calls.running
        depth, call = len(running), Call()
        arguments: list[tuple[int | str, Any]] = [*enumerate(args), *kwargs.items()]
        handles = [(name, _kind(type(value)), made) for name, value in arguments if (made := self._origin(value))]
        with self._lock:
            self._nested[site] += depth > 0
            for handle in handles:
                self._given[site][handle] = None
        try:
            running.append(call)
            return call, function(*args, **kwargs)
        finally:
            del running[depth:]

    def refused(self, code: int) -> None:
        """Note the code of the refusal by which the innermost call that runs will fail."""
        for call in self._calls.running[-1:]:
            call.refusal = code

    def success(self, site: Site, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        """Note the handles that a call gave; a constructor's is its first argument."""
        # In this order: a getter gives what is the program's own, and may not be compared.
        if site[0].endswith("_create") and outputs == (None,):
            self._make(args[:1], site)
        else:
            self.outputs(site, args, outputs)

    def outputs(self, site: Site, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        """Note handles that a call gave: made where the handle was that they came of, or else by this call."""
        self._make(outputs, next(filter(None, map(self._origin, args)), site))

    def _make(self, values: Iterable[Any], origin: Site) -> None:
        with self._lock:
            for handle in _handles(values):
                self._made[id(handle)] = type(handle), origin

    def name(self, place: tuple[str, int], name: str, exists: bool) -> None:
        """Note a name that was read from an old module."""
        file, line = place
        self._read(file)
        with self._lock:
            self._names[(file, line, name, exists)] += 1

    def _origin(self, value: object) -> Site | None:
        """Return where a handle was made; None for what is not a handle, or comes from elsewhere."""
        kind, site = self._made.get(id(value), (None, None))
        return site if kind is type(value) else None

    def _read(self, file: str) -> None:
        """Note the bytes of a file when it is first met."""
        if file in self._files:
            return
        path, digest = file, ""  # of a compiled program, or a text that was run
        try:
            path = os.path.abspath(file)
            if os.path.isfile(path) and os.access(path, os.R_OK):
                with open(path, "rb") as source:
                    digest = hashlib.sha256(source.read()).hexdigest()
        except OSError as error:  # the working directory has been removed, or descriptors have run out
            if error.errno is None:  # a handler of the program's has raised it
                raise
        self._files[file] = path, digest

    # The report

    def of_call(self, site: Site) -> dict[str, Any]:
        """Return what there is beside the results of a call."""
        given = sorted(self._given[site], key=str)
        handles = [{"argument": argument, "kind": kind, "made": named(made)} for argument, kind, made in given]
        return {"nested": self._nested[site], "handles": handles}

    def lookups(self) -> list[dict[str, Any]]:
        """Return the names that were read from the old modules, by their places."""
        return [
            {"file": file, "line": line, "name": name, "exists": exists, "count": count}
            for (file, line, name, exists), count in sorted(self._names.items())
        ]

    def sources(self) -> list[dict[str, str]]:
        """Return the files that calls and names stand in."""
        files = list(self._files.items())  # at once: a thread may still be making calls
        found = sorted((file, *known) for file, known in files if known[1])
        return [{"file": file, "path": path, "sha256": digest} for file, path, digest in found]


def named(site: Site) -> dict[str, Any]:
    """Return a site as the JSON form has it."""
    return dict(zip(("symbol", "file", "line"), site, strict=True))


def _handles(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _handles(value)
        elif _kind(type(value)):
            yield value


def _kind(cls: type) -> str:
    """Return the name of the old class that a handle is of, "" for what is none."""
    if issubclass(cls, (Enum, Exception, tuple)):
        return ""
    kind = kind_of(cls)
    return "" if kind is None else kind.__name__


# Names


def _reader(frame: FrameType) -> FrameType:
    """Return the frame that reads a name: a lazy module loads itself, and then reads what it was asked for."""
    while frame.f_globals.get("__name__") == "importlib.util" and frame.f_back is not None:
        frame = frame.f_back
    return frame


def watch_names(module: ModuleType, observed: Callable[[], Observed]) -> None:
    """Note every name that a program reads from an old module."""

    class Watched(ModuleType):
        """A module that knows what is asked of it."""

        def __getattribute__(self, name: str) -> Any:
            frame = _reader(sys._getframe(1))
            is_ours = package_of(frame) in _NO_PROGRAM
            note = None if is_ours or name.startswith("__") else observed().name
            place = frame.f_code.co_filename, frame.f_lineno
            try:
                value = super().__getattribute__(name)
            except AttributeError:
                if note:
                    note(place, name, False)
                raise
            if note:
                note(place, name, True)
            return value

    module.__class__ = Watched
