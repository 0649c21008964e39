"""cc_ctrl_path_server: one client sends a text, the server answers with its own, as the guide describes it."""

import argparse
from types import SimpleNamespace

import doca_cc as cc
from doca_cc import DocaError

NAME = "cc_ctrl_path_sample_server"
MAX_MSG_SIZE = 4080
QUEUE = 10
SEND_TASKS = 1024


def send_done(task, task_user_data, ctx_user_data):
    print("message sent")
    ctx_user_data.result = task.as_task().get_status()
    task.as_task().free()


def send_failed(task, task_user_data, ctx_user_data):
    objects = ctx_user_data
    objects.result = task.as_task().get_status()
    print("message failed with", cc.code_name(objects.result))
    task.as_task().free()
    objects.ctx.stop()


def on_message(event, recv_buffer, msg_len, cc_connection):
    server = cc_connection.get_server_ctx()
    objects = server.as_ctx().get_user_data()
    print("Message received: '%s'" % recv_buffer[:msg_len].decode())
    task = server.task_send_alloc_init(cc_connection, objects.text, len(objects.text))
    task.as_task().submit()


def on_connected(event, cc_connection, change_successful):
    objects = cc_connection.get_server_ctx().as_ctx().get_user_data()
    if not change_successful:
        print("connection failed")
        return
    cc_connection.set_user_data({"number": objects.connections})
    objects.connections += 1
    print("connected, total", objects.connections)


def on_disconnected(event, cc_connection, change_successful):
    objects = cc_connection.get_server_ctx().as_ctx().get_user_data()
    objects.connections -= 1
    print("disconnected", cc_connection.get_user_data()["number"])
    objects.ctx.stop()


def on_state(user_data, ctx, prev_state, next_state):
    print("state", int(prev_state), "->", int(next_state), user_data.ctx is ctx)
    if next_state == cc.DOCA_CTX_STATE_IDLE:
        user_data.finish = True


def start(objects, pci, rep_pci):
    objects.dev = cc.open_device(pci)
    objects.rep = objects.dev.open_representor(rep_pci)
    objects.pe = cc.ProgressEngine()
    objects.server = cc.Server(objects.dev, objects.rep, NAME)
    objects.ctx = objects.server.as_ctx()
    objects.pe.connect_ctx(objects.ctx)
    objects.ctx.set_state_changed_cb(on_state)
    objects.server.task_send_set_conf(send_done, send_failed, SEND_TASKS)
    objects.server.event_msg_recv_register(on_message)
    objects.server.event_connection_register(on_connected, on_disconnected)
    objects.server.set_max_msg_size(MAX_MSG_SIZE)
    objects.server.set_recv_queue_size(QUEUE)
    objects.ctx.set_user_data(objects)
    objects.ctx.start()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--pci-addr", default="03:00.0")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0")
    parser.add_argument("-t", "--text", default="Message from the server")
    args = parser.parse_args()
    objects = SimpleNamespace(text=args.text.encode(), connections=0, finish=False, result=None)
    try:
        start(objects, args.pci_addr, args.rep_pci)
        print("listening", flush=True)
        while not objects.finish:
            objects.pe.progress()
    except DocaError as error:
        print("failed:", error.name)
        return 1
    objects.server.destroy()
    objects.pe.destroy()
    objects.rep.close()
    objects.dev.close()
    print("result", cc.code_name(objects.result))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
