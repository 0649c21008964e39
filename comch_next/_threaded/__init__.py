"""The threaded pull port: the pull view of a context, built from tasks, callbacks and one helper thread.

For a driver whose library only pushes, or with COMCH_PULL=threaded. It behaves as a driver's own port, except for these
differences, which follow from the calls that it is made of. Tests of the old faces run on both forms; a test that meets
a difference names the line here, and asserts what each form does.

waiting clients     do not wait: they come up in progress, so connect succeeds without `accept`. `pending` is 0;
                    `accept` hands them out afterwards, and their messages may be received before that. A new
                    client rouses each descriptor once.
messages            move from the ring into a queue here. With recv_queue_size or more in it there is no
                    progress: nothing comes, sends stay in flight, losses go unnoticed, until `receive`. One
                    progress may bring several, so the queue can be longer by what one progress brings. What has
                    moved is no longer in flight for its sender, and counts as received. While a send is answered
                    AGAIN for want of tasks, the queue takes 1024 messages: the sends before it have to end.
                    A program that waits for its sends in other ways, or that is flooded by more, may wait for
                    ever, even if the other side receives.
send_queue_size     is the context's pool of tasks: for all connections of a server together, not for each.
send tasks          of the program are refused, before and after the port is opened: the pool is the port's.
max_msg_size        of the port only restricts its sends; the connection's own size holds, too, and is not raised.
a server's end      Shutdown is distinguished from ConnectionReset by a later send that fails with SHUTDOWN. The
                    documented calls promise no code there; with any other it is ConnectionReset.
states              change without the program: a client that lost its server may be IDLE before the program asks.
                    Then stop is BadState, and its connection can be had until the next start or stop.
callbacks           of the program (state changed) run where progress runs, mostly in the helper thread. What one
                    raises comes out of the program's next progress, send, receive or arming.
the engine          has another notification handle while a port is open: ask for it after the first has been opened,
                    and again after the last has been closed. Every context on it must be IDLE when the first opens.
a process's end     without closing is an orderly leave of one-sided contexts, too: the library knows nothing of it.
idle                is one sleeping thread per engine. It sleeps on the library's own notification handle, so the
                    library must notify; the emulated one does, but not of descriptors that are free again: a server
                    that had none accepts who waits at its next event.
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
