"""The functions of libdoca_comch: servers, clients, connections and their tasks (guide: Comch)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comch_next.capi._callbacks import Callbacks
from comch_next.capi._fast_path import fast_path
from comch_next.capi._watched import watched, watched_tasks
from comch_next.capi.binding import Binding, whole
from comch_next.capi.handles import HANDLES, Handle
from comch_next.capi.seam import DRIVER, driver_call
from comch_next.declarations.comch import FUNCTIONS
from comch_next.driver.protocol import Own, interruptible
from comch_next.errors import InvalidValue

__all__ = ["attach"]

_SUCCESS = 0
_CONNECTION = "doca_comch_connection"
_SENT, _CHANGED = "doca_comch_task_send_completion_cb_t", "doca_comch_event_connection_status_changed_cb_t"
_POOLS: dict[str, Any] = {"server": DRIVER.servers, "client": DRIVER.clients}


def attach(ffi: Any, lib: Any) -> None:
    """Give the library its functions."""
    binding = Binding(ffi, lib)
    makers: list[Any] = []
    lib.comch_face_callbacks(id(makers), id(_of_client))  # for a client that has not asked for its connection
    callbacks = Callbacks(ffi, makers)
    rows = {row.name: row for row in binding.rows(FUNCTIONS)}
    for row in rows.values():
        binding.bind(row, driver_call(row))
    table = HANDLES.for_c(binding.refused, binding.unexpected)
    sends = (watched_tasks(DRIVER.send_tasks), _alloc_of, _check_length)
    lib.comch_face_hot(id(table), id(sends))
    for side in _POOLS:
        for name, function in _control(side, callbacks).items():
            binding.attach(f"doca_comch_{side}_{name}", binding.coded(function))
    coded, bare = fast_path(ffi, callbacks)
    for name, function in {**coded, **_CODED, **_server(callbacks)}.items():
        binding.attach(name, whole(rows[name], binding.coded(function)))
    for name, function in {**bare, **_BARE}.items():
        binding.attach(name, binding.quiet(name, function))


def _connected(context: Handle, connection: Any) -> Handle:
    """The handle of a connection, which its messages carry."""
    handle = HANDLES.of(_CONNECTION, connection, context)
    DRIVER.connections.set_user_data(connection, handle)
    return handle


def _of_client(context: Handle) -> Handle:
    """The handle of a client's connection; those of its earlier lives end."""
    connection = DRIVER.clients.get_connection(context.target)
    for known in list(context.owned or ()):
        if known.tag == _CONNECTION and known.target is not connection:
            HANDLES.drop(known)
    return _connected(context, connection)


# What servers and clients have in common


def _alloc_of(context: Handle) -> Callable[..., Any]:
    """Return what makes a context's send tasks, for _sources/sends.c: (connection, message, handle) -> task."""
    pool = _POOLS[context.tag.removeprefix("doca_comch_")]
    ctx = context.target

    def alloc(connection: Any, message: bytes, handle: Handle) -> Any:
        return pool.task_send_alloc_init(ctx, connection, message, handle)

    quick = pool.quick_alloc(ctx, alloc, object, None)
    context.alloc = watched(f"{context.tag}_task_send_alloc_init", False, quick or alloc)
    context.quick = quick is not None and context.alloc is quick
    return alloc


def _check_length(context: Handle, length: int) -> None:
    """Refuse a message that is longer than any of the context's, before it is read."""
    if length > DRIVER.contexts.get_max_msg_size(context.target):
        raise InvalidValue(f"a message of {length} bytes is longer than any of {context.target}")


def _control(side: str, callbacks: Callbacks) -> dict[str, Callable[..., int]]:
    tag = f"doca_comch_{side}"

    def task_send_set_conf(ctx: int, completion: int, error: int, number: int) -> int:
        context = HANDLES.find(tag, ctx)
        done, failed = (callbacks.completed(_SENT, address) for address in (completion, error))
        DRIVER.contexts.task_send_set_conf(context.target, done, failed, number)
        return _SUCCESS

    def event_msg_recv_register(ctx: int, recv: int) -> int:
        context = HANDLES.find(tag, ctx)
        received = callbacks.received("doca_comch_event_msg_recv_cb_t", recv, context)
        DRIVER.contexts.event_msg_recv_register(context.target, received, False)
        return _SUCCESS

    def event_consumer_register(ctx: int, new: int, expired: int) -> int:
        context = HANDLES.find(tag, ctx)

        def event(address: int) -> Callable[[Any, int], None]:
            call = callbacks.at("doca_comch_event_consumer_cb_t", address)
            return Own(
                lambda peer, number: interruptible(call, context.address, _connected(context, peer).address, number)
            )

        DRIVER.contexts.event_consumer_register(context.target, event(new), event(expired))
        return _SUCCESS

    return {
        "task_send_set_conf": task_send_set_conf,
        "event_msg_recv_register": event_msg_recv_register,
        "event_consumer_register": event_consumer_register,
    }


# What only one of them has


def _server(callbacks: Callbacks) -> dict[str, Callable[..., int]]:
    def register(server: int, connect: int, disconnect: int) -> int:
        context = HANDLES.find("doca_comch_server", server)
        connected, disconnected = (callbacks.at(_CHANGED, address) for address in (connect, disconnect))

        def up(connection: Any, ok: bool) -> None:
            handle = _connected(context, connection)
            try:
                interruptible(connected, context.address, handle.address, ok)
            finally:
                if not ok:  # nothing more is heard of it
                    HANDLES.drop(handle)

        def down(connection: Any, ok: bool) -> None:
            handle = _connected(context, connection)
            try:
                interruptible(disconnected, context.address, handle.address, ok)
            finally:
                HANDLES.drop(handle)

        DRIVER.servers.event_connection_status_changed_register(context.target, Own(up), Own(down))
        return _SUCCESS

    return {"doca_comch_server_event_connection_status_changed_register": register}


def _get_connection(client: int, out: Any) -> int:
    out[0] = _of_client(HANDLES.find("doca_comch_client", client)).address
    return _SUCCESS


def _dpa_completion_attach(producer: int, dpa_comp: int) -> int:
    context, completion = HANDLES.find("doca_comch_producer", producer), HANDLES.find("doca_dpa_completion", dpa_comp)
    DRIVER.producers.dpa_completion_attach(context.target, completion.target, context.user_data)
    return _SUCCESS


def _set_user_data(connection: int, user_data: int) -> int:
    HANDLES.find(_CONNECTION, connection).user_data = user_data
    return _SUCCESS


def _get_user_data(connection: int) -> int:
    return HANDLES.find(_CONNECTION, connection).user_data


_CODED: dict[str, Callable[..., int]] = {
    "doca_comch_client_get_connection": _get_connection,
    "doca_comch_connection_set_user_data": _set_user_data,
    "doca_comch_producer_dpa_completion_attach": _dpa_completion_attach,
}
_BARE = {"doca_comch_connection_get_user_data": _get_user_data}
