"""The control path, traced: contexts, servers, clients, connections and their send tasks."""

from collections.abc import Callable
from typing import Any

from comch_next.driver._traced._nouns import Noun, Tasks
from comch_next.driver._traced._tracer import ACCEPTED, Flight, Link, Scope, facts_of, now, result
from comch_next.driver.protocol import NO_BUFFER, Unrecorded, interruptible, suppress_system, uninterrupted_in_c
from comch_next.errors import DocaError

__all__ = ["Clients", "Connections", "Contexts", "SendTasks", "Servers"]


class Contexts(Noun):
    """Its callbacks are recorded before the program's run."""

    def destroy(self, ctx: Any) -> None:
        names = facts_of(lambda: self._tracer.scope(ctx).names)
        self._tracer.ended("context", self._noun.destroy, ctx, **names)

    def set_user_data(self, ctx: Any, user_data: object) -> None:
        self._tracer.scope(ctx).user_data = user_data

    def get_user_data(self, ctx: Any) -> Any:
        return self._tracer.scope(ctx).user_data

    def set_state_changed_cb(self, ctx: Any, callback: Any) -> None:
        self._noun.set_state_changed_cb(ctx, self._tracer.state_changed(callback) if callable(callback) else callback)

    def task_send_set_conf(self, ctx: Any, done: Any, failed: Any, num_send_tasks: int) -> None:
        tracer = self._tracer
        tasks = tracer.driver.send_tasks
        self._noun.task_send_set_conf(
            ctx, tracer.completion(tasks, done), tracer.completion(tasks, failed), num_send_tasks
        )

    def event_msg_recv_register(self, ctx: Any, on_message: Any, view: bool) -> None:
        received = self._tracer.received

        def arrived(link: Link, data: Any) -> object:
            return interruptible(on_message, received(link, data), data)

        recorded = uninterrupted_in_c(arrived) if callable(on_message) else on_message
        self._noun.event_msg_recv_register(ctx, recorded, view)

    def event_consumer_register(self, ctx: Any, new: Any, expired: Any) -> None:
        recorded = self._tracer.of_connection
        self._noun.event_consumer_register(
            ctx, recorded("consumer_new", "consumer", new), recorded("consumer_expired", "consumer", expired)
        )


class _Pool(Noun):
    """What servers and clients have in common: tasks. One that is not to be had is a send refused."""

    def task_send_alloc_init(self, ctx: Any, peer: Any, message: Any, user_data: object = None) -> Any:
        at_ns = now()
        flight = Flight(Scope({}), {}, user_data)
        if type(message) is not bytes:
            with suppress_system(*NO_BUFFER):  # which the driver refuses
                message = bytes(memoryview(message))
        try:
            task = self._noun.task_send_alloc_init(ctx, peer, message, flight)
        except DocaError as error:
            self._tracer.message("send", self._tracer.names(peer), message, at_ns, **result(error.code))
            raise
        flight.link = self._tracer.link(peer)
        flight.scope, flight.names = self._tracer.scope(ctx), flight.link.names
        flight.task, flight.data = task, message
        return task

    def quick_alloc(self, *_: object) -> None:
        """Every task is recorded."""


class Servers(_Pool):
    """Connections that come and go are recorded before the program's callbacks run."""

    def create(self, dev: Any, rep: Any, name: str) -> Any:
        server = self._noun.create(dev, rep, name)
        tracer = self._tracer
        tracer.adopt(server, {"service": name, "side": "server"}, **tracer.device(dev), **tracer.representor(rep))
        return server

    def event_connection_status_changed_register(self, server: Any, up: Any, down: Any) -> None:
        recorded = self._tracer.of_connection
        callbacks = recorded("up", "ok", up), recorded("down", "ok", down)
        self._noun.event_connection_status_changed_register(server, *callbacks)

    def disconnect(self, server: Any, connection: Any) -> None:
        names = self._tracer.names(connection)
        try:
            self._noun.disconnect(server, connection)
        except DocaError as error:
            self._tracer.record("disconnect", names, **result(error.code))
            raise
        self._tracer.record("disconnect", names, **ACCEPTED)


class Clients(_Pool):
    """Its connection is recorded of with its state."""

    def create(self, dev: Any, name: str) -> Any:
        client = self._noun.create(dev, name)
        self._tracer.adopt(client, {"service": name, "side": "client"}, is_client=True, **self._tracer.device(dev))
        return client


class Connections(Noun):
    """Their user data at the driver is a record of the trace."""

    def set_user_data(self, connection: Any, user_data: object) -> None:
        self._tracer.link(connection).user_data = user_data

    def get_user_data(self, connection: Any) -> Any:
        return self._tracer.link(connection).user_data


class SendTasks(Tasks):
    """Tasks of the control path."""

    def submitted(self, flight: Flight, submit: Callable[..., None], *flags: int) -> None:
        if isinstance(flight.user_data, Unrecorded):
            submit(flight.task, *flags)
            return
        at_ns = now()
        message = self._tracer.message
        try:
            submit(flight.task, *flags)
        except DocaError as error:
            message("send", flight.names, flight.data, at_ns, **result(error.code))
            raise
        assert flight.link is not None
        number = {"n": next(flight.link.sent)}
        flight.facts = {**number, **message("send", flight.names, flight.data, at_ns, **number, **ACCEPTED)}
