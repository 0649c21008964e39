"""The control path: who the peer is, and the labels of the parcels."""

from __future__ import annotations

import json

from doca_cc import (
    DOCA_CTX_STATE_IDLE,
    DOCA_CTX_STATE_RUNNING,
    DOCA_DEVINFO_REP_FILTER_NET,
    DOCA_SUCCESS,
    doca_cc_client_as_ctx,
    doca_cc_client_create,
    doca_cc_client_destroy,
    doca_cc_client_event_consumer_register,
    doca_cc_client_event_msg_recv_register,
    doca_cc_client_get_connection,
    doca_cc_client_send_task_alloc_init,
    doca_cc_client_send_task_set_conf,
    doca_cc_send_task_as_task,
    doca_cc_server_as_ctx,
    doca_cc_server_create,
    doca_cc_server_destroy,
    doca_cc_server_event_connection_register,
    doca_cc_server_event_consumer_register,
    doca_cc_server_event_msg_recv_register,
    doca_cc_server_send_task_alloc_init,
    doca_cc_server_send_task_set_conf,
    doca_ctx_get_state,
    doca_ctx_start,
    doca_ctx_stop,
    doca_dev_close,
    doca_dev_open,
    doca_dev_rep_close,
    doca_dev_rep_open,
    doca_devinfo_create_list,
    doca_devinfo_destroy_list,
    doca_devinfo_is_equal_pci_addr,
    doca_devinfo_rep_create_list,
    doca_devinfo_rep_destroy_list,
    doca_pe_connect_ctx,
    doca_pe_create,
    doca_pe_destroy,
    doca_pe_progress,
    doca_task_free,
    doca_task_submit,
)

from .errors import ParcelError, check

LOG_TASKS = 2


class Link:
    """What both sides share."""

    PCI: str

    def __init__(self, name: str) -> None:
        self.name = name
        self.labels: list[dict] = []
        self.consumer_id: int | None = None
        self.peer = None
        self.dev = self._open()
        rc, self.pe = doca_pe_create()
        check(rc, "pe_create")

    def _open(self):
        rc, infos, _ = doca_devinfo_create_list()
        check(rc, "devinfo_create_list")
        for info in infos:
            if doca_devinfo_is_equal_pci_addr(info, self.PCI) == (DOCA_SUCCESS, 1):
                rc, dev = doca_dev_open(info)
                check(rc, "dev_open")
                check(doca_devinfo_destroy_list(infos), "devinfo_destroy_list")
                return dev
        raise ParcelError("no device at " + self.PCI)

    def turn(self) -> None:
        doca_pe_progress(self.pe)

    def wait(self, condition) -> None:
        while not condition():
            self.turn()

    def state_of(self, ctx) -> int:
        rc, state = doca_ctx_get_state(ctx)
        check(rc, "get_state")
        return state

    def start(self, ctx) -> None:
        check(doca_pe_connect_ctx(self.pe, ctx), "connect_ctx")
        check(doca_ctx_start(ctx), "start", in_progress=True)
        self.wait(lambda: self.state_of(ctx) == DOCA_CTX_STATE_RUNNING)

    def stop(self, ctx) -> None:
        check(doca_ctx_stop(ctx), "stop", in_progress=True)
        self.wait(lambda: self.state_of(ctx) == DOCA_CTX_STATE_IDLE)

    def on_sent(self, task, task_user_data, ctx_user_data) -> None:
        doca_task_free(doca_cc_send_task_as_task(task))

    def on_label(self, event, recv_buffer, msg_len, connection) -> None:
        self.labels.append(json.loads(recv_buffer[:msg_len]))

    def on_consumer(self, event, connection, consumer_id) -> None:
        self.consumer_id = consumer_id

    def on_consumer_expired(self, event, connection, consumer_id) -> None:
        self.consumer_id = None

    def label(self, **fields) -> None:
        text = json.dumps(fields).encode()
        rc, task = self.allocate(text)
        check(rc, "send_task_alloc_init")
        check(doca_task_submit(doca_cc_send_task_as_task(task)), "submit")

    def close(self) -> None:
        check(doca_pe_destroy(self.pe), "pe_destroy")
        check(doca_dev_close(self.dev), "dev_close")


class Dpu(Link):
    PCI = "03:00.0"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.left = False
        rc, reps, _ = doca_devinfo_rep_create_list(self.dev, DOCA_DEVINFO_REP_FILTER_NET)
        check(rc, "rep_create_list")
        rc, self.rep = doca_dev_rep_open(reps[0])
        check(rc, "rep_open")
        check(doca_devinfo_rep_destroy_list(reps), "rep_destroy_list")
        rc, self.server = doca_cc_server_create(self.dev, self.rep, name)
        check(rc, "server_create")
        self.ctx = doca_cc_server_as_ctx(self.server)
        check(doca_cc_server_send_task_set_conf(self.server, self.on_sent, self.on_sent, LOG_TASKS), "conf")
        check(doca_cc_server_event_msg_recv_register(self.server, self.on_label), "msg_recv")
        check(doca_cc_server_event_connection_register(self.server, self.on_peer, self.on_peer_left), "connection")
        check(
            doca_cc_server_event_consumer_register(self.server, self.on_consumer, self.on_consumer_expired), "consumer"
        )
        self.start(self.ctx)

    def allocate(self, text: bytes):
        return doca_cc_server_send_task_alloc_init(self.server, self.peer, text, len(text))

    def on_peer(self, event, connection, successful) -> None:
        self.peer = connection

    def on_peer_left(self, event, connection, successful) -> None:
        self.left = True

    def close(self) -> None:
        self.wait(lambda: self.left)
        self.stop(self.ctx)
        check(doca_cc_server_destroy(self.server), "server_destroy")
        check(doca_dev_rep_close(self.rep), "rep_close")
        super().close()


class Host(Link):
    PCI = "b1:00.0"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        rc, self.client = doca_cc_client_create(self.dev, name)
        check(rc, "client_create")
        self.ctx = doca_cc_client_as_ctx(self.client)
        check(doca_cc_client_send_task_set_conf(self.client, self.on_sent, self.on_sent, LOG_TASKS), "conf")
        check(doca_cc_client_event_msg_recv_register(self.client, self.on_label), "msg_recv")
        check(
            doca_cc_client_event_consumer_register(self.client, self.on_consumer, self.on_consumer_expired), "consumer"
        )
        self.start(self.ctx)
        rc, self.peer = doca_cc_client_get_connection(self.client)
        check(rc, "get_connection")

    def allocate(self, text: bytes):
        return doca_cc_client_send_task_alloc_init(self.client, self.peer, text, len(text))

    def close(self) -> None:
        self.stop(self.ctx)
        check(doca_cc_client_destroy(self.client), "client_destroy")
        super().close()
