"""Which calls of a driver's nouns do not wait for a thread that has the locks of all objects, or begin before they do.

Run as a program, `python -m tests.threads.nouns`, with the driver of the environment. Every call that the protocol
declares is made, with arguments by their types, on objects that are in use, and on others that are new: one of both it
has to wait for. Prints those that are hasty and not in FREE, one in a line, and what FREE has in vain.
"""

from __future__ import annotations

import gc
import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from functools import partial
from typing import Any, get_args, get_type_hints

import comch_next as comch
from comch_next.driver import load, protocol
from comch_next.driver.protocol import Lock
from tests.fast_path.lane import Lane
from tests.threads.waiting import NO_WAIT, Watched, body_of, hasty

Makers = dict[Any, Callable[[], object]]  # of arguments, by the types that the protocol has for them, or their names

# Calls that may be hasty, by drivers and by what makes them harmless.
FREE = {
    "both": {
        "a task belongs to one thread": "*_tasks.get_ctx *_tasks.get_status *_tasks.?et_buf producer_send_tasks.?et_*",
        "they make a call for later": "*.quick_*",
        "one attribute": (
            "contexts.?et_user_data contexts.get_device connections.?et_* servers.get_device_rep bufs.get_next_*"
        ),
    },
    "emulated": {
        "one call in C changes the pool, or one thread's task": "*.task_*alloc_init *_tasks.*",
        "it never changes": "*.*cap_* devices.*as_devinfo devices.*get_* devices.*is_* devices.rep_create_list",
        "one attribute": (
            "contexts.get_state contexts.get_max_msg_size contexts.get_recv_queue_size *.get_id "
            "consumers.get_imm_data_len bufs.get_data* bufs.get_head bufs.get_len bufs.get_refcount "
            "bufs.is_* bufs.reset_data_len"
        ),
        "nobody else knows yet what they make": (
            "servers.create clients.create dpa_threads.create dpa_completions.create mmaps.create_from_export "
            "devices.rep_open"
        ),
        "it waits for the kernel": "dpa_threads.stop",
    },
    "native": {
        "one attribute": (
            "engines.?et_max_events engines.hand_errors_to contexts.set_state_changed_cb mmaps.get_view "
            "mmaps.get_user_data buf_inventories.?et_user_data *_tasks.?et_user_data"
        ),
        "a list that is never seen half changed": "bufs.get_last_in_list",
        "one function of the library": (
            "contexts.get_num_* contexts.set_datapath_on_dpa devices.rep_cap_* *.get_num_bufs *.get_num_free_* "
            "bufs.set_data mmaps.stop"
        ),
        "what it needs is found before": "mmaps.set_memrange",
        "there is no such function": "buf_inventories.buf_reuse_* dpas.* dpa_threads.* dpa_completions.*",
    },
}

# Functions that take the lock for calls which do nothing before, by drivers.
TAKERS = {
    "emulated": {"_get_by_args", "buf_reuse_by_args", "set_data", "_end"},
    "native": {
        *("_set", "_of_notification", "_export", "buf_get_by_args"),
        *("alloc", "register", "set_completions", "submit_by", "_read"),
    },
}
_LAST = ("close", "free", "dec_refcount", "stop", "destroy")  # ends of names of calls that may end what they get
_TASKS = (protocol.SendTask, protocol.PostRecvTask, protocol.ProducerSendTask)  # of which there are not so many
_BARE = (
    "doca_mmap_destroy",  # calls the program back, which may wait for other threads
    "doca_comch_*_task_*_set_*",  # of a task, which belongs to one thread
)
_OTHER = {"emulated": ("native", "protocol"), "native": ("emulated", "capi", "protocol")}  # whose locks are no concern
_OF: dict[tuple[str, Any], Any] = {
    ("servers", protocol.Context): protocol.Server,
    ("send_tasks", protocol.Task): protocol.SendTask,
    ("post_recv_tasks", protocol.Task): protocol.PostRecvTask,
    ("producer_send_tasks", protocol.Task): protocol.ProducerSendTask,
}


def _ignore(*_: object) -> None: ...


_PLAIN: dict[Any, object] = {int: 1, str: "x", bool: False, float: 0.0, Any: bytearray(64)}
_PLAIN[comch.RepFilter] = comch.RepFilter.NET


