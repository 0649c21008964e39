"""One provocation for each documented error of generation 2, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from comch_next.api import functions
from tests.cc.world import World, cc, ignore
from tests.error_rows import reasons

PREFIX = "doca_cc_"
Row = tuple[str, str]
Provocation = tuple[Callable[[World], Any], str]  # the call, and what its error says: the condition of the row

ROWS = sorted(
    {
        (row.name.removeprefix(PREFIX), error.code.removeprefix("DOCA_ERROR_"))
        for row in functions("cc")
        for error in row.errors
    }
)
_MODERN = {row.name.removeprefix(PREFIX): str(row.modern) for row in functions("cc")}


def _as_modern(reasons: Mapping[Row, str]) -> dict[Row, str]:
    """The reasons that generation 3 has for the rows of the same functions."""
    return {(name, code): reasons[_MODERN[name], code] for name, code in ROWS if (_MODERN[name], code) in reasons}


HEADER_SLIPS = _as_modern(reasons.HEADER_SLIPS)
HARDWARE_ONLY = _as_modern(reasons.HARDWARE_ONLY)

_SIDES = ("server", "client")
_FROZEN, _NULL = "while RUNNING", "is NULL"


def _flat(name: str, *args: Any) -> Any:
    return getattr(cc, PREFIX + name)(*args)


def _null(name: str, *rest: Any) -> Provocation:
    return (lambda _: _flat(name, None, *rest)), _NULL


def _on(noun: str, name: str, *args: Any, running: bool = False) -> Callable[[World], Any]:
    """A call on an object of the world, IDLE or RUNNING."""

    def provoke(world: World) -> Any:
        made = getattr(world, noun)
        return _flat(name, world.running(made) if running else made, *args)

    return provoke


def _on_device(name: str, device: str) -> Callable[[World], Any]:
    return lambda world: _flat(name, getattr(world, device).as_devinfo())


def _until_none_is_left(call: Callable[[], Any]) -> Any:
    """What the first call says that fails; the tasks that it made go back to their pool."""
    made = []
    while (answer := call())[0] == cc.DOCA_SUCCESS:
        made.append(answer[1])
    for task in made:
        cc.doca_task_free(task.as_task())
    return answer


def _all_sends(side: str, name: str) -> Callable[[World], Any]:
    def provoke(world: World) -> Any:
        connection = world.connection if side == "client" else world.connection and world.connections[0]
        return _until_none_is_left(lambda: _flat(name, getattr(world, side), connection, b"x", 1))

    return provoke


def _too_long(side: str, name: str) -> Callable[[World], Any]:
    def provoke(world: World) -> Any:
        connection = world.connection if side == "client" else world.connection and world.connections[0]
        return _flat(name, getattr(world, side), connection, bytes(4081), 4081)

    return provoke


def _all_fast(noun: str, name: str, *rest: Any) -> Callable[[World], Any]:
    def provoke(world: World) -> Any:
        context, buf = world.running(getattr(world, noun)), world.buf()
        answer = _until_none_is_left(lambda: _flat(name, context, buf, *rest))
        cc.doca_buf_dec_refcount(buf)
        return answer

    return provoke


def _too_many_consumers(world: World) -> Any:
    made = []
    while (answer := cc.doca_cc_consumer_create(world.connection, world.mmap))[0] == cc.DOCA_SUCCESS:
        made.append(answer[1])
    for consumer in made:
        assert cc.doca_cc_consumer_destroy(consumer) == cc.DOCA_SUCCESS
    return answer


def _capabilities() -> Iterator[tuple[Row, Provocation]]:
    for name in ("name_len", "msg_size", "recv_queue_size", "clients", "send_tasks"):
        yield (f"cap_get_max_{name}", "INVALID_VALUE"), _null(f"cap_get_max_{name}")
    for side, wrong in (("server", "host"), ("client", "dpu")):
        name = f"cap_{side}_is_supported"
        yield (name, "INVALID_VALUE"), _null(name)
        yield (name, "NOT_SUPPORTED"), (_on_device(name, wrong), f"cannot be a {side}")
    for kind, many in (("producer", "max_producers"), ("consumer", "max_consumers")):
        asks = (f"{kind}_cap_is_supported", f"cap_is_{kind}_supported")
        limits = ("max_num_tasks", "max_log_num_tasks", "max_buf_size", many)
        for name in (*asks, *(f"{kind}_cap_get_{limit}" for limit in limits)):
            yield (name, "INVALID_VALUE"), _null(name)
        for name in asks:
            yield (name, "NOT_SUPPORTED"), (_incapable(name), f"cannot be a {kind}")
        name = f"{kind}_cap_get_max_buf_size"
        yield (name, "NOT_SUPPORTED"), (_incapable(name), "has no fast path")


def _incapable(name: str) -> Callable[[World], Any]:
    def provoke(world: World) -> Any:
        world.have_devices("capable = false")
        return _on_device(name, "dpu")(world)

    return provoke


def _of_a_side(side: str) -> Iterator[tuple[Row, Provocation]]:
    for size in ("max_msg_size", "recv_queue_size"):
        name = f"{side}_set_{size}"
        yield (name, "INVALID_VALUE"), (_on(side, name, 0), f"set_{size}.* from 1|{size} takes .* from 1")
        yield (name, "BAD_STATE"), (_on(side, name, 64, running=True), _FROZEN)
    for what in ("get_max_msg_size", "get_recv_queue_size", "get_device", "destroy"):
        yield (f"{side}_{what}", "INVALID_VALUE"), _null(f"{side}_{what}")
    yield (f"{side}_destroy", "IN_USE"), (_on(side, f"{side}_destroy", running=True), _FROZEN)
    for words, wrong, what in (("task_send", 0, "from 1"), ("send_task", 32, "log_num_tasks is 32; .* from 0 to 31")):
        conf, alloc = f"{side}_{words}_set_conf", f"{side}_{words}_alloc_init"
        yield (conf, "INVALID_VALUE"), (_on(side, conf, ignore, ignore, wrong), what)
        yield (conf, "BAD_STATE"), (_on(side, conf, ignore, ignore, 1, running=True), _FROZEN)
        yield (alloc, "INVALID_VALUE"), (_too_long(side, alloc), "4081")
        yield (alloc, "NO_MEMORY"), (_all_sends(side, alloc), "all 4 tasks .* in use")
    for event, callbacks in (("msg_recv", 1), ("consumer", 2)):
        name = f"{side}_event_{event}_register"
        yield (name, "INVALID_VALUE"), (_on(side, name, *[None] * callbacks), _NULL)
        yield (name, "BAD_STATE"), (_on(side, name, *[ignore] * callbacks, running=True), _FROZEN)


def _of_the_fast_path(noun: str, words: tuple[str, str], *rest: Any) -> Iterator[tuple[Row, Provocation]]:
    for what in ("destroy", "get_id"):
        yield (f"{noun}_{what}", "INVALID_VALUE"), _null(f"{noun}_{what}")
    for name, wrong, what in ((words[0], 0, "from 1"), (words[1], 64, "log_num_tasks is 64; .* from 0 to 31")):
        conf, alloc = f"{noun}_{name}_set_conf", f"{noun}_{name}_alloc_init"
        yield (conf, "INVALID_VALUE"), (_on(noun, conf, ignore, ignore, wrong), what)
        yield (conf, "BAD_STATE"), (_on(noun, conf, ignore, ignore, 1, running=True), _FROZEN)
        yield (alloc, "INVALID_VALUE"), (_on(noun, alloc, None, *rest), "buf is NULL")
        yield (alloc, "NO_MEMORY"), (_all_fast(noun, alloc, *rest), "all 4 tasks .* in use")


PROVOCATIONS: dict[Row, Provocation] = {
    **dict(_capabilities()),
    **{row: case for side in _SIDES for row, case in _of_a_side(side)},
    **dict(_of_the_fast_path("producer", ("task_send", "send_task"), 1)),
    **dict(_of_the_fast_path("consumer", ("task_post_recv", "post_recv_task"))),
    ("server_create", "INVALID_VALUE"): _null("server_create", None, None),
    ("client_create", "INVALID_VALUE"): _null("client_create", None),
    ("server_get_device_repr", "INVALID_VALUE"): _null("server_get_device_repr"),
    ("server_event_connection_register", "INVALID_VALUE"): (
        _on("server", "server_event_connection_register", ignore, None),
        _NULL,
    ),
    ("server_event_connection_register", "BAD_STATE"): (
        _on("server", "server_event_connection_register", ignore, ignore, running=True),
        _FROZEN,
    ),
    ("client_get_connection", "INVALID_VALUE"): _null("client_get_connection"),
    ("client_get_connection", "BAD_STATE"): (_on("client", "client_get_connection"), "while IDLE|not been started"),
    ("connection_update_info", "INVALID_VALUE"): _null("connection_update_info"),
    ("connection_update_info", "CONNECTION_INPROGRESS"): (
        lambda world: cc.doca_cc_connection_update_info(world.starting()),
        "still being set up",
    ),
    ("connection_update_info", "CONNECTION_ABORTED"): (
        lambda world: cc.doca_cc_connection_update_info(world.dead()),
        "the connection is dead",
    ),
    ("connection_get_counter", "INVALID_VALUE"): (
        lambda world: cc.doca_cc_connection_get_counter(world.connection, 5),
        "counter_type is 5",
    ),
    ("producer_create", "INVALID_VALUE"): _null("producer_create"),
    ("producer_create", "BAD_STATE"): (
        lambda world: cc.doca_cc_producer_create(world.starting()),
        "a connection that is not up",
    ),
    ("consumer_create", "INVALID_VALUE"): _null("consumer_create", None),
    ("consumer_create", "BAD_STATE"): (
        lambda world: cc.doca_cc_consumer_create(world.starting(), world.mmap),
        "a connection that is not up",
    ),
    ("consumer_create", "NO_MEMORY"): (_too_many_consumers, "all 64 that it may have"),
}

FEW, SHORT = "Too many open files", "out of memory"
_SERVER = "dpu = cc.open_device('03:00.0'); rep = dpu.open_representor('b1:00.0'); pe = cc.ProgressEngine()\n"
_CLIENT = "host = cc.open_device('b1:00.0'); pe = cc.ProgressEngine()\n"
_LONG = "name = '\\u00e9' * 200_000_000\n"  # it cannot even be measured in the memory that is left
EXHAUSTED: dict[Row, tuple[str, str]] = {
    ("server_create", "INITIALIZATION"): (
        f"{_SERVER}no_more_descriptors(); print(error_of(lambda: cc.Server(dpu, rep, 'svc')))",
        FEW,
    ),
    ("client_create", "INITIALIZATION"): (
        f"{_CLIENT}no_more_descriptors(); print(error_of(lambda: cc.Client(host, 'svc')))",
        FEW,
    ),
    ("server_create", "NO_MEMORY"): (
        f"{_SERVER}{_LONG}no_more_memory(); print(error_of(lambda: cc.Server(dpu, rep, name)))",
        SHORT,
    ),
    ("client_create", "NO_MEMORY"): (
        f"{_CLIENT}{_LONG}no_more_memory(); print(error_of(lambda: cc.Client(host, name)))",
        SHORT,
    ),
    ("producer_create", "NO_MEMORY"): (
        "from tests.cc.world import World\nconnection = World().connection\n"
        "no_more_descriptors(); print(error_of(lambda: cc.Producer(connection)))",
        FEW,
    ),
}
