"""A server and a client of generation 2 in one process, in the C names: what the tests of doca_cc stand on."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

import comm_channel_compat.cc
from tests.processes import SOON_S

__all__ = ["World", "cc", "ignore", "okay"]

cc: Any = comm_channel_compat.cc  # it makes the C names at import, where mypy cannot see them

TASKS, BUF_SIZE = 4, 4096


def ignore(*_: object) -> None:
    """A callback of no interest."""


def okay(answer: Any) -> Any:
    """The outputs of a call that must succeed."""
    code, *outputs = answer if isinstance(answer, tuple) else (answer,)
    assert code in (cc.DOCA_SUCCESS, cc.DOCA_ERROR_IN_PROGRESS), cc.doca_error_get_name(code)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


class World:
    """Everything is made when first asked for; `close` takes it all down."""

    def __init__(self, have_devices: Callable[[str], object] = ignore) -> None:
        self.have_devices = have_devices  # make every device have a fault from here on
        self.connections: list[Any] = []
        self.consumer_ids: list[int] = []
        self.messages: list[bytes] = []
        self._contexts: list[tuple[Any, Any, str]] = []  # object, context, noun; those made last first
        self.buffer = bytearray(BUF_SIZE)

    # What it is made of

    @cached_property
    def pe(self) -> Any:
        return okay(cc.doca_pe_create())

    @cached_property
    def dpu(self) -> Any:
        return cc.open_device("03:00.0")

    @cached_property
    def host(self) -> Any:
        return cc.open_device("b1:00.0")

    @cached_property
    def rep(self) -> Any:
        return self.dpu.open_representor("b1:00.0")

    @cached_property
    def server(self) -> Any:
        """A complete server, IDLE."""
        server = okay(cc.doca_cc_server_create(self.dpu, self.rep, "svc"))
        self._take("server", server)
        okay(cc.doca_cc_server_task_send_set_conf(server, self.sent, self.sent, TASKS))
        okay(cc.doca_cc_server_event_msg_recv_register(server, self.received))
        okay(cc.doca_cc_server_event_connection_register(server, self.connected, ignore))
        okay(cc.doca_cc_server_event_consumer_register(server, self.new_consumer, ignore))
        return server

    @cached_property
    def client(self) -> Any:
        """A complete client, IDLE."""
        client = okay(cc.doca_cc_client_create(self.host, "svc"))
        self._take("client", client)
        okay(cc.doca_cc_client_task_send_set_conf(client, self.sent, self.sent, TASKS))
        okay(cc.doca_cc_client_event_msg_recv_register(client, self.received))
        okay(cc.doca_cc_client_event_consumer_register(client, self.new_consumer, ignore))
        return client

    def _take(self, noun: str, made: Any) -> None:
        ctx = getattr(cc, f"doca_cc_{noun}_as_ctx")(made)
        self._contexts.insert(0, (made, ctx, noun))
        okay(cc.doca_pe_connect_ctx(self.pe, ctx))

    # The callbacks

    def sent(self, task: Any, task_user_data: Any, ctx_user_data: Any) -> None:
        cc.doca_task_free(task.as_task())

    def received(self, event: Any, recv_buffer: bytes, msg_len: int, connection: Any) -> None:
        assert len(recv_buffer) == msg_len
        self.messages.append(recv_buffer)

    def connected(self, event: Any, connection: Any, change_successful: int) -> None:
        self.connections.append(connection)

    def new_consumer(self, event: Any, connection: Any, number: int) -> None:
        self.consumer_ids.append(number)

    # Its life

    def until(self, condition: Callable[[], object]) -> None:
        """Progress until it holds."""
        end = time.monotonic() + SOON_S
        while not condition():
            cc.doca_pe_progress(self.pe)
            assert time.monotonic() < end

    def state(self, made: Any) -> int:
        return int(okay(cc.doca_ctx_get_state(made.as_ctx())))

    def running(self, made: Any) -> Any:
        """Start a context, and progress until it is RUNNING. A client needs its server."""
        if made is vars(self).get("client"):
            self.running(self.server)
        if self.state(made) == cc.DOCA_CTX_STATE_IDLE:
            okay(cc.doca_ctx_start(made.as_ctx()))
            self.until(lambda: self.state(made) == cc.DOCA_CTX_STATE_RUNNING)
        return made

    def starting(self) -> Any:
        """The client's connection, which the server has not accepted yet."""
        self.running(self.server)
        okay(cc.doca_ctx_start(self.client.as_ctx()))
        return okay(cc.doca_cc_client_get_connection(self.client))

    @cached_property
    def connection(self) -> Any:
        """The client's connection, which is up."""
        self.running(self.client)
        self.until(lambda: self.connections)
        return okay(cc.doca_cc_client_get_connection(self.client))

    def dead(self) -> Any:
        """The client's connection, whose server has left."""
        connection = self.connection
        okay(cc.doca_ctx_stop(self.server.as_ctx()))
        self.until(lambda: self.state(self.client) == cc.DOCA_CTX_STATE_IDLE)
        return connection

    # The fast path: the consumer on the client's connection, the producer on the server's

    @cached_property
    def mmap(self) -> Any:
        mmap = okay(cc.doca_mmap_create())
        okay(cc.doca_mmap_set_max_num_devices(mmap, 2))
        for dev in (self.host, self.dpu):
            okay(cc.doca_mmap_add_dev(mmap, dev))
        okay(cc.doca_mmap_set_permissions(mmap, cc.DOCA_ACCESS_FLAG_PCI_READ_WRITE))
        okay(cc.doca_mmap_set_memrange(mmap, self.buffer, BUF_SIZE))
        okay(cc.doca_mmap_start(mmap))
        return mmap

    @cached_property
    def inventory(self) -> Any:
        inventory = okay(cc.doca_buf_inventory_create(2 * TASKS))
        okay(cc.doca_buf_inventory_start(inventory))
        return inventory

    def buf(self, offset: int = 0, data: bytes = b"") -> Any:
        """A buffer over 1 KiB of the map: to receive into, or with data to send."""
        address = okay(cc.doca_mmap_get_memrange(self.mmap))[0] + offset
        if not data:
            return okay(cc.doca_buf_inventory_buf_get_by_addr(self.inventory, self.mmap, address, 1024))
        self.buffer[offset : offset + len(data)] = data
        return okay(cc.doca_buf_inventory_buf_get_by_data(self.inventory, self.mmap, address, len(data)))

    @cached_property
    def consumer(self) -> Any:
        """A complete consumer, IDLE."""
        consumer = okay(cc.doca_cc_consumer_create(self.connection, self.mmap))
        self._take("consumer", consumer)
        okay(cc.doca_cc_consumer_task_post_recv_set_conf(consumer, ignore, ignore, TASKS))
        return consumer

    @cached_property
    def producer(self) -> Any:
        """A complete producer, IDLE."""
        connection = self.connection and self.connections[0]
        producer = okay(cc.doca_cc_producer_create(connection))
        self._take("producer", producer)
        okay(cc.doca_cc_producer_task_send_set_conf(producer, ignore, ignore, TASKS))
        return producer

    # Its end

    def close(self) -> None:
        for made, ctx, noun in self._contexts:
            if cc.doca_ctx_stop(ctx) != cc.DOCA_ERROR_BAD_STATE:
                self.until(lambda made=made: self.state(made) == cc.DOCA_CTX_STATE_IDLE)  # type: ignore[misc]
            okay(getattr(cc, f"doca_cc_{noun}_destroy")(made))
        made = vars(self)
        for name, destroy in (("mmap", "doca_mmap_destroy"), ("pe", "doca_pe_destroy")):
            if name in made:
                okay(getattr(cc, destroy)(made[name]))
        for name in ("rep", "dpu", "host"):
            if name in made:
                made[name].close()
