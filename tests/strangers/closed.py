"""Objects of every public kind that have been used and closed, and all that can still be done with one."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from typing import Any

import comch_next as comch
import comm_channel_compat as compat
from comch_next import aio
from tests.control_path.pair import ignore, until
from tests.fast_path.lane import Lane
from tests.pull.support import Stage

_ARGUMENTS = {  # what a call gets for a parameter of that name; other parameters get a number
    **dict.fromkeys(("data", "msg", "imm_data", "buffer"), b"x"),
    **dict.fromkeys(("done", "failed", "callback", "up", "down", "new", "expired", "on_lost"), ignore),
    **dict.fromkeys(("name", "pci_addr", "text"), "svc"),
}


def tasks_and_callbacks() -> dict[str, Any]:
    """A pair on callbacks, its fast path, memory, tasks and devices."""
    lane = Lane().run()
    lane.inbox.post()
    lane.outbox.send(lane.inbox.consumer.id, b"hello")
    lane.until(lambda: lane.inbox.received)
    there, here = lane.there, lane.here
    sent = here.send(b"hello")
    lane.until(lambda: there.messages and here.done)
    buf = lane.outbox.buf(b"kept")
    made = {
        "server": there.context,
        "client": here.context,
        "server's connection": there.connection,
        "client's connection": here.connection,
        "send task": sent,
        "consumer": lane.inbox.consumer,
        "producer": lane.outbox.producer,
        "receive task": lane.inbox.consumer.task_post_recv_alloc_init(None),
        "producer task": lane.outbox.producer.task_send_alloc_init(None, b"x", lane.inbox.consumer.id),
        "map": lane.inbox.mmap,
        "inventory": lane.outbox.inventory,
        "buffer": buf,
        "engine": here.engine,
        "device": here.context.device,
        "device info": here.context.device.devinfo,
        "representor": there.context.device.open_representor("b1:00.0"),
        "representor info": there.context.device.representors()[0],
    }
    made["receive task"].free()
    made["producer task"].free()
    buf.dec_refcount()
    lane.close()
    made["representor"].close()
    return made


def pulled(form: str, *, one_sided: bool) -> dict[str, Any]:
    """A pair on pull ports."""
    stage = Stage()
    there, here = stage.meet(stage.server(form, one_sided=one_sided), stage.client("driver", one_sided=one_sided))
    here.send(b"hello")
    assert there.receive() == b"hello"
    made = {
        "server": there.context,
        "client": here.context,
        "server's port": there.port,
        "client's port": here.port,
        "server's connection": there.connection,
        "client's connection": here.connection,
    }
    for fd in (there.port.recv_fd, there.port.send_fd, there.port.service_fd):
        assert fd >= 0
    made["message"] = comch.Message(b"hello", there.connection)
    made["engine"] = there.context.engine
    stage.close()
    return made


def old_faces() -> dict[str, Any]:
    """Endpoints of generation 1 and what they give out."""
    dpu, host = compat.open_device("03:00.0"), compat.open_device("b1:00.0")
    service, client = compat.Endpoint(), compat.Endpoint()
    service.set_device(dpu)
    service.set_device_rep(dpu.open_representor("b1:00.0"))
    client.set_device(host)
    service.listen("svc")
    peer = client.connect("svc")
    found: list[Any] = []

    def met() -> bool:
        with suppress(compat.Again):
            client.sendto(b"hello", peer)
        with suppress(compat.Again):
            found.append(service.recvfrom(100))
        return bool(found)

    until(met)
    service.update_service_state_info()
    channels = service.get_event_channel()
    assert channels
    made = {"service": service, "client": client, "peer": peer, "service's peer": found[0][1], "device": dpu}
    service.destroy()
    client.destroy()
    dpu.close()
    host.close()
    return made


def event_loop() -> dict[str, Any]:
    """The pair on an event loop."""

    async def talk() -> dict[str, Any]:
        with comch.open_device("03:00.0") as dpu, comch.open_device("b1:00.0") as host:
            async with aio.serve(dpu, "b1:00.0", "svc") as there:
                accepting = asyncio.ensure_future(there.receive())
                async with aio.connect(host, "svc") as here:
                    await here.send(b"hello")
                    message = await accepting
                    return {
                        "server": there,
                        "client": here,
                        "message": message,
                        "server's connection": message.connection,
                        "client's connection": here.connection,
                    }

    return asyncio.run(talk())


WORLDS: dict[str, Callable[[], dict[str, Any]]] = {
    "callbacks": tasks_and_callbacks,
    "pulled": lambda: pulled("driver", one_sided=False),
    "threaded": lambda: pulled("threaded", one_sided=False),
    "one-sided": lambda: pulled("driver", one_sided=True),
    "one-sided, threaded": lambda: pulled("threaded", one_sided=True),
    "old faces": old_faces,
    "event loop": event_loop,
}


def deeds(thing: Any, world: dict[str, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every public thing that can be asked of an object, by name; calls get what the world has for an argument."""
    known = {word: value for name, value in world.items() for word in (name, *name.split()[-1:])}
    cls = type(thing)
    yield "repr", lambda: repr(thing)
    for name in dir(cls):
        if name.startswith("_"):
            if name in ("__iter__", "__len__", "__enter__", "__aiter__"):
                yield name, lambda name=name: _first(getattr(thing, name)())  # type: ignore[misc]
            continue
        member = inspect.getattr_static(cls, name)
        if isinstance(member, property):
            yield name, lambda name=name: getattr(thing, name)  # type: ignore[misc]
            if member.fset is not None:
                yield f"{name} =", lambda name=name: setattr(thing, name, 1)  # type: ignore[misc]
        elif inspect.isfunction(member):
            yield f"{name}()", lambda name=name, member=member: _call(getattr(thing, name), member, known)  # type: ignore[misc]


def _call(bound: Callable[..., object], function: Any, known: dict[str, Any]) -> object:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    wanted = [one for one in parameters if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]
    options = {"timeout": 0} if any(one.name == "timeout" for one in parameters if one not in wanted) else {}
    arguments = {**_ARGUMENTS, **known}
    return _first(bound(*(arguments.get(one.name, 1) for one in wanted), **options))


def _first(result: object) -> object:
    """What comes of an iterator or a coroutine at first."""
    if isinstance(result, Coroutine):
        return asyncio.run(asyncio.wait_for(result, 5))
    if isinstance(result, Iterator):
        return next(result, None)
    return result
