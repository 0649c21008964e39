"""What is refused raises InvalidValue, whatever it is: a class, or what cannot be shown or compared."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import comch_next as comch
from comch_next import InvalidValue, aio
from tests.control_path.pair import DPU, HOST, REP
from tests.streams.support import connected


class Half:
    """What its class could not make whole."""

    def __repr__(self) -> str:
        return f"<Half of {self.whole}>"  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError(f"it is compared with {other!r}")

    __hash__ = None  # type: ignore[assignment]


def released() -> Any:
    made = memoryview(bytearray(1))
    made.release()
    return made


NO_DEVICE: Any = "03:00.0"
CALLS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "a size, and what is no device": (
        "takes an open device as device, not '03:00.0'",
        lambda _: comch.Client().configure(max_msg_size=100, device=NO_DEVICE),
    ),
    "a size beside its device": (
        r"recv_queue_size takes a whole number from 1 to \d+, not 0",
        lambda _: comch.Client().configure(recv_queue_size=0, device=comch.open_device(HOST)),
    ),
    "a size before its device": (
        r"max_msg_size takes a whole number from 1 to \d+, not 1073741824",
        lambda _: comch.Client(max_msg_size=1 << 30).configure(device=comch.open_device(HOST)),
    ),
    "a size that has no repr": ("not a Half that has no repr", lambda half: comch.Client(max_msg_size=half)),
    "a level that cannot be compared": ("log level is a Half", lambda half: comch.log.standard.set_sdk_level(half)),
    "a noun that has no hash": (
        r"require takes server or client or producer or consumer, not \[\]",
        lambda _: comch.open_device(HOST).devinfo.require([]),  # type: ignore[arg-type]
    ),
    "a class of contexts": (
        "connect_ctx takes a context, not <class",
        lambda _: comch.ProgressEngine().connect_ctx(comch.Server),  # type: ignore[arg-type]
    ),
    "a class of servers": (
        "a pull port is opened on a Server or a Client, not on <class",
        lambda _: comch.PullPort(comch.Server),  # type: ignore[arg-type]
    ),
    "what is no memory": (
        "takes writable memory in one piece, not a list that has no repr",
        lambda _: comch.Mmap(memory=[10**5000]),
    ),
    "what is no truth": (
        "takes True or False as one_sided, not <released memory",
        lambda _: comch.Client().configure(one_sided=released()),
    ),
    "what no loop can call": (
        "messages takes a function as on_lost, not 5",
        lambda _: next(comch.Server().messages(5)),  # type: ignore[arg-type]
    ),
    "an address beyond the bus": ("'03:20.0' is not a PCI address", lambda _: comch.PciBdf.of("03:20.0")),
}


@pytest.mark.parametrize(("text", "call"), CALLS.values(), ids=list(CALLS))
def test_it_is_refused(text: str, call: Callable[[Any], object]) -> None:
    with pytest.raises(InvalidValue, match=text):
        call(Half())


def test_a_function_of_the_package_says_what_it_was_called_on() -> None:
    half: Any = Half()
    assert comch.outcome(comch.Client.stop, half) == (comch.ErrorCode.INVALID_VALUE, None)


def test_no_attribute_has_an_empty_name() -> None:
    with pytest.raises(AttributeError, match="Client has no attribute ''"):
        setattr(comch.Client(), "", 1)


def test_text_that_is_no_utf_8_is_stored_as_its_bytes() -> None:
    cell = bytearray(4)
    comch.store((comch.ErrorCode.SUCCESS, "a\udcff"), cell)
    assert cell == b"a\xff\0\0"


@pytest.mark.parametrize("timeout", ["", [], {}])
def test_an_empty_thing_is_no_time_out(timeout: Any) -> None:
    channel = comch.BlockingChannel(comch.InitAttr())
    with pytest.raises(InvalidValue, match="receive takes a timeout"):
        channel.receive(timeout=timeout)


def test_a_one_sided_port_receives_without_a_size() -> None:
    with comch.open_device(DPU) as device, device.open_representor(REP) as rep:
        server = comch.Server(device, rep, "svc", one_sided=True)
        server.listen()
        assert server.port is not None
        assert server.port.receive() is None
        with pytest.raises(InvalidValue, match="update_info takes a connection of <Server 'svc'>, not None"):
            server.port.update_info(None)  # type: ignore[arg-type]
        server.close()


@pytest.mark.parametrize("counter", [released(), bytearray(1), 9, None], ids=lambda counter: type(counter).__name__)
def test_a_peer_of_generation_1_has_no_such_counter(counter: Any) -> None:
    with connected(one_sided=True) as pair, pytest.raises(InvalidValue, match="get_counter takes a Counter"):
        pair.here.get_counter(counter)


def test_sources_of_the_log_that_are_registered_together_differ() -> None:
    numbers: list[int] = []
    together = threading.Barrier(2)

    class Sources(list[str]):
        """Has both threads add theirs before either counts, if that can be."""

        def append(self, name: str) -> None:
            super().append(name)
            with suppress(threading.BrokenBarrierError):
                together.wait(0.2)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(comch.log, "_sources", Sources())
        threads = [threading.Thread(target=lambda: numbers.append(comch.log.register_source("x"))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(numbers) == [0, 1]


@pytest.mark.parametrize("call", ["send_stream", "recv_stream"])
def test_a_stream_reports_to_no_number(call: str) -> None:
    with connected() as pair, comch.Stream(pair.here) as stream:
        with pytest.raises(InvalidValue, match=f"{call} takes a function as progress, not 5"):
            getattr(stream, call)(io.BytesIO(b"x"), progress=5)


def test_asyncio_takes_its_own_connections_and_what_can_be_called() -> None:
    async def main() -> None:
        with comch.open_device(DPU) as dpu, comch.open_device(HOST) as host:
            with pytest.raises(InvalidValue, match="serve takes a coroutine function as handler, not 5"):
                async with aio.serve(dpu, REP, "svc", 5):  # type: ignore[arg-type]
                    pass
            async with aio.serve(dpu, REP, "svc") as server:
                receiving = asyncio.ensure_future(server.receive())
                async with aio.connect(host, "svc", streams=True) as client:
                    await client.send(b"x")
                    await receiving
                    with pytest.raises(InvalidValue, match="the connection of a Stream is <Connection of"):
                        aio.Stream(client.connection.connection)  # type: ignore[arg-type]
                    with pytest.raises(InvalidValue, match="disconnect takes a connection of this server"):
                        server.disconnect(client.connection.connection)  # type: ignore[arg-type]
                with pytest.raises(InvalidValue, match="messages takes a function as on_lost, not 5"):
                    await anext(server.messages(5))  # type: ignore[arg-type]

    asyncio.run(main())


def test_a_state_that_another_thread_is_changing() -> None:
    """It makes the library's context anew, and has taken half of the old one away."""

    class Changing(comch.Client):
        _made: Any = property(lambda self: vars(self).pop("_contexts", None) is not None)

    client = comch.Client(comch.open_device(HOST), "svc")
    client.__class__ = Changing
    assert client.state is comch.State.IDLE
