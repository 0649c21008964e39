"""The account of a program's old calls: which, from where, how they ended, what was carried, what was left behind.

It is kept while the program runs, and written when it ends, in the form that the file's suffix asks for: see _report.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import chain
from typing import Any

from cffi import FFI

from comch_next.errors import DocaError, code_name
from comch_next.pull import shielded
from comm_channel_compat._known import kind_of
from comm_channel_compat._observed import Observed, Site, named
from comm_channel_compat._old_calls import at_exit, report_file
from comm_channel_compat._report import Facts, written

__all__ = ["LISTS", "MAKES", "Account", "the_account"]

VERSION = 2  # of the JSON form

LISTS = "_create_list"  # the end of the names of calls that make a list of devices
# Calls that make a handle, and those that end one. A parameter of argp ends with argp, tasks with their context.
MAKES = re.compile(rf"(?<!_param)_create(_from_export)?$|_open$|_buf_get_by_[a-z]+$|_buf_dup$|{LISTS}$")
_ENDS = re.compile(r"_destroy(_list)?$|_close$|_dec_refcount$")
_REFERS = "_inc_refcount"  # one more reference that has to be given back
_MAIN = "COMCH_COMPAT_REPORT_OF"  # the process whose account has the name that was asked for
_DIRECTIONS = {"send": "sent", "receive": "received"}
_ACCEPTED = ("DOCA_SUCCESS", None)  # the result of a message that counts; a received one has none


class Account:
    """The account of one process. A forked child has its own, of its own calls."""

    def __init__(self) -> None:
        self.begin()
        os.register_at_fork(after_in_child=shielded(self.begin))

    def begin(self) -> None:
        """Forget everything."""
        self._lock = threading.RLock()  # of a thread, which an old call of a handler's or a __del__'s may come between
        self._results: defaultdict[Site, Counter[str]] = defaultdict(Counter)
        # Identity of a handle -> where it was made; again, if it was opened again, or was that of one that is garbage.
        self._living: defaultdict[int, list[Site]] = defaultdict(list)
        self._carried: defaultdict[tuple[str, str, int], Counter[str]] = defaultdict(Counter)
        self.observed = Observed()

    # What happens

    def follow(
        self,
        symbol: str,
        place: tuple[str, int, str],
        is_coded: bool,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """Make the call, and note how it ended."""
        site = (symbol, *place[:2])
        try:
            with self.observed.call(site, args, kwargs):
                value = function(*args, **kwargs)
        except BaseException as error:
            self._note(site, code_name(error.code) if isinstance(error, DocaError) else type(error).__name__)
            raise
        outputs = value if is_coded and isinstance(value, tuple) else (value,) if is_coded else (0, value)
        given = (*args, *kwargs.values())
        self._note(site, code_name(outputs[0]))
        if outputs[0] == 0:
            self.observed.success(site, given, outputs[1:])
            if is_coded or not symbol.endswith(LISTS):  # a list of objects has nothing that would end it
                self._note_handle(site, given[0] if given else None, outputs[1:])
        return value

    def _note(self, site: Site, result: str) -> None:
        with self._lock:
            self._results[site][result] += 1

    def _note_handle(self, site: Site, first: object, outputs: tuple[Any, ...]) -> None:
        """Note a handle that has been made or ended; a constructor's is its first argument."""
        symbol = site[0]
        with self._lock:
            if symbol.endswith(_REFERS):
                self._living[_identity(first)].append(site)
            elif _ENDS.search(symbol):
                del self._living[_identity(first)][-1:]
            elif MAKES.search(symbol):
                self._living[_identity(first if outputs == (None,) else outputs[0])].append(site)

    def write(self, what: str, facts: Mapping[str, Any], at_ns: int | None = None) -> int:
        """Take a line of the trace, as its file does: the messages are counted."""
        direction = _DIRECTIONS.get(what)
        if direction and "connection" in facts and facts.get("result") in _ACCEPTED:  # a message queue has no peers
            with self._lock:
                carried = self._carried[facts["service"], facts["side"], facts["connection"]]
                carried[f"{direction}_messages"] += 1
                carried[f"{direction}_bytes"] += facts.get("length", 0)
        return 0

    # What is told

    def facts(self) -> Facts:
        """Everything, as the JSON form has it."""
        with self._lock:
            left = Counter(chain(*self._living.values()))
            return {
                "version": VERSION,
                "program": sys.argv if sys.orig_argv else _command(),
                "pid": os.getpid(),
                "calls": [
                    {
                        **named(site),
                        "count": results.total(),
                        "results": dict(results.most_common()),
                        **self.observed.of_call(site),
                    }
                    for site, results in sorted(self._results.items())
                ],
                "lookups": self.observed.lookups(),
                "sources": self.observed.sources(),
                "peers": [
                    {**dict(zip(("service", "side", "connection"), peer, strict=True)), **carried}
                    for peer, carried in sorted(self._carried.items())
                ],
                "never_destroyed": [{**named(site), "count": count} for site, count in sorted(left.items())],
            }


def _identity(handle: object) -> int:
    """Return the number of a handle; C has them as numbers. Several objects may stand for one, and are equal then."""
    if isinstance(handle, int):
        return handle
    kind: Any = kind_of(type(handle))  # not the program's own class, whose attributes may not be there yet
    return id(handle) if kind is None else kind.__hash__(handle)


def _command() -> list[str]:
    """The command line of a compiled program."""
    with open("/proc/self/cmdline", "rb") as file:
        return [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]


@cache
def the_account() -> Account:
    """Return the account of this process, which is written when it ends."""
    account = Account()
    os.environ.setdefault(_MAIN, str(os.getpid()))  # for the processes that it starts
    _at_exit(partial(_finish, account, report_file))
    return account


def _at_exit(finish: Callable[[], None]) -> None:
    """Call this when the process ends: the interpreter of a compiled program is never ended itself."""
    if sys.orig_argv:
        at_exit.append(finish)
        return
    ffi = FFI()
    ffi.cdef("int __cxa_atexit(void (*function)(void *), void *argument, void *library);")
    call = ffi.callback("void(void *)", lambda _: finish())
    ffi.dlopen(None).__cxa_atexit(call, ffi.NULL, ffi.NULL)  # type: ignore[attr-defined]  # as declared
    _kept.append(call)


_kept: list[object] = []  # what C will call


def _finish(account: Account, path: str) -> None:
    facts = account.facts()
    if not facts["calls"]:
        return
    main = os.environ.get(_MAIN, "")
    if main not in ("", str(os.getpid())):  # a process that the program has started
        stem, suffix = os.path.splitext(path)
        path = f"{stem}-{os.getpid()}{suffix}"
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:  # names need not be UTF-8
            file.write(written(facts, os.path.splitext(path)[1]))
    except OSError as error:
        print(f"COMCH_COMPAT_REPORT: {path!r} cannot be written: {error.strerror}", file=sys.stderr)
