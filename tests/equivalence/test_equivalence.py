"""Any sequence of old calls gives, step by step, what the expressions written in their place give."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import SECONDS, repeat
from tests.equivalence.table import ROWS
from tests.equivalence.worlds import Call, Spelling, World, worlds
from tests.examples import examples

EXAMPLES = 15
MOST = 4
A_TURN_S = 0.0012  # the library looks at its sockets at most once per millisecond

NAMES = st.sampled_from(
    ["svc_", "svc_", "svc_", "second_", b"svc_\0", "", "x" * 127, "x" * 128, "a\0b", None, 5, b"\xff"]
)
SIZES = st.sampled_from([1, 7, 8, 9, 15, 16, 63, 64, 65, 100, 4080, 65535, 65536, 0, -1, None, "x", True, 2.0, 2**70])
DATA = st.sampled_from([b"", b"x", b"hello", b"y" * 64, b"z" * 65, b"w" * 4081, bytearray(b"abc")])
PLACES = st.sampled_from(["dpu", "host", "host", "other host", "rep", None, "junk"])
REPS = st.sampled_from(["rep", "rep", "other rep", "dpu", "b1:00.0", None, "junk"])
USER_DATA = st.sampled_from([0, 7, 2**64 - 1, 2**64, -1, None, "x", 1.5, True])
FREQUENT = ["recvfrom", "recvfrom", "sendto", "sendto", "peer_update_info", "event_handle_arm_recv"]


@st.composite
def calls(draw: st.DrawFn, foreign: bool) -> Call:
    row = draw(st.sampled_from([*ROWS, *FREQUENT]))
    ep = draw(st.sampled_from([0, 1, 0, 1, 2, 3, *([None] if foreign else [])]))
    args: dict[str, Any] = {}
    if row.startswith("set_"):
        args["x"] = draw({"set_device": PLACES, "set_device_rep": REPS}.get(row, SIZES))
    if row in ("listen", "connect"):
        args["name"] = draw(NAMES)
    if row.startswith("sendto"):
        args["data"] = draw(DATA)
        args["n"] = draw(st.sampled_from([0, 1, 3, 5, -1, None, "3"]))
    if row == "recvfrom":
        args["size"] = draw(st.sampled_from([100, 5000, 5000, 3, 0, -1, None, "x", 2**70]))
    if row.startswith(("peer_", "sendto", "disconnect")):
        owner = draw(st.integers(0, MOST - 1)) if foreign else (ep or 0)
        own = (ep or 0, draw(st.integers(0, 2)))
        other = draw(st.sampled_from([(owner, 0), None, "junk"]))
        args["peer"] = other if draw(st.integers(0, 9)) == 0 else own
    if row == "peer_set_user_data":
        args["x"] = draw(USER_DATA)
    return Call(row, ep, args)


def prelude(send: int, recv: int, connected: bool) -> list[Call]:
    """A service and two clients, the first of which may be let in."""
    steps = [Call("set_device", 0, {"x": "dpu"}), Call("set_device_rep", 0, {"x": "rep"})]
    steps += [Call("set_device", ep, {"x": "host"}) for ep in (1, 2)]
    steps += [Call("set_send_queue_size", ep, {"x": send}) for ep in (0, 1)]
    steps += [Call("set_recv_queue_size", ep, {"x": recv}) for ep in (0, 1)]
    steps += [Call("listen", 0, {"name": "svc_"})]
    if connected:
        steps += [Call("connect", 1, {"name": "svc_"}), *[Call("recvfrom", 0, {"size": 100})] * 2]
        steps += [Call("peer_update_info", 1, {"peer": (1, 0)}), Call("sendto", 1, {"data": b"hi", "peer": (1, 0)})]
        steps += [Call("recvfrom", 0, {"size": 100})]
    return steps


@pytest.fixture(scope="module")
def spellings() -> Iterator[dict[str, Spelling]]:
    made = {name: Spelling(name) for name in ("objects", "flat", "new_objects", "new_flat", "on_class")}
    yield made
    for spelling in made.values():
        spelling.close()


def run(group: list[World], steps: list[Call]) -> None:
    """Run the steps in every world of a group, and compare each step with the first world's."""
    for world in group:
        for _ in range(MOST):
            world.create()
    done: list[Any] = []
    for step in steps:
        threading.Event().wait(A_TURN_S)
        seen = [(world.run(step), world.readable()) for world in group]
        done.append((step, seen[0]))
        for world, found in zip(group, seen, strict=True):
            if found != seen[0]:
                pytest.fail(f"{step}\n{group[0]}: {seen[0]}\n{world}: {found}\nafter\n" + "\n".join(map(str, done)))
        if step.row == "destroy" and step.ep is not None:
            for world in group:
                world.forget(step.ep)


def check(spellings: dict[str, Spelling], foreign: bool, steps: list[Call]) -> None:
    for group in worlds(spellings, foreign):
        try:
            run(group, steps)
        finally:
            for world in group:
                world.close()


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize("foreign", [False, True])
def test_any_sequence_is_the_same(foreign: bool, spellings: dict[str, Spelling], runtime_dir: Path) -> None:
    sizes = st.sampled_from([1, 8, 9, 16])

    @examples(EXAMPLES)
    @given(sizes, sizes, st.booleans(), st.lists(calls(foreign), min_size=10, max_size=40))
    def sequences(send: int, recv: int, connected: bool, steps: list[Call]) -> None:
        check(spellings, foreign, prelude(send, recv, connected) + steps)

    repeat(sequences)
