"""What another thread does between two lines of a call; each test puts it just there."""

from __future__ import annotations

import select
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

import comch_next as comch
from comch_next import State, _endpoint, engine
from comch_next._library_context import LibraryContext
from comch_next._link import Link, Unlinked
from comch_next._peer import Peer
from tests.control_path.pair import leave, pair
from tests.processes import SOON_S
from tests.pull.support import FORMS, HOST, Stage, ready, until
from tests.threads.test_two_threads import Worker

_MOMENT_S = 0.2


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def after(call: Callable[..., Any], then: Callable[[], object]) -> Callable[..., Any]:
    """The call, after whose first return another thread does something, as far as it can meanwhile."""
    rest = [then]

    def both(*args: Any, **options: Any) -> Any:
        result = call(*args, **options)
        if rest:
            Worker(rest.pop()).join(_MOMENT_S)
        return result

    return both


# Waits


class Late:
    """A poller, by which threads begin to wait later than the test goes on: when it says so."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self.register = self._poll.register

    def poll(self, timeout_ms: float) -> list[tuple[int, int]]:
        if threading.current_thread() is not threading.main_thread():
            asleep.set()
            assert awake.wait(SOON_S)
        return self._poll.poll(timeout_ms)


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    for event in (asleep, awake):
        event.clear()
    monkeypatch.setattr(engine, "select", SimpleNamespace(poll=Late, POLLIN=select.POLLIN))


asleep, awake = threading.Event(), threading.Event()


@pytest.mark.usefixtures("late")
@pytest.mark.parametrize("form", FORMS)
def test_a_sender_whose_news_another_one_takes(stage: Stage, form: str) -> None:
    """Room has come; before the sender's thread polls, another thread arms the descriptor, which forgets that."""
    server, client = stage.meet(stage.server("driver", recv_queue_size=4), stage.client(form, send_queue_size=4))
    until(lambda: not client.send(b"x"))
    sender = Worker(lambda: client.connection.send(b"last"))
    assert asleep.wait(SOON_S)
    until(lambda: server.port.receive() is None)
    until(lambda: client.port.in_flight(client.connection) == 0)
    while ready(client.port.send_fd, 0.01):
        client.port.arm_send()
    awake.set()
    assert server.context.receive(timeout=SOON_S).data == b"last"
    sender.result()


@pytest.mark.usefixtures("late")
def test_a_wait_whose_event_another_one_takes() -> None:
    there, here = pair()
    waited: list[bool] = []
    waiting = Worker(lambda: waited.append(there.engine.wait(SOON_S)))
    assert asleep.wait(SOON_S)
    here.send(b"first")
    there.engine.clear_notification()
    until(lambda: there.engine.progress() or there.messages)
    awake.set()
    here.send(b"second")
    waiting.result()
    assert waited == [True]
    leave(here, there)


# Lives


def test_a_receive_while_its_context_is_closed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    server = comch.Server(stage.dpu, stage.dpu.open_representor(HOST), "svc", one_sided=True)
    server.listen()
    codes: list[comch.ErrorCode] = []

    def ending(phase: Any) -> Any:
        codes.append(server.try_receive()[0])
        return Unlinked(phase)

    monkeypatch.setattr(_endpoint, "Unlinked", ending)
    server.close()
    assert codes == [comch.ErrorCode.NOT_CONNECTED] * 2


def connected_anew(stage: Stage, client: Any) -> None:
    """The client is whole: it comes up, and messages go both ways."""
    server = stage.contexts[0]
    theirs = until(server.port.accept)
    until(lambda: client.engine.progress() or client.state is State.RUNNING)
    client.connection.send(b"x")
    assert server.receive(timeout=SOON_S) == (b"x", theirs)
    theirs.send(b"y")
    assert client.receive(timeout=SOON_S).data == b"y"
    client.disconnect(client.connection)


