"""The threaded pull port: the pull view of a context, built from tasks, callbacks and one helper thread.

For a driver whose library only pushes, or with COMCH_PULL=threaded. It behaves as a driver's own port, except for the
differences that docs/native.md lists. Tests of the old faces run on both forms; a test that meets a difference names
its line there, and asserts what each form does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comch_next._codes import State
from comch_next._threaded._helper import Helper
from comch_next._threaded._port import ThreadedPort
from comch_next.arguments import integer
from comch_next.errors import BadState

if TYPE_CHECKING:
    from comch_next._control import ControlContext

__all__ = ["open_threaded"]

_DEFAULT_SENDS = 64


def open_threaded(
    context: ControlContext,
    ctx: Any,
    max_msg_size: int | None,
    send_queue_size: int | None,
    one_sided: bool,
    predecessor: ThreadedPort | None = None,
) -> ThreadedPort:
    """Open the port of one context: see comch_next.driver.protocol.OpenPort."""
    helper = _helper_of(context)
    devices = helper.driver.devices
    info = devices.as_devinfo(helper.driver.contexts.get_device(ctx))
    most = devices.cap_get_max_msg_size(info)
    if max_msg_size is not None:
        max_msg_size = integer(max_msg_size, "port_open: the message size", least=1, most=most)
    if send_queue_size is None:
        send_queue_size = min(_DEFAULT_SENDS, devices.cap_get_max_send_tasks(info))
    with helper.lock:
        port = ThreadedPort(context, helper, max_msg_size, send_queue_size, one_sided, predecessor)
        helper.enter(port)
        if predecessor is not None:
            port.take_over(predecessor)
    if predecessor is not None:
        predecessor.finish()
    return port


def _helper_of(context: ControlContext) -> Helper:
    """The engine's helper, made for its first port."""
    engine = context.engine
    if engine._helper is None:
        busy = [other for other in engine._connected() if other.state is not State.IDLE]
        if busy:
            state = busy[0].state.name
            raise BadState(f"port_open: {busy[0]} is {state}; legal while every context of the engine is IDLE")
        engine._helper = Helper(engine)
    return engine._helper
