"""Programs of generation 1, made up: both ends in one process, every call's result printed.

A program is a list of operations on a service, its clients and their peers, in a random but mostly sensible order.
What varies is how it is written: the spelling, how the module is imported, where handles are kept, in which
functions the operations stand, and how a result is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

__all__ = ["programs"]

ENDPOINTS = ("service", "client", "other")
NAMES = ('"alpha"', '"alpha"', '"alpha"', 'b"alpha"', '"beta"', '""')
MESSAGES = ('b"x"', 'b""', "bytes(64)", 'b"abc" * 20', "bytearray(b'mutable')", "bytes(5000)")
SIZES = ("4080", "4080", "65535", "64", "3", "0", "-1", "70000")

Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass
class Operation:
    """One old call: its C name and arguments; `keep` names what holds its outputs."""

    label: str
    function: str
    arguments: tuple[str, ...]
    keep: tuple[str, ...] = ()
    shown: tuple[bool, ...] = ()  # which outputs are values that can be printed


@dataclass
class Writer:
    """Spells operations as lines; `draw` decides among the manners."""

    draw: Draw
    flat: bool
    prefix: str  # "cc." or ""
    holder: str  # text before a handle's name: "", "state.", "self."; 'state["' needs an end
    end: str = ""
    lines: list[str] = field(default_factory=list)

    def pick(self, *choices: str) -> str:
        return str(self.draw(st.sampled_from(choices)))

    def ref(self, name: str) -> str:
        """Where a handle is kept."""
        return f"{self.holder}{name}{self.end}"

    # ------------------------------------------------------------------ calls

    def call(self, operation: Operation) -> str:
        arguments = operation.arguments
        if self.flat:
            return f"{self.prefix}{operation.function}({', '.join(arguments)})"
        return f"{self.receiver(operation)}({', '.join(self.rest(operation))})"

    def receiver(self, operation: Operation) -> str:
        """The bound method of the objects spelling."""
        return f"{operation.arguments[0]}.{_method(operation.function)}"

    def rest(self, operation: Operation) -> tuple[str, ...]:
        """The arguments after the receiver: no lengths, no flags."""
        if operation.function.endswith("ep_sendto"):
            return (operation.arguments[1], operation.arguments[4])
        if operation.function.endswith("ep_recvfrom"):
            return (operation.arguments[1],)
        return operation.arguments[1:]

    # ------------------------------------------------------------------ statements

    def write(self, operation: Operation) -> list[str]:
        if self.flat:
            return self.write_flat(operation) if operation.keep else self.write_code(operation)
        return self.write_objects(operation)

    def write_code(self, operation: Operation) -> list[str]:
        """A flat call that returns its code alone."""
        call, label = self.call(operation), operation.label
        success, again = f"{self.prefix}DOCA_SUCCESS", f"{self.prefix}DOCA_ERROR_AGAIN"
        manner = self.pick("print", "name", "walrus", "if", "check", "in", "loop", "match", "or", "table")
        return {
            "print": [f'print("{label}", {call})'],
            "name": [f"rc = {call}", f'print("{label}", {self.prefix}doca_error_get_name(rc))'],
            "walrus": [f"if (rc := {call}) != {success}:", f'    print("{label} failed", rc)'],
            "if": [
                f"rc = {call}",
                f"if rc == {again}:",
                f'    print("{label} again")',
                "elif rc:",
                f'    print("{label}", "%d" % rc)',
            ],
            "check": [f'check("{label}", {call})'],
            "in": [
                f"if {call} in ({success}, {again}):",
                f'    print("{label} fine")',
                "else:",
                f'    print("{label} bad")',
            ],
            "loop": [f"while (rc := {call}) == {again} and patience():", "    rest()", f'print("{label}", rc)'],
            "match": [
                f"match {call}:",
                "    case 0:",
                f'        print("{label} done")',
                "    case code:",
                f'        print("{label}", int(code))',
            ],
            "or": [f"rc = {success}", f"rc = rc or {call}", f'print("{label}", f"{{rc}}")'],
            "table": [f'codes["{label}"] = {call}', f'print("{label}", codes["{label}"] == 0)'],
        }[manner]

    def write_flat(self, operation: Operation) -> list[str]:
        """A flat call with outputs, unpacked or indexed."""
        call, keep, label = self.call(operation), operation.keep, operation.label
        shown = [name for name, plain in zip(keep, operation.shown, strict=True) if plain]
        told = "".join(f", {name}" for name in shown)
        manner = self.pick("unpack", "index", "check", "star")
        if manner == "unpack":
            return [f"rc, {', '.join(keep)} = {call}", f'print("{label}", rc{told})']
        if manner == "check":
            return [f'{", ".join(keep)}{"," if len(keep) == 1 else ""} = check("{label}", {call})'] + (
                [f'print("{label}"{told})'] if shown else []
            )
        if manner == "star":
            return (
                [f"rc, *found = {call}"]
                + [f"{name} = found[{i}]" for i, name in enumerate(keep)]
                + [f'print("{label}", rc{told})']
            )
        return (
            [f"r = {call}"]
            + [f"{name} = r[{i + 1}]" for i, name in enumerate(keep)]
            + [f'print("{label}", r[0]{told})']
        )

    def write_objects(self, operation: Operation) -> list[str]:
        call, label = self.call(operation), operation.label
        shown = [name for name, plain in zip(operation.keep, operation.shown, strict=True) if plain]
        target = ", ".join(operation.keep) + " = " if operation.keep else ""
        told = "".join(f", {name}" for name in shown)
        error = f"{self.prefix}DocaError"
        manner = self.pick("try", "else", "suppress", "attempt", "bound", "classes")
        if manner == "bound" and not operation.keep:
            arguments = "".join(f", {argument}" for argument in self.rest(operation))
            return [f'attempt("{label}", {self.receiver(operation)}{arguments})']
        if manner == "attempt" and not operation.keep:
            return [f'attempt("{label}", lambda: {call})']
        body = [f"    {target}{call}", f'    print("{label}"{told})']
        if manner == "suppress":
            return [f"with suppress({error}, AttributeError):", *body]
        if manner == "classes":
            handlers = [f"except {self.prefix}Again:", f'    print("{label} again")']
            handlers += [f"except ({error}, AttributeError) as error:", f'    print("{label}", type(error).__name__)']
            return ["try:", *body, *handlers]
        code = 'getattr(error, "code", None) == 5'
        handlers = [f"except ({error}, AttributeError) as error:", f'    print("{label} failed", {code})']
        if manner == "else":
            return ["try:", body[0], *handlers, "else:", body[1]]
        return ["try:", *body, *handlers]


def _method(function: str) -> str:
    return function.removeprefix("doca_comm_channel_").removeprefix("ep_").removeprefix("peer_addr_")


# ---------------------------------------------------------------------- operations


def _operation(draw: Draw, writer: Writer, endpoint: str, kind: str) -> Operation:
    """One operation of a kind on an endpoint, or on its peer."""
    ep, peer = writer.ref(endpoint), writer.ref(f"{endpoint}_peer")

    def some(*choices: str) -> str:
        return str(draw(st.sampled_from(choices)))

    message, label = some(*MESSAGES), f"{endpoint} {kind}"
    whole = some(f"len({message})", f"len({message})", "1", "len(b'')", "100")
    other = some(peer, peer, peer, writer.ref("service_peer"), writer.ref("client_peer"), "None")
    ep_call, peer_call = "doca_comm_channel_ep_", "doca_comm_channel_peer_addr_"
    made = {
        "device": lambda: Operation(label, f"{ep_call}set_device", (ep, writer.ref(_device(some, endpoint)))),
        "rep": lambda: Operation(label, f"{ep_call}set_device_rep", (ep, writer.ref("rep"))),
        "size": lambda: Operation(label, f"{ep_call}set_max_msg_size", (ep, some(*SIZES))),
        "send queue": lambda: Operation(
            label, f"{ep_call}set_send_queue_size", (ep, some("8", "10", "1", "0", "9000"))
        ),
        "recv queue": lambda: Operation(label, f"{ep_call}set_recv_queue_size", (ep, some("8", "10", "1", "512"))),
        "get size": lambda: Operation(label, f"{ep_call}get_max_msg_size", (ep,), ("value",), (True,)),
        "get queue": lambda: Operation(label, f"{ep_call}get_send_queue_size", (ep,), ("value",), (True,)),
        "listen": lambda: Operation(label, f"{ep_call}listen", (ep, some(*NAMES))),
        "connect": lambda: Operation(label, f"{ep_call}connect", (ep, some(*NAMES)), (peer,), (False,)),
        "info": lambda: Operation(label, f"{peer_call}update_info", (peer,)),
        "send": lambda: Operation(label, f"{ep_call}sendto", (ep, message, whole, "0", other)),
        "receive": lambda: Operation(
            label,
            f"{ep_call}recvfrom",
            (ep, some("4080", "4080", "2", "65535"), "0"),
            *((("data", "n", peer), (True, True, False)) if writer.flat else (("data", peer), (True, False))),
        ),
        "sent": lambda: Operation(label, f"{peer_call}get_send_messages", (peer,), ("value",), (True,)),
        "received": lambda: Operation(label, f"{peer_call}get_recv_bytes", (peer,), ("value",), (True,)),
        "flight": lambda: Operation(label, f"{peer_call}get_send_in_flight_messages", (peer,), ("value",), (True,)),
        "mark": lambda: Operation(label, f"{peer_call}set_user_data", (peer, some("7", "0", "2**40", "-1"))),
        "mark of": lambda: Operation(label, f"{peer_call}get_user_data", (peer,), ("value",), (True,)),
        "arm": lambda: Operation(label, f"{ep_call}event_handle_arm_recv", (ep,)),
        "pending": lambda: Operation(label, f"{ep_call}get_pending_connections", (ep,), ("value",), (True,)),
        "state": lambda: Operation(label, f"{ep_call}update_service_state_info", (ep,)),
        "disconnect": lambda: Operation(label, f"{ep_call}disconnect", (ep, other)),
        "destroy": lambda: Operation(label, f"{ep_call}destroy", (ep,)),
    }
    return made[kind]()


def _device(some: Callable[..., str], endpoint: str) -> str:
    right, wrong = ("dpu", "host") if endpoint == "service" else ("host", "dpu")
    return some(right, right, right, right, right, right, wrong)


TALK = ("send", "receive", "send", "receive", "info", "sent", "received", "flight", "mark", "mark of", "arm", "state")
ODD = ("size", "get size", "get queue", "listen", "connect", "pending", "disconnect", "destroy", "device")


def _orders(draw: Draw) -> list[tuple[str, str]]:
    """(endpoint, kind) of every operation: set-up, which may lack something, then talk with odd calls among it."""
    found = []
    for endpoint in ENDPOINTS[: int(draw(st.integers(2, 3)))]:
        setting = ["device", *(["rep"] if endpoint == "service" else [])]
        setting += draw(st.lists(st.sampled_from(["size", "send queue", "recv queue", "get size"]), max_size=3))
        setting = draw(st.permutations(setting))
        if draw(st.integers(0, 9)) == 0:
            setting = setting[1:]
        found += [(endpoint, kind) for kind in [*setting, "listen" if endpoint == "service" else "connect"]]
        found += [("service", "receive")] if endpoint != "service" else []
    kinds = st.one_of(st.sampled_from(TALK), st.sampled_from(TALK), st.sampled_from(TALK), st.sampled_from(ODD))
    found += draw(st.lists(st.tuples(st.sampled_from(ENDPOINTS[:2]), kinds), min_size=4, max_size=14))
    return [*found, ("client", "disconnect"), ("client", "destroy"), ("service", "destroy")]


# ---------------------------------------------------------------------- the text

HELPERS = """
import select, time
from contextlib import suppress

