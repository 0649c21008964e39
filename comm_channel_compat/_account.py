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
from comm_channel_compat._old_calls import at_exit, end, report_file, report_of
from comm_channel_compat._refusals import hearers
from comm_channel_compat._report import Facts, written

__all__ = ["LISTS", "MAKES", "Account", "the_account"]

VERSION = 2  # of the JSON form

LISTS = "_create_list"  # the end of the names of calls that make a list of devices
# Calls that make a handle, and those that end one. A parameter of argp ends with argp, tasks with their context.
MAKES = re.compile(rf"(?<!_param)_create(_from_export)?$|_open$|_buf_get_by_[a-z]+$|_buf_dup$|{LISTS}$")
_ENDS = re.compile(r"_destroy(_list)?$|_close$|_dec_refcount$")
_REFERS = "_inc_refcount"  # one more reference that has to be given back
_LAST = -1000  # among what multiprocessing calls when a process ends
_DIRECTIONS = {"send": "sent", "receive": "received"}
_ACCEPTED = ("DOCA_SUCCESS", None)  # the result of a message that counts; a received one has none


class Account:
    """The account of one process. A forked child has its own, of its own calls."""

    def __init__(self) -> None:
        self.begin()
        os.register_at_fork(after_in_child=shielded(self.begin))

    def begin(self) -> None:
        """Forget everything."""
        self.has_news = False  # since it was written
        self._is_workers = False
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
        given = (*args, *kwargs.values())
        try:
            call, value = self.observed.call(site, function, args, kwargs)
        except BaseException as error:
            self._note(site, code_name(error.code) if isinstance(error, DocaError) else type(error).__name__)
            if isinstance(error, DocaError):
                self.observed.outputs(site, given, (error.connection,))
            raise
        outputs = value if is_coded and isinstance(value, tuple) else (value,) if is_coded else (call.refusal, value)
        self._note(site, code_name(outputs[0]))
        if outputs[0] != 0:
            self.observed.outputs(site, given, outputs[1:])  # the peer that has gone
        else:
            self.observed.success(site, given, outputs[1:])
            if is_coded or not symbol.endswith(LISTS):  # a list of objects has nothing that would end it
                self._note_handle(site, given[0] if given else None, outputs[1:])
        return value

    def refused(self, error: DocaError) -> None:
        """Note why the call that runs will fail: what it returns may not have the code."""
        self.observed.refused(int(error.code))

    def note_end(self, handle: object) -> None:
        """Note that a handle was given back."""
        with self._lock:
            del self._living[_identity(handle)][-1:]

    def _note(self, site: Site, result: str) -> None:
        with self._lock:
            self._results[site][result] += 1
            self.has_news = True
        if not self._is_workers and "multiprocessing.util" in sys.modules:
            self._is_workers = _end_with_worker()

    def _note_handle(self, site: Site, first: object, outputs: tuple[Any, ...]) -> None:
        """Note a handle that has been made or ended; a constructor's is its first argument."""
        symbol = site[0]
        with self._lock:
            if symbol.endswith(_REFERS):
                self._living[_identity(first)].append(site)
            elif _ENDS.search(symbol):
                self.note_end(first)
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

    # The report

    def facts(self) -> Facts:
        """Everything, as the JSON form has it."""
        with self._lock:
            left = Counter(chain(*self._living.values()))
            return {
                "version": VERSION,
                "program": _program(),
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


def _program() -> list[str]:
    """The program's words, which may be of any type; the command line if it is compiled or has dropped them."""
    words = getattr(sys, "argv", None) if sys.orig_argv else None
    if words is not None:
        return [str(word) for word in words]
    with open("/proc/self/cmdline", "rb") as file:
        return [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]


@cache
def the_account() -> Account:
    """Return the account of this process, which is written when it ends."""
    account = Account()
    hearers.append(account.refused)
    main = report_of or str(os.getpid())
    os.environ["COMCH_COMPAT_REPORT_OF"] = main  # for the processes that it starts
    _at_exit(partial(_finish, account, report_file, main))
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


def _end_with_worker() -> bool:
    """Have multiprocessing write the account, if this process does its work: after that it may leave by os._exit."""
    from multiprocessing.process import parent_process
    from multiprocessing.util import Finalize

    if parent_process() is None:
        return False
    Finalize(None, end, exitpriority=_LAST)
    return True


_kept: list[object] = []  # what C will call


def _finish(account: Account, path: str, main: str) -> None:
    if not account.has_news:
        return
    account.has_news = False
    facts = account.facts()
    if main != str(os.getpid()):  # a process that the program has started
        stem, suffix = os.path.splitext(path)
        path = f"{stem}-{os.getpid()}{suffix}"
    text = written(facts, os.path.splitext(path)[1]).encode("utf-8", "surrogateescape")  # names need not be UTF-8
    try:
        with open(path, "wb") as file:
            file.write(text)
    except OSError as error:
        if sys.stderr is not None:  # else print would take standard output
            print(f"COMCH_COMPAT_REPORT: {path!r} cannot be written: {error.strerror}", file=sys.stderr)
