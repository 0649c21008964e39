"""The functions of libdoca_common: devices, engines, contexts, tasks, memory (guide: DOCA Core)."""

from __future__ import annotations

from typing import Any

from comch_next._codes import RepFilter, State
from comch_next._pci import PciBdf
from comch_next.capi._callbacks import Callbacks
from comch_next.capi._memory import memory
from comch_next.capi._watched import watched_engines
from comch_next.capi.binding import Binding, Call
from comch_next.capi.handles import HANDLES
from comch_next.capi.seam import DRIVER, driver_call, is_loaded
from comch_next.declarations.core import CONSTANTS, FUNCTIONS
from comch_next.driver.protocol import Own, event_hearers, interruptible, new_lock, uninterrupted
from comch_next.errors import ErrorCode, InvalidValue

__all__ = ["attach"]

_SUCCESS, _IN_PROGRESS = int(ErrorCode.SUCCESS), int(ErrorCode.IN_PROGRESS)
_opening = new_lock()  # what the driver counts, and what the table has, are one
_EVENT_MODES = {CONSTANTS[f"DOCA_PE_EVENT_MODE_PROGRESS_{name}"] for name in ("SELECTIVE", "ALL")}
_FILTERS = {"all": RepFilter.ALL, "net": RepFilter.NET, "emulated": RepFilter.EMULATED}


def attach(ffi: Any, lib: Any) -> None:
    """Give the library its functions."""
    binding = Binding(ffi, lib)
    callbacks = Callbacks(ffi)
    by_hand = {**_PLAIN, **_engines(), **memory(ffi, callbacks)}
    for row in binding.rows(FUNCTIONS):
        binding.bind(row, by_hand.get(row.name) or driver_call(row))
    for name, coded in {**_CODED, **_contexts(callbacks)}.items():
        binding.attach(name, binding.coded(coded))
    for name, bare in _BARE.items():
        binding.attach(name, binding.quiet(name, bare))
    table = HANDLES.for_c(binding.refused, binding.unexpected)
    lib.comch_face_hot(id(table))
    event_hearers.append(lambda level, text: lib.comch_face_log(int(level), text.encode(errors="replace")))


# Devices: two opens of one are one handle, which ends with the last close


@uninterrupted
def _dev_open(devinfo: int, out: Any) -> int:
    info = HANDLES.find("doca_devinfo", devinfo).target
    with _opening:
        handle = HANDLES.of("doca_dev", DRIVER.devices.open(info))
        handle.opens += 1
        out[0] = handle.address
    return _SUCCESS


@uninterrupted
def _dev_close(dev: int) -> int:
    with _opening:
        handle = HANDLES.find("doca_dev", dev)
        DRIVER.devices.close(handle.target)
        handle.opens -= 1
        if not handle.opens:
            HANDLES.drop(handle)
    return _SUCCESS


def _given_back(_: object) -> None:
    """The list's handles end with it."""


# Engines


def _engines() -> dict[str, Call]:
    noun = watched_engines(DRIVER.engines)

    def create() -> Any:
        engine = DRIVER.engines.create()
        HANDLES.of("doca_pe", engine).noun = noun
        return engine

    def connect_ctx(engine: Any, context: Any) -> None:
        """In a program of generation 2 each progress runs one callback, as with the names of that in Python."""
        DRIVER.engines.connect_ctx(engine, context)
        if DRIVER.engines.get_max_events(engine) is None and is_loaded("libdoca_cc"):  # it is fixed inside of callbacks
            DRIVER.engines.set_max_events(engine, 1)

    return {"doca_pe_create": create, "doca_pe_connect_ctx": connect_ctx, "doca_pe_set_event_mode": _set_event_mode}


def _set_event_mode(_: Any, mode: int) -> None:
    """Progress visits every context; with one that has no events nothing comes of it, so that either mode is kept."""
    if mode not in _EVENT_MODES:
        raise InvalidValue(f"pe_set_event_mode takes a mode of {sorted(_EVENT_MODES)}, not {mode}")


# Contexts


def _ctx_start(ctx: int) -> int:
    state = DRIVER.contexts.start(HANDLES.find("doca_ctx", ctx).target)
    return _IN_PROGRESS if state is State.STARTING else _SUCCESS


def _ctx_stop(ctx: int) -> int:
    state = DRIVER.contexts.stop(HANDLES.find("doca_ctx", ctx).target)
    return _SUCCESS if state is State.IDLE else _IN_PROGRESS


def _ctx_set_user_data(ctx: int, user_data: int) -> int:
    HANDLES.find("doca_ctx", ctx).user_data = user_data
    return _SUCCESS


def _ctx_get_user_data(ctx: int, out: Any) -> int:
    out[0] = HANDLES.find("doca_ctx", ctx).user_data
    return _SUCCESS


def _contexts(callbacks: Callbacks) -> dict[str, Any]:
    def set_state_changed_cb(ctx: int, callback: int) -> int:
        handle = HANDLES.find("doca_ctx", ctx)
        call = callbacks.at("doca_ctx_state_changed_callback_t", callback)

        def changed(_: object, old: State, new: State) -> None:
            interruptible(call, handle.user_data, handle.address, old, new)

        DRIVER.contexts.set_state_changed_cb(handle.target, Own(changed))
        return _SUCCESS

    return {"doca_ctx_set_state_changed_cb": set_state_changed_cb}


# Tasks, of whichever kind: the handle knows the driver's noun. The calls of loops are in _sources/tasks.c


@uninterrupted
def _task_submit_ex(task: int, flags: int) -> int:
    handle = HANDLES.find("doca_task", task)
    handle.noun.submit_ex(handle.target, flags)
    return _SUCCESS


def _task_get_status(task: int) -> int:
    handle = HANDLES.find("doca_task", task)
    return int(handle.noun.get_status(handle.target))


def _task_set_user_data(task: int, user_data: int) -> None:
    HANDLES.find("doca_task", task).user_data = user_data


def _task_get_user_data(task: int) -> int:
    return HANDLES.find("doca_task", task).user_data


def _task_get_ctx(task: int) -> int:
    owner = HANDLES.find("doca_task", task).owner
    return 0 if owner is None else owner.address


def _lists(wanted: RepFilter) -> Call:
    """Whether a device lists representors of that kind."""
    return lambda devinfo: DRIVER.devices.rep_cap_is_filter_supported(devinfo, wanted)


_PLAIN: dict[str, Call] = {
    "doca_devinfo_destroy_list": _given_back,
    "doca_devinfo_rep_destroy_list": _given_back,
    **{f"doca_devinfo_rep_cap_is_filter_{name}_supported": _lists(kind) for name, kind in _FILTERS.items()},
    "doca_devinfo_get_pci_addr": lambda info: PciBdf.of(DRIVER.devices.get_pci_addr_str(info)).raw,
    "doca_devinfo_rep_get_pci_addr": lambda info: PciBdf.of(DRIVER.devices.rep_get_pci_addr_str(info)).raw,
}
_CODED: dict[str, Call] = {
    "doca_dev_open": _dev_open,
    "doca_dev_close": _dev_close,
    "doca_ctx_start": _ctx_start,
    "doca_ctx_stop": _ctx_stop,
    "doca_ctx_set_user_data": _ctx_set_user_data,
    "doca_ctx_get_user_data": _ctx_get_user_data,
    "doca_task_submit_ex": _task_submit_ex,
    "doca_task_get_status": _task_get_status,
}
_BARE: dict[str, Call] = {
    "doca_task_set_user_data": _task_set_user_data,
    "doca_task_get_user_data": _task_get_user_data,
    "doca_task_get_ctx": _task_get_ctx,
}
