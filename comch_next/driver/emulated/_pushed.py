"""The delivery of a context without a port: the engine reads its messages, and callbacks report all the rest."""

from typing import ClassVar

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._control import ControlContext
from comch_next.driver.emulated._fabric.channel import Watchable
from comch_next.driver.emulated._fabric.greeting import Greeting
from comch_next.driver.emulated._fabric.handshake import Terms
from comch_next.driver.emulated._kernel.poller import Poller

__all__ = ["Pushed"]


class Pushed:
    """See _delivery."""

    bells: ClassVar[int] = 1
    one_sided: ClassVar[bool] = False

    def __init__(self, context: ControlContext) -> None:
        self._context = context

    @property
    def poller(self) -> Poller:
        engine = self._context.engine
        assert engine is not None
        return engine.poller

    def terms(self) -> Terms:
        context = self._context
        insists = context.max_msg_size is not None
        return Terms(context.stated_msg_size, insists, context.num_tasks, context.recv_queue_size)

    def mandatory(self, lacking: list[str]) -> list[str]:
        return lacking

    def begin(self) -> None: ...

    def close(self) -> None: ...

    def accepts(self, sock: Watchable) -> None: ...

    def forget(self, sock: Watchable) -> None: ...

    def notify(self, *channels: str) -> None: ...

    def is_full(self, most: int) -> bool:
        return bool(most) and len(self._context.connections) >= most

    def ends_come_first(self) -> bool:
        return bool(self._context.lost)

    def drop_waiting(self) -> None: ...

    def on_greeted(self, greeting: Greeting) -> None:
        connection = self._context.admit(greeting)
        if connection.status is not ErrorCode.CONNECTION_ABORTED:
            connection.log_up()

    def follow(self, connection: Connection) -> None:
        engine = self._context.engine
        assert engine is not None
        engine.poller.add(connection)
        for bell in connection.heard:
            engine.notification.listen(bell, connection.report_violation)

    def on_admitted(self, connection: Connection) -> None:
        context = self._context
        if context.up is not None and context.engine is not None:
            context.engine.call(context.up, connection, connection.status == ErrorCode.SUCCESS)

    def on_welcomed(self, connection: Connection) -> None: ...

    def waiting_senders(self) -> tuple[()]:
        return ()

    def arm(self, connections: list[Connection]) -> bool:
        ready = False
        for link in connections:
            ready |= link.arm_tasks()
        return ready

    def on_lost(self, connection: Connection) -> None: ...

    def is_due(self, connection: Connection) -> bool:
        return not connection.unread()  # its messages are delivered first

    def release(self, connection: Connection) -> None:
        connection.close()

    def report_loss(self, connection: Connection) -> None:
        context = self._context
        if context.down is not None and context.engine is not None:
            context.engine.call(context.down, connection, connection.status != ErrorCode.CONNECTION_RESET)

    def disconnect_lost(self, connection: Connection) -> bool:
        return False

    def unlisten(self, connection: Connection) -> None:
        engine = self._context.engine
        if engine is not None:
            for bell in connection.heard:
                engine.notification.unlisten(bell)
