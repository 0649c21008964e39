"""The seam: drivers, each of which is the DOCA C API in Python, and the choice among them."""

import os
import threading
from collections.abc import Callable
from importlib import import_module

from comch_next.driver._sink import Sink
from comch_next.driver.protocol import Driver, quoted
from comch_next.errors import InvalidValue, NotSupported

__all__ = ["load"]

_MODULES = {"emulated": "comch_next.driver.emulated", "native": "comch_next.driver.native"}

_loaded: dict[str, Driver] = {}  # by name; a process has one of each
# Threads that ask first at the same time share one driver; a driver may load the one below it.
_loading = threading.RLock()
os.register_at_fork(before=_loading.acquire, after_in_parent=_loading.release, after_in_child=_loading.release)


def load(driver: str | None = None) -> Driver:
    """Return the driver of that name, else of COMCH_DRIVER, else the emulated one. There is no silent fallback.

    COMCH_TRACE and COMCH_FAULTS are read when a driver is first loaded; when both are unset, the result is the plain
    driver, so neither costs anything. COMCH_TRACE_SINK=MODULE:FUNCTION passes the trace to what that function returns,
    see _sink. Raises IoFailed for a trace that cannot be written, InvalidValue for an unknown driver, fault, sink
    or COMCH_TRACE_PAYLOAD, NotSupported for faults with a driver other than the emulated one.
    """
    if not isinstance(driver, str | None):
        raise InvalidValue(f"a driver is named by text, not by {quoted(driver)}")
    with _loading:
        chosen = os.environ.get("COMCH_DRIVER", "")
        name = driver or chosen or "emulated"
        if name not in _MODULES:
            where = "" if driver else "COMCH_DRIVER: "
            raise InvalidValue(f"{where}there is no driver {name!r}; known are {', '.join(sorted(_MODULES))}")
        if name not in _loaded:
            _loaded[name] = _load(name)
        return _loaded[name]


def _load(name: str) -> Driver:
    if name != "emulated" and os.environ.get("COMCH_FAULTS"):
        raise NotSupported(f"COMCH_FAULTS is for the emulated driver only, not for {name!r}; unset it")
    payload = os.environ.get("COMCH_TRACE_PAYLOAD", "")
    if payload not in ("", "0", "1"):
        raise InvalidValue(f"COMCH_TRACE_PAYLOAD is {payload!r}; legal are 0, 1 and empty")
    made: Driver = import_module(_MODULES[name]).Driver()
    path, place = os.environ.get("COMCH_TRACE"), os.environ.get("COMCH_TRACE_SINK")
    if path or place:
        from comch_next.driver._traced import TracedDriver, TraceFile

        sinks: list[Sink] = [TraceFile(path)] if path else []
        if place:
            sinks.append(_find_sink(place)())
        made = TracedDriver(made, sinks, payload=payload == "1")
    return made


def _find_sink(place: str) -> Callable[[], Sink]:
    module, _, name = place.partition(":")
    try:
        found: Callable[[], Sink] = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidValue(f"COMCH_TRACE_SINK is {place!r}; legal is MODULE:FUNCTION: {error}") from error
    return found