def watch_locks(others: tuple[str, ...]) -> list[Watched]:
    """Have the library make its locks watched ones from now on, and put others in place of those that it has."""
    locks: list[Watched] = []
    known: dict[int, Watched] = {}
    new_lock = protocol.new_lock
    kind = type(new_lock())

    def new() -> Watched:
        locks.append(Watched())
        return locks[-1]

    def instead(value: Lock) -> Watched:
        if id(value) not in known:
            known[id(value)] = new()
        return known[id(value)]

    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "comch_next" and not any(f".{other}" in name for other in others):
            for owner in (module, *filter(inspect.isclass, vars(module).values())):
                for attribute, value in list(vars(owner).items()):
                    if isinstance(value, kind):
                        setattr(owner, attribute, instead(value))
                    elif value is new_lock:
                        setattr(owner, attribute, new)
    return locks


def watch_functions(locks: list[Watched]) -> list[str]:
    """Note which functions of the C library the native driver calls on another thread that has none of the locks."""
    from comch_next.driver.native._library import Library, ffi

    found: list[str] = []
    spelled, places = Library._spelled, dict[str, int]()

    def watched(library: Any, name: str) -> Any:
        function = spelled(library, name)
        places[name] = int(ffi.cast("uintptr_t", function)) if isinstance(function, ffi.CData) else 0

        def called(*args: object) -> Any:
            is_here = threading.current_thread() is not threading.main_thread()
            allowed = not is_here or any(fnmatch(name, bare) for bare in _BARE)
            if not allowed and not any(map(Watched.is_owned, locks)):
                found.append(name)
            return function(*args)

        return called

    def address_of(library: Any, name: str) -> int:
        library[name]
        return places[name]

    setattr(Library, spelled.__name__, watched)
    setattr(Library, address_of.__name__, address_of)
    return found


def _given(value: object) -> object:
    return value


def in_use(driver: Any, lane: Lane) -> Makers:
    """Handles of what is running, connected or started; of tasks that the program holds."""
    here, there, inbox, outbox = lane.here, lane.there, lane.inbox, lane.outbox
    dpu, host = there.context.device._handle, here.context.device._handle
    representor = driver.servers.get_device_rep(there.context._handle)
    connection, mmap, inventory = here.connection._handle, inbox.mmap, inbox.inventory
    buf = inventory.buf_get_by_addr(mmap, mmap.addr, 64)._handle
    fixed: dict[Any, object] = {
        protocol.Engine: here.engine._handle,
        protocol.Context: here.context._handle,
        protocol.Client: here.context._handle,
        protocol.Server: there.context._handle,
        protocol.Connection: connection,
        protocol.Dev: dpu,
        protocol.DevInfo: driver.devices.as_devinfo(host),
        protocol.Rep: representor,
        protocol.RepInfo: driver.devices.rep_as_devinfo(representor),
        protocol.Consumer: inbox.consumer._handle,
        protocol.Producer: outbox.producer._handle,
        protocol.Mmap: mmap._handle,
        protocol.BufInventory: inventory._handle,
        protocol.Buf: buf,
        protocol.MsgQ: driver.msgqs.create(dpu),
        protocol.ConsumerCompletion: driver.consumer_completions.create(),
    }
    if driver.name == "native":
        fixed |= dict.fromkeys((protocol.Dpa, protocol.DpaThread, protocol.DpaCompletion), 16)  # an address
    else:
        dpa = fixed[protocol.Dpa] = driver.dpas.create(dpu)
        driver.dpas.start(dpa)
        fixed |= {
            protocol.DpaThread: driver.dpa_threads.create(dpa),
            protocol.DpaCompletion: driver.dpa_completions.create(dpa, 4),
        }
    fixed |= dict.fromkeys(("addr", "data"), mmap.addr)
    made: Makers = {kind: partial(_given, handle) for kind, handle in fixed.items()}
    alloc = driver.clients.task_send_alloc_init
    made[protocol.SendTask] = partial(alloc, here.context._handle, connection, b"x")
    alloc = driver.consumers.task_post_recv_alloc_init
    made[protocol.PostRecvTask] = partial(alloc, inbox.consumer._handle, None)
    alloc = driver.producers.task_send_alloc_init
    made[protocol.ProducerSendTask] = partial(alloc, outbox.producer._handle, None, b"x", inbox.consumer.id)
    return made


