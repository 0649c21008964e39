"""Checks of message queues and kernels (guide: Comch, MsgQ and DPA). A driver without kernels in Python skips them."""

import threading
from collections.abc import Callable
from types import SimpleNamespace

from comch_next._codes import ErrorCode
from comch_next.dpa import Dpa
from comch_next.dpa.dev import (
    CompletionType,
    doca_dpa_dev_comch_consumer_ack,
    doca_dpa_dev_comch_consumer_completion_ack,
    doca_dpa_dev_comch_consumer_completion_request_notification,
    doca_dpa_dev_comch_consumer_get_completion,
    doca_dpa_dev_comch_consumer_get_completion_imm,
    doca_dpa_dev_comch_consumer_get_completion_producer_id,
    doca_dpa_dev_comch_producer_is_consumer_empty,
    doca_dpa_dev_comch_producer_post_send_imm_only,
    doca_dpa_dev_completion_ack,
    doca_dpa_dev_get_completion,
    doca_dpa_dev_get_completion_type,
    doca_dpa_dev_get_completion_user_data,
    doca_dpa_dev_thread_reschedule,
)
from comch_next.errors import Again, NotSupported
from comch_next.testing._lane import DPA_DEPTH, RECEIVES, Lane
from comch_next.testing._pair import Maker
from comch_next.testing._side import Side
from comch_next.testing._waiting import Skipped, expect, refused

_MOST = 32  # bytes of a message


def _lacking(side: Side) -> str:
    """Why the side's driver runs no kernels, or nothing."""
    try:
        Dpa(side.device).destroy()
    except NotSupported as error:
        return str(error)
    return ""


def _on_a_side(make: Maker, scene: Callable[[Side, float], None]) -> None:
    """Run a scene where a side lives: a message queue needs no peer."""
    with make(connect=False) as pair:
        if why := pair.server.run(_lacking):
            raise Skipped(why)
        pair.server.run(scene, pair.timeout)


def _take(arg: SimpleNamespace) -> tuple[bytes, int] | None:
    """In a kernel: the next message and its producer; its receive is posted again."""
    if not arg.posted:
        arg.posted = True
        doca_dpa_dev_comch_consumer_ack(arg.consumer, DPA_DEPTH)
    found, element = doca_dpa_dev_comch_consumer_get_completion(arg.completion)
    if not found:
        return None
    imm, length = doca_dpa_dev_comch_consumer_get_completion_imm(element)
    taken = bytes(imm[:length]), doca_dpa_dev_comch_consumer_get_completion_producer_id(element)
    doca_dpa_dev_comch_consumer_completion_ack(arg.completion, 1)
    doca_dpa_dev_comch_consumer_ack(arg.consumer, 1)
    return taken


def _echo(arg: SimpleNamespace) -> None:
    """A kernel: send back what comes, and note who sent it and how its own sends complete."""
    while (taken := _take(arg)) is not None:
        message, producer = taken
        while doca_dpa_dev_comch_producer_is_consumer_empty(arg.producer, arg.cpu) and not arg.over:
            pass
        doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, message, len(message), 1)
        while not (completion := doca_dpa_dev_get_completion(arg.sent))[0]:
            if arg.over:
                return
        kind = doca_dpa_dev_get_completion_type(completion[1])
        told = doca_dpa_dev_get_completion_user_data(completion[1])
        doca_dpa_dev_completion_ack(arg.sent, 1)
        arg.notes.append((producer, kind, told))
    doca_dpa_dev_comch_consumer_completion_request_notification(arg.completion)
    doca_dpa_dev_thread_reschedule()


def _send(lane: Lane, message: bytes) -> None:
    """Send to the kernel, once it has posted a receive."""
    lane.engine.progress()
    task = lane.producer.task_send_alloc_init(None, message, lane.dpa_consumer.id)

    def accepted() -> bool:
        try:
            task.submit()
        except Again:
            return False
        return True

    lane.wait_until(accepted, True, "whether the kernel takes a message")


