"""Tiny key/value daemon and its client, on doca_cc 2.6 as a class per role."""
import json
import sys

from doca_cc import (
    DOCA_CTX_STATE_IDLE,
    DOCA_CTX_STATE_RUNNING,
    DOCA_ERROR_IN_PROGRESS,
    DOCA_SUCCESS,
    doca_cc_cap_get_max_msg_size,
    doca_cc_client_as_ctx,
    doca_cc_client_create,
    doca_cc_client_destroy,
    doca_cc_client_event_msg_recv_register,
    doca_cc_client_get_connection,
    doca_cc_client_task_send_alloc_init,
    doca_cc_client_task_send_set_conf,
    doca_cc_connection_get_user_data,
    doca_cc_connection_set_user_data,
    doca_cc_server_as_ctx,
    doca_cc_server_create,
    doca_cc_server_destroy,
    doca_cc_server_event_connection_register,
    doca_cc_server_event_msg_recv_register,
    doca_cc_server_get_server_ctx,
    doca_cc_server_set_max_msg_size,
    doca_cc_server_task_send_alloc_init,
    doca_cc_server_task_send_set_conf,
    doca_cc_task_send_as_task,
    doca_ctx_get_state,
    doca_ctx_get_user_data,
    doca_ctx_set_state_changed_cb,
    doca_ctx_set_user_data,
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
    doca_error_get_name,
    doca_pe_connect_ctx,
    doca_pe_create,
    doca_pe_destroy,
    doca_pe_progress,
    doca_task_free,
    doca_task_get_status,
    doca_task_submit,
)


class DocaError(Exception):
    def __init__(self, rc, what):
        super().__init__(f"{what}: {doca_error_get_name(rc)}")
        self.rc = rc


def ok(rc, what=""):
    if rc != DOCA_SUCCESS:
        raise DocaError(rc, what)


class Base:
    """Progress engine, device and context of one end."""

    bdf = ""

    def __enter__(self):
        rc, self.pe = doca_pe_create()
        ok(rc, "pe")
        rc, infos, count = doca_devinfo_create_list()
        ok(rc, "devices")
        self.dev = None
        for info in infos:
            rc, equal = doca_devinfo_is_equal_pci_addr(info, self.bdf)
            if rc == DOCA_SUCCESS and equal:
                rc, self.dev = doca_dev_open(info)
                ok(rc, "open")
                rc, self.limit = doca_cc_cap_get_max_msg_size(info)
                ok(rc, "limit")
        ok(doca_devinfo_destroy_list(infos))
        self.open()
        ok(doca_pe_connect_ctx(self.pe, self.ctx), "pe connect")
        ok(doca_ctx_set_user_data(self.ctx, self))
        ok(doca_ctx_set_state_changed_cb(self.ctx, self.changed))
        rc = doca_ctx_start(self.ctx)
        if rc != DOCA_ERROR_IN_PROGRESS:
            ok(rc, "start")
        return self

    def __exit__(self, *exc):
        rc = doca_ctx_stop(self.ctx)
        if rc not in (DOCA_SUCCESS, DOCA_ERROR_IN_PROGRESS):
            raise DocaError(rc, "stop")
        while doca_ctx_get_state(self.ctx)[1] != DOCA_CTX_STATE_IDLE:
            doca_pe_progress(self.pe)
        self.close()
        ok(doca_pe_destroy(self.pe), "pe")
        ok(doca_dev_close(self.dev), "close")

    def until(self, condition):
        while not condition():
            doca_pe_progress(self.pe)

    @staticmethod
    def changed(user_data, ctx, before, after):
        if after == DOCA_CTX_STATE_RUNNING:
            print(type(user_data).__name__, "runs", flush=True)

    @staticmethod
    def sent(task, task_data, ctx_data):
        doca_task_free(doca_cc_task_send_as_task(task))

    @staticmethod
    def failed(task, task_data, ctx_data):
        base = doca_cc_task_send_as_task(task)
        print("lost:", doca_error_get_name(doca_task_get_status(base)))
        doca_task_free(base)


