"""A call that is refused has no effect: what runs or is open stays so, and what is closed can be opened."""

from __future__ import annotations

import pytest

import comch_next as comch
from comch_next import State
from tests.control_path.pair import ignore
from tests.processes import SOON_S
from tests.pull.support import FORMS, Stage, ready
from tests.streams.support import connected


@pytest.mark.parametrize("one_sided", [False, True], ids=["two-sided", "one-sided"])
@pytest.mark.parametrize("form", FORMS)
def test_a_second_with_block_ends_no_connection(stage: Stage, form: str, one_sided: bool) -> None:
    ends = stage.meet(stage.server(form, one_sided=one_sided), stage.client(form, one_sided=one_sided))
    for end in ends:
        with pytest.raises((comch.BadState, comch.NotPermitted)):
            end.context.__enter__()
        assert end.context.state is State.RUNNING
    server, client = ends
    assert client.send(b"still here")
    assert server.receive() == b"still here"


def test_a_second_with_block_stops_no_producer() -> None:
    with connected() as pair:
        producer = comch.Producer(pair.here)
        producer.task_send_set_conf(ignore, ignore, 1)
        with producer:
            with pytest.raises(comch.BadState):
                producer.__enter__()
            assert producer.state is State.RUNNING


def test_a_second_with_block_closes_no_stream() -> None:
    def send(stream: comch.Stream) -> int:
        with pytest.raises(comch.BadState, match="has had one"):
            stream.__enter__()
        return stream.send_stream(b"still open")

    came = bytearray()

    class Sink:
        def write(self, data: memoryview) -> int:
            came.extend(data)
            return len(data)

    with connected() as pair:
        assert pair.both(send, lambda stream: stream.recv_stream(Sink())) == (10, 10)
    assert came == b"still open"


@pytest.mark.parametrize("form", FORMS)
def test_a_closed_port_that_is_reopened_leaves_room_for_another(stage: Stage, form: str) -> None:
    port = stage.server(form)
    port.close()
    with pytest.raises(comch.BadState, match="has been closed; open another"):
        port.reopen()
    other = comch.PullPort(port.context, threaded=form == "threaded")
    with pytest.raises(comch.BadState, match="has been closed; open another"):
        port.reopen()
    server, client = stage.meet(other, stage.client("driver"))
    assert client.send(b"x")
    assert server.receive() == b"x"


@pytest.mark.parametrize("form", FORMS)
def test_a_port_that_is_reopened_while_it_runs_keeps_its_descriptors(stage: Stage, form: str) -> None:
    server, client = stage.pair(form, "driver")
    fds = server.port.send_fd, server.port.recv_fd, server.port.service_fd
    server.port.arm_recv()
    with pytest.raises(comch.BadState):
        server.port.reopen()
    assert (server.port.send_fd, server.port.recv_fd, server.port.service_fd) == fds
    assert client.send(b"x")
    assert ready(fds[1], SOON_S)
    assert server.receive() == b"x"


@pytest.mark.parametrize("sizes", [{"send_queue_size": 0}, {"max_msg_size": 0}, {"max_msg_size": True}], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_a_port_that_is_reopened_with_a_wrong_size_is_as_before(stage: Stage, form: str, sizes: dict[str, int]) -> None:
    port = stage.server(form)
    fd = port.recv_fd
    with pytest.raises(comch.InvalidValue):
        port.reopen(**sizes)
    assert port.recv_fd == fd
    server, client = stage.meet(port, stage.client("driver"))
    server.port.arm_recv()
    assert client.send(b"x")
    assert ready(fd, SOON_S)
    assert server.receive() == b"x"


@pytest.mark.parametrize("form", FORMS)
def test_a_port_has_no_tasks_for_the_program(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server(form), stage.client(form))
    with pytest.raises(comch.NoMemory):
        client.context.task_send_alloc_init(client.connection, b"a task")
    assert client.send(b"no task")
    assert server.context.receive(timeout=SOON_S).data == b"no task"