def new(driver: Any, used: Makers) -> Makers:
    """Handles of what has just been made; where there is nothing new, of what is in use."""
    dev, rep, dpa = (used[kind]() for kind in (protocol.Dev, protocol.Rep, protocol.Dpa))
    client = partial(driver.clients.create, driver.devices.open(used[protocol.DevInfo]()), "new")
    made: Makers = {
        protocol.Engine: driver.engines.create,
        protocol.Context: client,
        protocol.Client: client,
        protocol.Server: partial(driver.servers.create, dev, rep, "new"),
        protocol.Rep: partial(driver.devices.rep_open, used[protocol.RepInfo]()),
        protocol.Mmap: driver.mmaps.create,
        protocol.BufInventory: partial(driver.buf_inventories.create, 4),
        protocol.MsgQ: partial(driver.msgqs.create, dev),
        protocol.ConsumerCompletion: driver.consumer_completions.create,
    }
    if driver.name == "emulated":
        made[protocol.DpaThread] = partial(driver.dpa_threads.create, dpa)
        made[protocol.DpaCompletion] = partial(driver.dpa_completions.create, dpa, 4)
    return used | made


def calls() -> Iterator[tuple[str, str, list[Any]]]:
    """Noun, call and the makers' keys of the arguments of what takes handles; last what may end them."""
    found = []
    for noun, kind in get_type_hints(protocol.Driver).items():
        if inspect.isclass(kind) and kind.__module__.startswith(protocol.__name__):
            for name in [name for name in dir(kind) if not name.startswith("_")]:
                wanted = [_key(noun, each) for each in inspect.signature(getattr(kind, name)).parameters.values()][1:]
                if any(getattr(each, "__module__", "").startswith(protocol.__name__) for each in wanted):
                    found.append((noun, name, wanted))
    yield from sorted(found, key=lambda call: [call[1].endswith(end) for end in _LAST])


def _key(noun: str, parameter: inspect.Parameter) -> Any:
    """The name of an address, else the type, without None; of which kind a task or context is, its noun tells."""
    if parameter.name in ("addr", "data") and parameter.annotation is int:
        return parameter.name
    annotation = parameter.annotation
    if type(None) in get_args(annotation):
        annotation = get_args(annotation)[0]
    return _OF.get((noun, annotation), annotation)


def main() -> None:
    gc.disable()  # no finalizer asks for a lock in between
    driver, kept = load(), list[object]()
    locks = watch_locks(_OTHER[driver.name])
    bare = watch_functions(locks) if driver.name == "native" else []
    used = in_use(driver, Lane().run())
    made, patterns = new(driver, used), [*FREE["both"].values(), *FREE[driver.name].values()]
    free = dict.fromkeys(" ".join(patterns).split(), False)
    for noun, name, wanted in calls():
        method, faults, worst = getattr(getattr(driver, noun), name), list[str](), list[str]()
        for makers in (used, made):
            given = [makers.get(key, partial(_given, _PLAIN.get(key, _ignore)))() for key in wanted]
            kept += [each for key, each in zip(wanted, given, strict=True) if key not in _TASKS]  # nothing is garbage
            bare.clear()
            faults.append(hasty(partial(_keep, kept, method, given), body_of(method), locks, TAKERS[driver.name]))
            worst += [f"it calls {function} without a lock" for function in bare]
        excepted = [pattern for pattern in free if fnmatch(f"{noun}.{name}", pattern)]
        grave = [fault for fault in faults if fault not in ("", NO_WAIT)]
        if grave or "" not in faults:
            free |= dict.fromkeys(excepted, True)
            worst += [] if excepted else grave or faults
        if worst:
            print(f"{noun}.{name}: {worst[0]}")
    print("".join(f"in vain: {pattern}\n" for pattern, needed in free.items() if not needed), end="")


def _keep(kept: list[object], method: Callable[..., object], given: list[object]) -> None:
    kept.append(method(*given))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # what has been stopped or destroyed in between is not closed one by one
