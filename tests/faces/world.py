"""One of everything that has a handle, made through the C functions: both sides of a channel in one process."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from cffi import FFI

import comch_next.capi
import comm_channel_compat.capi
from comch_next.api.prototypes import cdef

_PATIENCE_S = 60.0

ffi = FFI()
ffi.cdef(cdef("core", "comch", "dpa", "comm_channel"))


def path_of(package: Any, name: str) -> str:
    """Where a library lies."""
    return str(Path(package.__path__[0]) / "lib" / f"libdoca_{name}.so.2")


def _library(package: Any, name: str) -> Any:
    return ffi.dlopen(path_of(package, name))


class Library:
    """The functions of every face, wherever they are."""

    def __init__(self) -> None:
        names = [(comch_next.capi, name) for name in ("common", "comch", "argp", "dpa")]
        self._libraries = [_library(*pair) for pair in (*names, (comm_channel_compat.capi, "comm_channel"))]

    def __getattr__(self, name: str) -> Any:
        for library in self._libraries:
            if (found := getattr(library, name, None)) is not None:
                setattr(self, name, found)
                return found
        raise AttributeError(name)


lib = Library()


def check(result: int, *also: int) -> int:
    """Return the code of a call, which must be success or one of these."""
    assert result in (0, *also), ffi.string(lib.doca_error_get_name(result))
    return result


def made(call: Any, *arguments: Any) -> Any:
    """What a call writes through its last parameter."""
    kind = ffi.typeof(call).args[len(arguments)]
    out = ffi.new(kind)
    check(call(*arguments, out))
    return out[0]


class World:
    """The handles by the name of their struct; `close` gives all of them back."""

    def __init__(self, name: str) -> None:
        self.name = name.encode()
        self.kept: list[Any] = []
        self.remote: list[int] = []
        self.handles: dict[str, Any] = {}
        self._make_devices()
        self._make_control_path()
        self._make_fast_path()
        self._make_endpoints()
        self._make_dpa()
        handles = self.handles
        handles["doca_ctx"] = lib.doca_comch_server_as_ctx(handles["doca_comch_server"])
        handles["doca_task"] = lib.doca_comch_task_send_as_task(handles["doca_comch_task_send"])

    # Callbacks, kept as long as the world

    def callback(self, name: str, function: Any = None) -> Any:
        """A C function of that callback type."""
        kind = ffi.typeof(f"{name} *") if ffi.typeof(f"{name} *").kind == "function" else ffi.typeof(f"{name} *").item
        nothing = 0 if kind.result.kind != "void" else None
        self.kept.append(ffi.callback(kind, function or (lambda *_: nothing)))
        return self.kept[-1]

    def progress_until(self, reached: Any) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not reached():
            assert time.monotonic() < deadline
            lib.doca_pe_progress(self.handles["doca_pe"])

    # Making

    def _make_devices(self) -> None:
        self.list, number = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
        check(lib.doca_devinfo_create_list(self.list, number))
        self.dpu, self.host = (made(lib.doca_dev_open, self.list[0][index]) for index in (0, 1))
        self.reps, number = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
        check(lib.doca_devinfo_rep_create_list(self.dpu, lib.DOCA_DEVINFO_REP_FILTER_ALL, self.reps, number))
        rep = made(lib.doca_dev_rep_open, self.reps[0][0])
        self.handles |= {"doca_devinfo": self.list[0][0], "doca_dev": self.dpu, "doca_dev_rep": rep}
        self.handles |= {"doca_devinfo_rep": self.reps[0][0], "doca_pe": made(lib.doca_pe_create)}
        self.handles |= {"doca_devinfo *": self.list[0], "doca_devinfo_rep *": self.reps[0]}

    def _make_control_path(self) -> None:
        handles = self.handles
        server = made(lib.doca_comch_server_create, self.dpu, handles["doca_dev_rep"], self.name)
        client = made(lib.doca_comch_client_create, self.host, self.name)
        handles |= {"doca_comch_server": server, "doca_comch_client": client}
        changed = self.callback("doca_comch_event_connection_status_changed_cb_t")
        check(lib.doca_comch_server_event_connection_status_changed_register(server, changed, changed))
        consumer = self.callback("doca_comch_event_consumer_cb_t", lambda event, connection, number: self._new(number))
        gone = self.callback("doca_comch_event_consumer_cb_t")
        for side in ("server", "client"):
            self._configure(side, handles[f"doca_comch_{side}"], consumer, gone)
        check(lib.doca_ctx_start(lib.doca_comch_server_as_ctx(server)))
        check(lib.doca_ctx_start(lib.doca_comch_client_as_ctx(client)), lib.DOCA_ERROR_IN_PROGRESS)
        ctx = lib.doca_comch_client_as_ctx(client)
        self.progress_until(lambda: made(lib.doca_ctx_get_state, ctx) == lib.DOCA_CTX_STATE_RUNNING)
        connection = handles["doca_comch_connection"] = made(lib.doca_comch_client_get_connection, client)
        handles["doca_comch_task_send"] = made(
            lib.doca_comch_client_task_send_alloc_init, client, connection, b"text", 4
        )

    def _configure(self, side: str, context: Any, consumer: Any, gone: Any) -> None:
        def call(name: str) -> Any:
            return getattr(lib, f"doca_comch_{side}_{name}")

        sent = self.callback("doca_comch_task_send_completion_cb_t")
        check(call("task_send_set_conf")(context, sent, sent, 16))
        check(call("event_msg_recv_register")(context, self.callback("doca_comch_event_msg_recv_cb_t")))
        check(call("event_consumer_register")(context, consumer, gone))
        check(lib.doca_pe_connect_ctx(self.handles["doca_pe"], call("as_ctx")(context)))

    def _new(self, number: int) -> None:
        self.remote.append(number)

    def _make_fast_path(self) -> None:
        handles = self.handles
        self.memory = ffi.new("char[]", 4096)
        mmap = handles["doca_mmap"] = made(lib.doca_mmap_create)
        check(lib.doca_mmap_add_dev(mmap, self.host))
        check(lib.doca_mmap_set_permissions(mmap, lib.DOCA_ACCESS_FLAG_PCI_READ_WRITE))
        check(lib.doca_mmap_set_memrange(mmap, self.memory, 4096))
        check(lib.doca_mmap_start(mmap))
        inventory = handles["doca_buf_inventory"] = made(lib.doca_buf_inventory_create, 8)
        check(lib.doca_buf_inventory_start(inventory))
        buf = made(lib.doca_buf_inventory_buf_get_by_addr, inventory, mmap, self.memory, 64)
        connection = handles["doca_comch_connection"]
        consumer = made(lib.doca_comch_consumer_create, connection, mmap)
        producer = made(lib.doca_comch_producer_create, connection)
        handles |= {"doca_buf": buf, "doca_comch_consumer": consumer, "doca_comch_producer": producer}
        for context, task, side in ((consumer, "task_post_recv", "consumer"), (producer, "task_send", "producer")):
            done = self.callback(f"doca_comch_{side}_{task}_completion_cb_t")
            check(getattr(lib, f"doca_comch_{side}_{task}_set_conf")(context, done, done, 4))
            ctx = getattr(lib, f"doca_comch_{side}_as_ctx")(context)
            check(lib.doca_pe_connect_ctx(handles["doca_pe"], ctx))
            check(lib.doca_ctx_start(ctx), lib.DOCA_ERROR_IN_PROGRESS)
            self.progress_until(lambda ctx=ctx: made(lib.doca_ctx_get_state, ctx) == lib.DOCA_CTX_STATE_RUNNING)
        self.progress_until(lambda: self.remote)
        recv = made(lib.doca_comch_consumer_task_post_recv_alloc_init, consumer, buf)
        send = made(lib.doca_comch_producer_task_send_alloc_init, producer, buf, b"now", 3, 1)
        handles |= {"doca_comch_consumer_task_post_recv": recv, "doca_comch_producer_task_send": send}

    def _make_endpoints(self) -> None:
        service, client = (made(lib.doca_comm_channel_ep_create) for _ in range(2))
        check(lib.doca_comm_channel_ep_set_device(service, self.dpu))
        check(lib.doca_comm_channel_ep_set_device_rep(service, self.handles["doca_dev_rep"]))
        check(lib.doca_comm_channel_ep_listen(service, self.name + b" old"))
        check(lib.doca_comm_channel_ep_set_device(client, self.host))
        peer = made(lib.doca_comm_channel_ep_connect, client, self.name + b" old")
        self.service = service
        self.handles |= {"doca_comm_channel_ep_t": client, "doca_comm_channel_addr_t": peer}

    def _make_dpa(self) -> None:
        handles = self.handles
        dpa = handles["doca_dpa"] = made(lib.doca_dpa_create, self.dpu)
        check(lib.doca_dpa_start(dpa))
        handles["doca_dpa_thread"] = made(lib.doca_dpa_thread_create, dpa)
        handles["doca_dpa_completion"] = made(lib.doca_dpa_completion_create, dpa, 4)
        handles["doca_comch_consumer_completion"] = made(lib.doca_comch_consumer_completion_create)
        handles["doca_comch_msgq"] = made(lib.doca_comch_msgq_create, self.dpu)

    # Giving back

    def close(self) -> None:
        """Give everything back in the order that the guide asks for."""
        handles = self.handles
        for task in ("doca_comch_consumer_task_post_recv", "doca_comch_producer_task_send", "doca_comch_task_send"):
            lib.doca_task_free(getattr(lib, f"{task}_as_task")(handles[task]))
        for side in ("consumer", "producer", "client", "server"):
            context = handles[f"doca_comch_{side}"]
            ctx = getattr(lib, f"doca_comch_{side}_as_ctx")(context)
            check(lib.doca_ctx_stop(ctx), lib.DOCA_ERROR_IN_PROGRESS)
            self.progress_until(lambda ctx=ctx: made(lib.doca_ctx_get_state, ctx) == lib.DOCA_CTX_STATE_IDLE)
            check(getattr(lib, f"doca_comch_{side}_destroy")(context))
        check(lib.doca_buf_dec_refcount(handles["doca_buf"], ffi.NULL))
        for tag in ("doca_buf_inventory", "doca_mmap", "doca_pe"):
            check(getattr(lib, f"{tag}_destroy")(handles[tag]))
        for endpoint in (handles["doca_comm_channel_ep_t"], self.service):
            check(lib.doca_comm_channel_ep_destroy(endpoint))
        for tag in ("doca_comch_msgq", "doca_comch_consumer_completion", "doca_dpa_completion", "doca_dpa_thread"):
            check(getattr(lib, f"{tag}_destroy")(handles[tag]))
        check(lib.doca_dpa_stop(handles["doca_dpa"]))
        check(lib.doca_dpa_destroy(handles["doca_dpa"]))
        check(lib.doca_dev_rep_close(handles["doca_dev_rep"]))
        check(lib.doca_devinfo_rep_destroy_list(self.reps[0]))
        check(lib.doca_devinfo_destroy_list(self.list[0]))
        for device in (self.dpu, self.host):
            check(lib.doca_dev_close(device))