turns = [40]
codes = {}

def rest():
    time.sleep(0.002)

def patience():
    turns[0] -= 1
    return turns[0] > 0

def attempt(label, call, *args):
    try:
        call(*args)
        print(label, "done")
    except (%(error)s, AttributeError) as error:
        print(label, "failed", type(error).__name__)

def check(label, result):
    if not isinstance(result, tuple):
        if result != %(success)s:
            print(label, "failed", %(get_name)s(result))
        return ()
    rc, *outputs = result
    if rc != %(success)s:
        print(label, "failed", rc)
    return outputs
"""
HANDLES = ("dpu", "host", "rep", *(name for end in ENDPOINTS for name in (end, f"{end}_peer")))
OBJECTS_OPEN: tuple[str, ...] = ("{dpu} = {p}open_device('03:00.0')", "{host} = {p}open_device('b1:00.0')")
OBJECTS_OPEN += ("{rep} = {dpu}.open_representor('b1:00.0')",)
FLAT_OPEN: tuple[str, ...] = (
    "rc, infos, number = {p}doca_devinfo_create_list()",
    "for info in infos:",
    "    rc, address = {p}doca_devinfo_get_pci_addr_str(info)",
    "    if address.endswith('03:00.0'):",
    "        rc, {dpu} = {p}doca_dev_open(info)",
    "    elif address.endswith('b1:00.0'):",
    "        rc, {host} = {p}doca_dev_open(info)",
    "rc, reps, number = {p}doca_devinfo_rep_create_list({dpu}, {p}DOCA_DEV_REP_FILTER_ALL)",
    "rc, {rep} = {p}doca_dev_rep_open(reps[0])",
)
IMPORTS: dict[str, str] = {
    "import doca_comm_channel as cc": "cc.",
    "import doca_comm_channel": "doca_comm_channel.",
    "from doca_comm_channel import *": "",
}


@st.composite
def programs(draw: Draw) -> str:
    """The text of one program."""
    flat = bool(draw(st.booleans()))
    line = str(draw(st.sampled_from(sorted(IMPORTS))))
    holder = str(draw(st.sampled_from(["globals", "locals", "state", "dict", "self", "slots"])))
    before, end = {
        "state": ("state.", ""),
        "slots": ("state.", ""),
        "dict": ('state["', '"]'),
        "self": ("self.", ""),
    }.get(holder, ("", ""))
    writer = Writer(draw, flat, IMPORTS[line], before, end)
    names = {name: writer.ref(name) for name in HANDLES}
    opening = [text.format(p=writer.prefix, **names) for text in (FLAT_OPEN if flat else OBJECTS_OPEN)]
    create = [_create(writer, name) for name in ENDPOINTS]
    body = [f"{' = '.join(names.values())} = None", *opening, *create]
    groups = [body]
    for endpoint, kind in _orders(draw):
        if draw(st.integers(0, 4)) == 0:
            groups.append([])
        groups[-1] += ["rest()", *writer.write(_operation(draw, writer, endpoint, kind))]
    p = writer.prefix
    helpers = HELPERS % {
        "error": f"{p}DocaError",
        "success": f"{p}DOCA_SUCCESS",
        "get_name": f"{p}doca_error_get_name",
    }
    return "\n".join([line, helpers, *_layout(holder, groups)]) + "\n"


def _create(writer: Writer, name: str) -> str:
    if writer.flat:
        return f"rc, {writer.ref(name)} = {writer.prefix}doca_comm_channel_ep_create()"
    return f"{writer.ref(name)} = {writer.prefix}Endpoint()"


def _indented(lines: list[str], step: str = "    ") -> list[str]:
    return [step + line for line in lines]


def _layout(holder: str, groups: list[list[str]]) -> list[str]:
    """The groups of statements as functions, methods, or one long piece."""
    if holder == "locals":
        return ["def main():", *_indented([line for group in groups for line in group]), "main()"]
    if holder == "self":
        text = ["class Program:"]
        for number, group in enumerate(groups):
            text += [f"    def step_{number}(self):", *_indented(group, " " * 8)]
        return [*text, "program = Program()", *(f"program.step_{number}()" for number in range(len(groups)))]
    start = {
        "globals": [],
        "state": ["class State:", "    pass", "state = State()"],
        "dict": ["state = {}"],
        "slots": ["from types import SimpleNamespace", "state = SimpleNamespace()"],
    }[holder]
    text = []
    for number, group in enumerate(groups):
        inside = [f"global {', '.join(HANDLES)}", *group] if holder == "globals" else group
        text += [f"def step_{number}():", *_indented(inside)]
    return [*start, *text, *(f"step_{number}()" for number in range(len(groups)))]
