"""Which calls may come before others, with the same handle: the connection of a context before its start."""

from __future__ import annotations

import pytest

from tests.migrate.marked import Marked

MADE = """import atexit, asyncio, threading
import doca_cc as cc
from contextlib import contextmanager
pe, host = cc.ProgressEngine(), cc.open_device("b1:00.0")
client = cc.Client(host, "svc")
ctx = client.as_ctx()
"""
CONNECT, START = "pe.connect_ctx(ctx)\n", "at_x(ctx.start())\n"
LOOP = "for _ in 'ab':\n    ctx = cc.Client(cc.open_device('x'), 'svc').as_ctx()\n"
METHODS = """class Link:
    def __init__(self):
        self.pe, self.ctx = cc.ProgressEngine(), cc.Client(cc.open_device("b1:00.0"), "svc").as_ctx()
    def connect(self):
        self.pe.connect_ctx(self.ctx)
    def start(self):
        at_x(self.ctx.start())
"""
PARTS = f"def connect():\n    {CONNECT}def start():\n    {START}"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (CONNECT + START, True),
        (START + CONNECT, False),
        (START, False),
        (f"try:\n    {CONNECT}except cc.DocaError:\n    pass\n{START}", True),
        (f"if pe:\n    {CONNECT}{START}", True),
        (f"try:\n    {START}except cc.NotConnected:\n    {CONNECT}", False),
        (f"while True:\n    try:\n        {START}        break\n    except cc.NotConnected:\n        {CONNECT}", True),
        (f"{LOOP}    {START}    {CONNECT}", False),
        (f"{LOOP}    {CONNECT}    {START}", True),
        (f"other = cc.Client(cc.open_device('x'), 'svc')\npe.connect_ctx(other.as_ctx())\n{START}{CONNECT}", False),
        (METHODS + "link = Link()\nlink.connect()\nlink.start()\n", True),
        (METHODS + "link = Link()\nlink.start()\nlink.connect()\n", False),
        (METHODS, True),
        (METHODS + "def run():\n    link = Link()\n    link.start()\n    link.connect()\n", False),
        (METHODS + "def run(link: Link):\n    link.start()\ndef connect(link: Link):\n    link.connect()\n", True),
        (PARTS + "connect()\nstart()\n", True),
        (PARTS + "start()\nconnect()\n", False),
        (PARTS + "threading.Thread(target=start).start()\nconnect()\n", True),
        (PARTS + "threading.Thread(target=connect).start()\nstart()\n", True),
        (PARTS + "atexit.register(start)\nconnect()\n", True),
        (PARTS + "client.event_msg_recv_register(lambda *args: start())\nconnect()\n", True),
        (f"def again(n):\n    {START}    {CONNECT}    again(n - 1)\nagain(3)\n", True),
        (f"@atexit.register\ndef start():\n    {START}{CONNECT}", True),
        (f"@contextmanager\ndef started():\n    {START}    yield\n{CONNECT}with started():\n    pass\n", True),
        (f"def started():\n    {START}    yield\nsteps = started()\n{CONNECT}list(steps)\n", True),
        (f"async def start():\n    {START}task = start()\n{CONNECT}asyncio.run(task)\n", True),
        (f"start = lambda: at_x(ctx.start())\n{CONNECT}start()\n", True),
        (f"class App:\n    def __enter__(self):\n        {START}{CONNECT}with App():\n    pass\n", True),
        (f"def run(ctx: cc.Context):\n    {START}    cc.ProgressEngine().connect_ctx(ctx)\n", False),
        (f"def run(ctx: cc.Context):\n    cc.ProgressEngine().connect_ctx(ctx)\n    {START}", True),
    ],
)
def test_a_call_that_may_have_been_made_before(text: str, answer: bool) -> None:
    program = Marked(main=MADE + text)
    node = program["x"]
    (receiver,) = (call.receiver for call in program.facts.calls.values() if call.node is node)
    assert receiver is not None
    origins = program.facts.handles(receiver)
    assert origins
    found = [program.facts.may_come_after(node, "doca_pe_connect_ctx", origin) for origin in origins]
    assert all(found) is answer