@pytest.mark.parametrize("one_sided", [False, True], ids=["two-sided", "one-sided"])
def test_a_connect_before_a_disconnect_has_noted_its_end(stage: Stage, one_sided: bool) -> None:
    _, client = stage.meet(stage.server("driver", one_sided=one_sided), stage.client("driver", one_sided=one_sided))
    context = client.context

    def again() -> None:
        context.connect(timeout=0)

    with pytest.MonkeyPatch.context() as patched:
        active = context._active
        answers = iter([True])  # as it begins

        def ended() -> bool:
            now: bool = active()
            if not now and next(answers, False):
                Worker(again).join(_MOMENT_S)
            return now

        patched.setattr(context, "_active", ended, raising=False)
        context.disconnect(client.connection)
    if context.state is State.IDLE:
        again()
    connected_anew(stage, context)


def test_a_connect_before_a_one_sided_disconnect_returns(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    _, client = stage.meet(stage.server("driver", one_sided=True), stage.client("driver", one_sided=True))
    connect = lambda: client.context.connect(timeout=0)  # noqa: E731
    monkeypatch.setattr(Link, "disconnect", after(Link.disconnect, connect))
    client.context.disconnect(client.connection)
    connected_anew(stage, client.context)


@pytest.mark.parametrize("form", FORMS)
def test_a_shutdown_that_is_noted_after_the_next_connect(
    stage: Stage, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the former connection's, and no news of the new one."""
    server, client = stage.meet(stage.server("driver"), stage.client(form))
    receive = client.port.receive

    def late(size: int | None = None) -> Any:
        try:
            return receive(size)
        except comch.Shutdown:
            client.context.disconnect()
            client.context.connect(timeout=0)
            raise

    server.context.disconnect(server.connection)
    with monkeypatch.context() as patched:
        patched.setattr(client.port, "receive", late, raising=False)
        with pytest.raises(comch.Shutdown) as told:
            client.context.receive(timeout=SOON_S)
    assert told.value.connection is client.connection
    with pytest.raises(comch.Again):
        client.context.receive(timeout=0)
    connected_anew(stage, client.context)


def test_a_peer_that_is_left_while_it_is_asked() -> None:
    asked: list[Peer] = []
    links = [SimpleNamespace(update_info=asked.append), None]

    class Leaving(Peer):
        _link: Any = property(lambda _: links.pop(0))

    peer = object.__new__(Leaving)
    peer.update_info()
    assert asked == [peer]


# Objects


def test_two_that_ask_for_a_connection_at_once_get_one(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    _, client = stage.pair("driver", "driver")
    nouns, handle = client.context._driver.connections, client.connection._handle
    nouns.set_user_data(handle, None)
    together, found = threading.Barrier(2), list[comch.Connection]()
    get = nouns.get_user_data

    def late(asked: Any) -> Any:
        known = get(asked)
        with suppress(threading.BrokenBarrierError):
            together.wait(_MOMENT_S)
        return known

    monkeypatch.setattr(nouns, "get_user_data", late)
    workers = [Worker(lambda: found.append(client.context.connection)) for _ in range(2)]
    for worker in workers:
        worker.result()
    assert found[0] is found[1]


def test_a_loop_that_ends_while_another_reports_to_it() -> None:
    class Ending(list[Any]):
        def __bool__(self) -> bool:
            self.clear()
            return True

    server = comch.Server()
    server._on_lost = Ending([print])
    server._on_lost.clear()
    server._report_lost(None, comch.Shutdown())  # type: ignore[arg-type]


def test_two_engines_that_are_given_to_a_context_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with comch.ProgressEngine() as first, comch.ProgressEngine() as second:
        client = comch.Client()
        configure, rest = client._configure_with, [lambda: second.connect_ctx(client)]

        def late(*args: Any) -> None:
            if rest:
                Worker(rest.pop()).result()
            configure(*args)

        monkeypatch.setattr(client, "_configure_with", late, raising=False)
        with pytest.raises(comch.NotPermitted):
            first.connect_ctx(client)
        assert client.engine is second
        client.close()


def test_registering_is_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """From what is registered to what follows from it nobody else is in the context."""
    client = comch.Client()
    free: list[bool] = []
    choose = client._choose_view

    def look() -> None:
        Worker(lambda: free.append(client._lock.acquire(timeout=0.01))).result()
        choose()

    monkeypatch.setattr(client, "_choose_view", look, raising=False)
    client.event_msg_recv_register(print)
    assert free == [False]


# Channels that block


class Closed:
    """The port of a channel that another thread is closing."""

    @property
    def connections(self) -> Any:
        raise comch.InvalidValue("the context is destroyed")


def test_a_blocking_channel_is_closed_by_two_threads() -> None:
    channel = comch.BlockingChannel(comch.InitAttr())
    life: Any = SimpleNamespace(channels=deque([SimpleNamespace(port=Closed())]), serves=True)
    assert channel._connections(life) == []


# Ends


@pytest.mark.usefixtures("late")
@pytest.mark.parametrize("one_sided", [False, True], ids=["two-sided", "one-sided"])
def test_two_threads_close_one_context(stage: Stage, one_sided: bool) -> None:
    """One waits for its end when the other has destroyed it, with its engine."""
    server, _ = stage.meet(stage.server("driver", one_sided=one_sided), stage.client("driver", one_sided=one_sided))
    turn, turns = server.context._turn, [False]  # the first finds nothing to do
    server.context._turn = lambda: turns.pop() if turns else turn()
    closing = Worker(server.context.close)
    assert asleep.wait(SOON_S)
    server.context.close()
    awake.set()
    closing.result()


def test_a_helper_that_collects_what_closes_its_last_port(stage: Stage) -> None:
    """As a finalizer of the program's that the collector happens to run on the helper's thread."""
    server = stage.server("threaded").context
    server.start()
    helper: Any = server.engine._helper
    thread, rest, raised = helper._thread, helper.rest, list[BaseException]()
    unheard = threading.excepthook

    def collecting(**asked: bool) -> Any:
        if threading.current_thread() is thread and server._alive:
            try:
                server.close()
            except BaseException as error:
                raised.append(error)
        return rest(**asked)

    threading.excepthook = lambda hook: raised.append(hook.exc_value or hook.exc_type())
    try:
        helper.rest = collecting
        with suppress(comch.DocaError):  # once it is closed
            server.engine.request_notification()
            server.num_inflight_tasks  # noqa: B018
            server.flush_tasks()  # which rouses the helper
        thread.join(SOON_S)
    finally:
        threading.excepthook = unheard
    assert not thread.is_alive()
    assert raised == []
    assert not server._alive


def test_a_context_that_is_connected_while_its_engine_gets_a_helper(stage: Stage) -> None:
    _, client = stage.pair("driver", "driver")
    with comch.ProgressEngine() as shared:
        other = comch.Client(stage.host, "other", engine=shared)
        connect: Any = shared._connect
        shared._connect = after(connect, lambda: comch.PullPort(other, threaded=True))  # type: ignore[method-assign]
        producer = comch.Producer(client.connection, engine=shared)
        until(lambda: other.port)
        assert producer._driver is shared._view
        producer.close()
        other.close()


# Settings


def test_the_engine_of_a_context_that_another_thread_takes_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it has been found as made, the other takes its engine away, and then the rest."""
    with comch.open_device("03:00.0") as device:
        server = comch.Server(device, "b1:00.0", "svc")
        taken, workers = threading.Event(), list[Worker]()

        def take_down() -> None:
            with server._lock:
                vars(server).pop("_engine", None)
                taken.set()
                time.sleep(2 * _MOMENT_S)  # until the first one looks, who then has to wait for the lock
                server._unmake(None)

        made = vars(LibraryContext)["_made"].fget

        def found(context: LibraryContext) -> Any:
            result = made(context)
            if not workers:
                workers.append(Worker(take_down))
                assert taken.wait(SOON_S)
            return result

        monkeypatch.setattr(comch.Server, "_made", property(found))
        engine = server.engine
        assert engine is server.engine
        assert engine.progress() is False
        server.close()
