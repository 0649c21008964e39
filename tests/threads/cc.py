"""Generation 2 in objects, as threads and interrupts attack it."""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import Any

import comm_channel_compat.cc
from comch_next import BadState, InvalidValue, State
from tests.threads.face import DATA, DPU, HOST, Call, End, Face, give_back, ignore, leave

cc: Any = comm_channel_compat.cc  # it makes the C names at import, where mypy cannot see them


def _free(task: Any, *_: object) -> None:
    task.as_task().free()


def _task(end: End) -> Any:
    return end.context.task_send_alloc_init(end.connection, DATA)


def _stop(end: End) -> None:
    context = end.context.as_ctx()
    leave(context.stop, context.get_state, end.engine.progress)


def _start_again(end: End) -> None:
    _stop(end)
    end.context.as_ctx().start()


def _destroy(end: End) -> None:
    _stop(end)
    end.context.destroy()


class Generation2(Face):
    """Contexts with callbacks, moved by their engines."""

    calls: dict[str, Call] = {
        "submit": lambda end: _task(end).as_task().submit(),
        "alloc and free": lambda end: _task(end).as_task().free(),
        "progress": lambda end: end.engine.progress(),
        "notification": lambda end: (
            end.engine.request_notification(),
            end.engine.clear_notification(end.engine.get_notification_handle()),
        ),
        "state": lambda end: (end.context.as_ctx().get_state(), repr(end.context)),
        "in flight": lambda end: end.context.as_ctx().get_num_inflight_tasks(),
        "get": lambda end: (end.context.get_max_msg_size(), end.context.get_recv_queue_size()),
        "set": lambda end: end.context.set_max_msg_size(4080),
        "start": lambda end: end.context.as_ctx().start(),
        "counter": lambda end: end.connection.get_counter(cc.DOCA_CC_COUNTER_SENT_BYTES),
        "user data": lambda end: (end.connection.set_user_data(1), end.connection.get_user_data()),
    }
    ends: dict[str, Call] = {"stop": _stop, "stop and start": _start_again, "destroy": _destroy}

    def make(self, *, server: bool) -> End:
        end = End(server=server)
        end.device = cc.open_device(DPU if server else HOST)
        end.engine = cc.ProgressEngine()
        if server:
            end.representor = end.device.open_representor(HOST)
            end.context = cc.Server(end.device, end.representor, "svc")

            def came(event: object, connection: Any, ok: bool) -> None:
                end.connection = connection

            end.context.event_connection_register(came, ignore)
        else:
            end.context = cc.Client(end.device, "svc")
        end.context.task_send_set_conf(_free, _free, 16)
        end.context.event_msg_recv_register(ignore)
        end.engine.connect_ctx(end.context.as_ctx())
        return end

    def open(self, end: End) -> None:
        end.context.as_ctx().start()

    def move(self, end: End) -> None:
        end.engine.progress()

    def is_up(self, end: End) -> bool:
        end.engine.progress()
        if not end.is_server and end.context.as_ctx().get_state() is State.RUNNING:
            end.connection = end.context.get_connection()
        return end.connection is not None

    def close(self, end: End) -> None:
        with suppress(InvalidValue):  # it has been destroyed
            if end.context.as_ctx().get_state() is not State.IDLE:
                with suppress(BadState):  # it is on its way there
                    end.context.as_ctx().stop()
                gc.collect()  # tasks that an interrupted call has dropped lie in circles
                while end.context.as_ctx().get_state() is not State.IDLE:
                    end.engine.progress()
            end.context.destroy()
        end.engine.destroy()
        give_back(end)
