"""The noun Contexts of the driver protocol: calls for every context, and those that servers and clients share."""

from typing import Any, TypeVar

from comch_next._codes import State
from comch_next.driver.emulated._checks import expect, expect_callback, expect_number, in_state
from comch_next.driver.emulated._context import Callback, Context
from comch_next.driver.emulated._control import ControlContext
from comch_next.driver.emulated._device import Dev
from comch_next.errors import BadState, InvalidValue

__all__ = ["Contexts", "living"]

_C = TypeVar("_C", bound=Context)


def living(ctx: object, kind: type[_C], call: str) -> _C:
    """The context behind the handle; one that has been destroyed is INVALID_VALUE, as NULL is."""
    context = expect(ctx, kind, call)
    if context.watch.closed:
        raise InvalidValue(f"{call}: {context} has been destroyed; make another")
    return context


class Contexts:
    """The noun Contexts of the driver protocol, and the configuration that both kinds share."""

    def start(self, ctx: object) -> State:
        return expect(ctx, Context, "ctx_start").start()

    def stop(self, ctx: object) -> State:
        return expect(ctx, Context, "ctx_stop").stop()

    def destroy(self, ctx: object) -> None:
        living(ctx, Context, "destroy").destroy()

    def get_state(self, ctx: object) -> State:
        return expect(ctx, Context, "ctx_get_state").state

    def set_user_data(self, ctx: object, user_data: object) -> None:
        expect(ctx, Context, "ctx_set_user_data").user_data = user_data

    def get_user_data(self, ctx: object) -> Any:
        return expect(ctx, Context, "ctx_get_user_data").user_data

    def set_state_changed_cb(self, ctx: object, callback: Callback) -> None:
        context = living(ctx, Context, "ctx_set_state_changed_cb")
        expect_callback(callback, "ctx_set_state_changed_cb")
        context.state_changed = callback

    def get_num_inflight_tasks(self, ctx: object) -> int:
        return expect(ctx, Context, "ctx_get_num_inflight_tasks").inflight()

    def flush_tasks(self, ctx: object) -> None:
        if expect(ctx, Context, "ctx_flush_tasks").state is State.IDLE:
            raise BadState("ctx_flush_tasks was attempted on an IDLE context; start it first")

    def get_device(self, ctx: object) -> Dev:
        return expect(ctx, Context, "get_device").dev

    def set_max_msg_size(self, ctx: object, size: int) -> None:
        context = living(ctx, ControlContext, "set_max_msg_size")
        in_state(context, "set_max_msg_size")
        context.max_msg_size = expect_number(size, context.dev.info.row.limits.max_msg_size, "set_max_msg_size")

    def get_max_msg_size(self, ctx: object) -> int:
        return expect(ctx, ControlContext, "get_max_msg_size").msg_size()

    def set_recv_queue_size(self, ctx: object, size: int) -> None:
        context = living(ctx, ControlContext, "set_recv_queue_size")
        in_state(context, "set_recv_queue_size")
        most = context.dev.info.row.limits.max_queue_size
        context.recv_queue_size = expect_number(size, most, "set_recv_queue_size")

    def get_recv_queue_size(self, ctx: object) -> int:
        return expect(ctx, ControlContext, "get_recv_queue_size").recv_queue_size

    def task_send_set_conf(self, ctx: object, done: Callback, failed: Callback, num_send_tasks: int) -> None:
        context = living(ctx, ControlContext, "task_send_set_conf")
        in_state(context, "task_send_set_conf")
        expect_callback(done, "task_send_set_conf")
        expect_callback(failed, "task_send_set_conf")
        most = context.dev.info.row.limits.max_send_tasks
        context.num_tasks = expect_number(num_send_tasks, most, "task_send_set_conf")
        context.done, context.failed = done, failed

    def event_msg_recv_register(self, ctx: object, on_message: Callback, view: bool) -> None:
        context = living(ctx, ControlContext, "event_msg_recv_register")
        in_state(context, "event_msg_recv_register")
        expect_callback(on_message, "event_msg_recv_register")
        context.on_message, context.view = on_message, view

    def event_consumer_register(self, ctx: object, new: Callback, expired: Callback) -> None:
        context = living(ctx, ControlContext, "event_consumer_register")
        in_state(context, "event_consumer_register")
        expect_callback(new, "event_consumer_register")
        expect_callback(expired, "event_consumer_register")
        context.new_consumer, context.expired_consumer = new, expired
