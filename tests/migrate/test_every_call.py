"""Every function of generation 1, aliases too, is rewritten in straight-line use: result ignored, taken, checked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import comch_next.api as api
from migrate import Level, rewrite

PREFIX, EP, PEER = "doca_comm_channel_", "doca_comm_channel_ep_", "doca_comm_channel_peer_addr_"
ROWS = {row.name: row for row in api.functions("comm_channel")}
ALIASES = {alias: name for alias, name in api.aliases().items() if name in ROWS}
SERVER_ONLY = {EP + each for each in ("get_device_rep", "get_service_event_channel", "update_service_state_info")}
SERVER_ONLY |= {EP + each for each in ("get_peer_addr_list", "get_pending_connections", "set_device_rep", "listen")}
ARGUMENTS = {
    "local_ep": "ep",
    "ep": "ep",
    "peer_addr": "peer",
    "devinfo": "devs[0]",
    "device": "dev",
    "device_rep": "rep",
    "msg": "b'x'",
    "len": "1",
    "flags": "DOCA_CC_MSG_FLAG_NONE",
    "name": "'svc'",
    "user_context": "7",
    **dict.fromkeys(("max_msg_size", "send_queue_size", "recv_queue_size"), "16"),
}
_SETTERS = ("set_device", "set_max_msg_size", "set_send_queue_size", "set_recv_queue_size")
SETUP = {
    "server": (EP + "create", *(EP + each for each in _SETTERS), EP + "set_device_rep", EP + "listen"),
    "client": (EP + "create", *(EP + each for each in _SETTERS), EP + "connect"),
}
FLAT = """from doca_comm_channel import *
rc, devs, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(devs[0])
rc, reps, n = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
rc, rep = doca_dev_rep_open(reps[0])
"""
OBJECTS = """import doca_comm_channel as cc
devs = cc.devices()
dev = cc.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
"""


def _outputs(name: str) -> list[str]:
    """Names for the results: those that other calls need have theirs."""
    known = {"ep": "ep", "peer_addr": "peer"}
    return [known.get(each.name, f"its_{each.name}") for each in ROWS[ALIASES.get(name, name)].outputs]


def _flat(name: str, how: str) -> str:
    arguments = (ARGUMENTS[each.name] for each in ROWS[ALIASES.get(name, name)].inputs)
    call = f"{name}({', '.join(arguments)})\n"
    taken = ", ".join(["rc", *_outputs(name)]) + " = " + call
    check = "if rc != DOCA_SUCCESS:\n    raise SystemExit(1)\n"
    return {"ignored": call, "taken": taken, "checked": taken + check}[how]


def _objects(name: str, how: str) -> str:
    row = ROWS[name]
    inputs = [each.name for each in row.inputs]
    short = name.removeprefix(PEER).removeprefix(EP).removeprefix(PREFIX)
    if name == EP + "create":
        call, outputs = "cc.Endpoint()", ["ep"]
    elif not name.startswith((EP, PEER)):
        call, outputs = f"cc.{short}({', '.join(ARGUMENTS[each] for each in inputs)})", _outputs(name)
    else:
        passed = {"sendto": ["msg", "peer_addr"], "recvfrom": ["len"]}.get(short, inputs[1:])
        call = f"{ARGUMENTS[inputs[0]]}.{short}({', '.join(ARGUMENTS[each] for each in passed)})"
        outputs = [each for each in _outputs(name) if each not in ("its_len", "its_peer_addr_array_len")]
    taken = f"{', '.join(outputs)} = {call}\n" if outputs else f"{call}\n"
    return {"ignored": f"{call}\n", "taken": taken, "checked": _guarded(taken)}[how]


def _guarded(lines: str) -> str:
    """With a handler for all of them: one of a single set-up call would no longer see that call fail."""
    inside = "".join(f"    {line}\n" for line in lines.splitlines())
    return f"try:\n{inside}except cc.DocaError:\n    raise SystemExit(1)\n"


def _program(name: str, how: str, role: str, spelling: str) -> str:
    """The set-up of that role with the call in its place; a call that is none of the set-up comes after."""
    write, start = (_flat, FLAT) if spelling == "flat" else (_objects, OBJECTS)
    proper, calls = ALIASES.get(name, name), [*SETUP[role]]
    if proper in calls:
        calls[calls.index(proper)] = name
        if spelling == "objects" and how == "checked":
            return start + _guarded("".join(write(each, "taken") for each in calls))
        return start + "".join(write(each, how if each == name else "taken") for each in calls)
    peer = write(EP + "recvfrom", "taken") if role == "server" else ""
    return start + "".join(write(each, "taken") for each in calls) + peer + write(name, how)


def _roles(name: str) -> tuple[str, ...]:
    """Those that have the call."""
    if name in SERVER_ONLY:
        return ("server",)
    return ("client",) if name == EP + "connect" else ("server", "client")


def _programs() -> Iterator[tuple[str, str, str, str]]:
    for name in sorted({*ROWS, *ALIASES}):
        proper = ALIASES.get(name, name)
        for role in _roles(proper):
            for spelling in ("flat", "objects") if name in ROWS else ("flat",):
                for how in ("ignored", "taken", "checked"):
                    if (proper, how) != (EP + "create", "ignored"):  # an endpoint that nobody takes is of no use
                        yield name, how, role, spelling


@pytest.mark.parametrize(("name", "how", "role", "spelling"), list(_programs()))
def test_it_is_rewritten(name: str, how: str, role: str, spelling: str) -> None:
    program = _program(name, how, role, spelling)
    outcome = rewrite(program.encode())
    assert {finding.level for finding in outcome.findings} == {Level.SAFE}, outcome.new.decode()
    assert "doca_" not in outcome.new.decode()
    compile(outcome.new, name, "exec")