def _both_ways(side: Side, timeout: float) -> None:
    with Lane(side.device, _echo, timeout, side.driver) as lane:
        lane.thread.run()
        sent = [bytes([number]) * (number % _MOST + 1) for number in range(2 * _MOST)]
        for message in sent:
            _send(lane, message)
            agreed = "whether the kernel and this process agree"
            lane.wait_until(lambda: len(lane.came) == len(lane.arg.notes), True, agreed)
        lane.wait_until(lambda: len(lane.came), len(sent), "how many messages came back")
        expect(lane.came == sent, True, "whether they are what was sent, in order")
        told = {(lane.producer.id, CompletionType.SEND, "back")}
        expect(set(lane.arg.notes), told, "what the kernel saw: the producer's id, and its own completions")
        lane.wait_until(lambda: lane.done, [ErrorCode.SUCCESS] * len(sent), "how the sends of this process completed")
        expect((lane.failed, lane.dpa.error), ([], None), "failures")


def check_msgq_carries_messages_both_ways(make: Maker) -> None:
    """Of every length up to 32 bytes, in order; both sides' sends complete."""
    _on_a_side(make, _both_ways)


def _rest(arg: SimpleNamespace) -> None:
    """A kernel that posts nothing."""
    doca_dpa_dev_comch_consumer_completion_request_notification(arg.completion)
    doca_dpa_dev_thread_reschedule()


def _refusals(side: Side, timeout: float) -> None:
    with Lane(side.device, _rest, timeout, side.driver) as lane:
        lane.thread.run()
        with refused("INVALID_VALUE", "33 bytes to a kernel"):
            lane.producer.task_send_alloc_init(None, bytes(_MOST + 1), lane.dpa_consumer.id)
        task = lane.producer.task_send_alloc_init(None, b"x", lane.dpa_consumer.id)
        with refused("AGAIN", "a send to a kernel that has posted nothing"):
            task.submit()
        task.free()


def check_msgq_nothing_posted(make: Maker) -> None:
    """AGAIN until the kernel posts receives; INVALID_VALUE for more than 32 bytes."""
    _on_a_side(make, _refusals)


def _order(side: Side, timeout: float) -> None:
    with Lane(side.device, _rest, timeout, side.driver) as lane:
        in_use: dict[str, Callable[[], object]] = {
            "dpa_stop while queues are started": lane.dpa.stop,
            "dpa_destroy while queues exist": lane.dpa.destroy,
            "dpa_thread_destroy while it is started": lane.thread.destroy,
            "dpa_completion_stop while a producer is attached": lane.sent.stop,
            "consumer_completion_stop while a consumer is connected": lane.completion.stop,
            "msgq_stop while its DPA consumer exists": lane.to.stop,
            "msgq_stop while its DPA producer exists": lane.back.stop,
        }
        for what, call in in_use.items():
            with refused("IN_USE", what):
                call()
        with refused("BAD_STATE", "msgq_start of a queue that is started"):
            lane.to.start()
    with refused("INVALID_VALUE", "dpa_start of one that has been destroyed"):
        lane.dpa.start()


def check_msgq_order_of_ends(make: Maker) -> None:
    """What another object still needs is IN_USE."""
    _on_a_side(make, _order)


def _wrong(arg: SimpleNamespace) -> None:
    """A kernel that sends too much."""
    doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, bytes(_MOST + 1), _MOST + 1, 0)


def _failure(side: Side, timeout: float) -> None:
    with Lane(side.device, _wrong, timeout, side.driver) as lane:
        hook, threading.excepthook = threading.excepthook, lambda _: None  # which would print what is expected
        try:
            lane.thread.run()
            ends = (lane.consumer, lane.producer)
            lane.wait_until(lambda: {end.state.name for end in ends}, {"IDLE"}, "the states of this process's ends")
        finally:
            threading.excepthook = hook
        expect(getattr(lane.dpa.error, "name", None), "DOCA_ERROR_INVALID_VALUE", "the error of the DPA")
        expect(lane.failed, [ErrorCode.CONNECTION_RESET] * RECEIVES, "how the posted receives ended")
        expect(lane.came, [], "what came")


def check_msgq_refused_device_call_is_fatal(make: Maker) -> None:
    """The DPA has failed, and the ends of its queues in this process stop."""
    _on_a_side(make, _failure)