class Server(Base):
    bdf = "03:00.0"

    def open(self):
        rc, infos, count = doca_devinfo_rep_create_list(self.dev, 2)
        ok(rc, "representors")
        rc, self.rep = doca_dev_rep_open(infos[0])
        ok(rc, "representor")
        ok(doca_devinfo_rep_destroy_list(infos))
        rc, self.server = doca_cc_server_create(self.dev, self.rep, "kv26")
        ok(rc, "server")
        self.ctx = doca_cc_server_as_ctx(self.server)
        self.store, self.clients, self.seen = {}, 0, 0
        ok(doca_cc_server_set_max_msg_size(self.server, min(self.limit, 2048)))
        ok(doca_cc_server_task_send_set_conf(self.server, self.sent, self.failed, 32))
        ok(doca_cc_server_event_msg_recv_register(self.server, self.request))
        ok(doca_cc_server_event_connection_register(self.server, self.joined, self.gone))

    def close(self):
        ok(doca_cc_server_destroy(self.server), "destroy")
        ok(doca_dev_rep_close(self.rep), "rep")

    def joined(self, event, connection, successful):
        self.clients += 1
        self.seen += 1
        ok(doca_cc_connection_set_user_data(connection, f"client {self.seen}"))

    def gone(self, event, connection, successful):
        self.clients -= 1

    @staticmethod
    def request(event, data, size, connection):
        server = doca_cc_server_get_server_ctx(connection)
        rc, self = doca_ctx_get_user_data(doca_cc_server_as_ctx(server))
        ok(rc)
        who = doca_cc_connection_get_user_data(connection)
        message = json.loads(data)
        if "value" in message:
            self.store[message["key"]] = message["value"]
            answer = {"by": who, "stored": len(self.store)}
        else:
            answer = {"by": who, "value": self.store.get(message["key"])}
        text = json.dumps(answer).encode()
        rc, task = doca_cc_server_task_send_alloc_init(server, connection, text, len(text))
        ok(rc, "answer")
        ok(doca_task_submit(doca_cc_task_send_as_task(task)), "submit")


class Client(Base):
    bdf = "b1:00.0"

    def open(self):
        rc, self.client = doca_cc_client_create(self.dev, "kv26")
        ok(rc, "client")
        self.ctx = doca_cc_client_as_ctx(self.client)
        self.answers = []
        ok(doca_cc_client_task_send_set_conf(self.client, self.sent, self.failed, 4))
        ok(doca_cc_client_event_msg_recv_register(self.client, lambda e, data, n, c: self.answers.append(json.loads(data))))

    def close(self):
        ok(doca_cc_client_destroy(self.client), "destroy")

    def ask(self, **message):
        self.until(lambda: doca_ctx_get_state(self.ctx)[1] == DOCA_CTX_STATE_RUNNING)
        rc, connection = doca_cc_client_get_connection(self.client)
        ok(rc, "connection")
        text = json.dumps(message).encode()
        rc, task = doca_cc_client_task_send_alloc_init(self.client, connection, text, len(text))
        ok(rc, "request")
        ok(doca_task_submit(doca_cc_task_send_as_task(task)), "submit")
        self.until(lambda: self.answers)
        return self.answers.pop()


if __name__ == "__main__":
    if "serve" in sys.argv:
        with Server() as server:
            print("listening", flush=True)
            server.until(lambda: server.seen and not server.clients)
            print(server.store)
    else:
        with Client() as client:
            print(client.ask(key="a", value=1))
            print(client.ask(key="b", value=[2, 3]))
            print(client.ask(key="a"))
            print(client.ask(key="z"))
            try:
                client.ask(key="x" * 4000)
            except DocaError as error:
                print(error)
