"""The places of the library's Python code where the interpreter looks for signals; from 3.12 on for garbage, too.

With those of contextlib on its behalf: a `with` block of a generator's begins and ends there.
"""

from __future__ import annotations

import contextlib
import dis
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import comch_next
import comm_channel_compat

ComeTo = Callable[[CodeType, int], object]

_LIBRARY = tuple(str(Path(str(package.__file__)).parent) for package in (comch_next, comm_channel_compat))
_LOOKS = {"RESUME", "CALL", "CALL_FUNCTION", "CALL_METHOD", "CALL_FUNCTION_KW", "CALL_FUNCTION_EX"}
_places: dict[CodeType, frozenset[int]] = {}


def _looks_of(code: CodeType) -> frozenset[int]:
    """The offsets of the instructions before which the interpreter has just looked.

    An interrupt is raised by the instruction before, so those are left out that another handler covers: after the last
    call of a `with` block the block's own end would not be run, as it is.
    """
    if code not in _places:
        # What covers an instruction is in a table that code has from Python 3.11 on.
        table = dis._parse_exception_table(code) if sys.version_info >= (3, 11) else ()  # type: ignore[attr-defined]

        def handler(offset: int) -> int | None:
            return next((entry.target for entry in table if entry.start <= offset < entry.end), None)

        offsets, before, at = set(), "RESUME", 0
        for instruction in dis.get_instructions(code):
            if before in _LOOKS and handler(at) == handler(instruction.offset):
                offsets.add(instruction.offset)
            if instruction.opname not in ("CACHE", "EXTENDED_ARG"):
                before, at = instruction.opname, instruction.offset
        _places[code] = frozenset(offsets)
    return _places[code]


def _is_librarys(frame: FrameType) -> bool:
    name, caller = frame.f_code.co_filename, frame.f_back
    if name == contextlib.__file__ and caller is not None:
        name = caller.f_code.co_filename
    return name.startswith(_LIBRARY)


@contextmanager
def _traced(come_to: ComeTo) -> Iterator[None]:
    """Tell the instructions of the library by a trace."""

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        if not _is_librarys(frame):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return step

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            come_to(frame.f_code, frame.f_lasti)
        return step

    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(None)


@contextmanager
def _monitored(come_to: ComeTo) -> Iterator[None]:
    """Tell the instructions of the library, also of a function's first call, which a trace leaves out from 3.13 on."""
    monitoring, tool, thread = sys.monitoring, 3, threading.get_ident()  # type: ignore[attr-defined]

    def step(code: CodeType, offset: int) -> Any:
        if not code.co_filename.startswith((*_LIBRARY, contextlib.__file__)):
            return monitoring.DISABLE
        if threading.get_ident() == thread and _is_librarys(sys._getframe(1)):
            come_to(code, offset)
        return None

    monitoring.use_tool_id(tool, "looks")
    try:
        monitoring.register_callback(tool, monitoring.events.INSTRUCTION, step)
        monitoring.set_events(tool, monitoring.events.INSTRUCTION)
        yield
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)


_instructions = _monitored if sys.version_info >= (3, 12) else _traced


@contextmanager
def at_looks(come_to: ComeTo) -> Iterator[None]:
    """Call that at each such place which this thread comes by, with code and offset, but at none in the call itself."""

    def step(code: CodeType, offset: int) -> None:
        if offset in _looks_of(code):
            come_to(code, offset)

    with _instructions(step):
        yield
