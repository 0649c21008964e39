"""Set-up and wait in the middle of code that may look at what is half made; each with the codes of what is joined."""

from __future__ import annotations

import re
import textwrap

from tests.migrate.idioms.program import AWAIT_CONNECT, ENDS, IMPORTS, SHOWN

__all__ = ["CONTEXTS", "REFUSED"]

CREATE = """
ep = cc.Endpoint()
ep.set_device(cc.open_device("b1:00.0"))
ep.set_max_msg_size(SIZE)
"""
CONNECT = """
peer = ep.connect(name)
while True:
    try:
        peer.update_info()
        break
    except cc.ConnectionInprogress:
        time.sleep(1e-4)
"""
OPTIONS, WAITS = "CCM102", "CCM103"
BOTH = frozenset({OPTIONS, WAITS})

PLACES = {
    "nobody looks": (
        BOTH,
        """
def attempt(name):
    CREATE
    CONNECT
    print("up", ep.get_max_msg_size())
""",
    ),
    "a finally clause destroys": (
        frozenset({WAITS}),
        """
def attempt(name):
    ep = None
    try:
        CREATE
        CONNECT
        print("up")
    finally:
        print("made", ep is not None)
        if ep is not None:
            ep.destroy()
""",
    ),
    "a finally clause disconnects": (
        frozenset({OPTIONS}),
        """
def attempt(name):
    peer = None
    CREATE
    try:
        CONNECT
    finally:
        print("peer", peer is not None)
        if peer is not None:
            ep.disconnect(peer)
        ep.destroy()
""",
    ),
    "the handler closes": (
        BOTH,
        """
def attempt(name):
    CREATE
    try:
        CONNECT
    except cc.ConnectionAborted:
        print("aborted")
        ep.destroy()
        return
    print("up")
""",
    ),
    "the handler connects again": (
        frozenset({OPTIONS}),
        """
def attempt(name):
    CREATE
    for turn in range(2):
        try:
            CONNECT
            print("up")
            return
        except cc.DocaError as error:
            print(turn, type(error).__name__)
""",
    ),
    "the handler asks the connection": (
        frozenset({OPTIONS}),
        """
def attempt(name):
    CREATE
    peer = None
    try:
        CONNECT
    except cc.ConnectionAborted:
        print("aborted", peer is not None)
        print(peer.get_send_messages() if peer else "none")
""",
    ),
    "the exception has it": (
        frozenset({OPTIONS}),
        """
def attempt(name):
    CREATE
    try:
        CONNECT
    except cc.ConnectionAborted as error:
        print("aborted", error.connection is None)
        if error.connection is not None:
            ep.disconnect(error.connection)
""",
    ),
    "all is made anew": (
        BOTH,
        """
def attempt(name):
    for turn in range(2):
        try:
            CREATE
            CONNECT
            print("up")
            break
        except cc.DocaError as error:
            print(turn, type(error).__name__)
    else:
        print("given up")
""",
    ),
    "a variable of before is read": (
        frozenset(),
        """
def attempt(name):
    ep = peer = None
    for turn in range(2):
        try:
            CREATE
            CONNECT
            print("up")
            break
        except cc.DocaError as error:
            print(turn, ep is not None, peer is not None, type(error).__name__)
""",
    ),
    "a closure reads it": (
        frozenset(),
        """
def attempt(name):
    def state():
        return ep is not None, peer is not None

    ep = peer = None
    try:
        CREATE
        CONNECT
    except cc.DocaError as error:
        print(type(error).__name__)
    print(state())
""",
    ),
    "a global is read": (
        frozenset(),
        """
ep = peer = None

def build(name):
    global ep, peer
    CREATE
    CONNECT

def attempt(name):
    global ep, peer
    ep = peer = None
    try:
        build(name)
    except cc.DocaError as error:
        print(type(error).__name__)
    print(ep is not None, peer is not None)
""",
    ),
    "they are collected": (
        frozenset(),
        """
def attempt(name):
    made = []
    try:
        CREATE
        made.append(ep)
        CONNECT
        made.append(peer)
    except cc.DocaError as error:
        print(len(made), type(error).__name__)
    for one in made[:1]:
        one.destroy()
""",
    ),
    "the end of a with block reads it": (
        frozenset(),
        """
class Link:
    ep = peer = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        print(self.ep is not None, self.peer is not None)

    def open(self, name):
        SELF_CREATE
        SELF_CONNECT

def attempt(name):
    with Link() as link:
        link.open(name)
""",
    ),
    "a caller closes": (
        frozenset(),
        """
class Link:
    ep = None

    def open(self, name):
        SELF_CREATE
        SELF_CONNECT

    def close(self):
        print("made", self.ep is not None)
        if self.ep is not None:
            self.ep.destroy()

def attempt(name):
    link = Link()
    try:
        link.open(name)
    except cc.DocaError as error:
        print(type(error).__name__)
    finally:
        link.close()
""",
    ),
    "a constructor fails": (
        BOTH,
        """
class Link:
    def __init__(self, name):
        SELF_CREATE
        SELF_CONNECT

def attempt(name):
    try:
        print(Link(name).ep.get_max_msg_size())
    except cc.DocaError as error:
        print(type(error).__name__)
""",
    ),
    "a generator": (
        frozenset({WAITS}),
        """
import contextlib

@contextlib.contextmanager
def opened(name):
    ep = None
    try:
        CREATE
        CONNECT
        yield ep
    finally:
        print("made", ep is not None)

def attempt(name):
    with opened(name) as ep:
        print(ep.get_max_msg_size())
""",
    ),
    "a generator that a with statement runs": (
        BOTH,
        """
import contextlib

@contextlib.contextmanager
def opened(name):
    CREATE
    CONNECT
    print("up")
    try:
        yield ep
    finally:
        ep.destroy()

def attempt(name):
    with opened(name) as ep:
        print(ep.get_max_msg_size())
""",
    ),
    "a generator that goes on": (
        frozenset(),
        """
import contextlib

@contextlib.contextmanager
def opened(name):
    ep = peer = None
    try:
        CREATE
        CONNECT
    except cc.DocaError as error:
        print(type(error).__name__)
    yield ep, peer

def attempt(name):
    with opened(name) as (ep, peer):
        print(ep is not None, peer is not None)
""",
    ),
    "an object that a with statement enters": (
        frozenset(),
        """
class Link:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        SELF_CREATE
        name = self.name
        SELF_CONNECT
        print("up")
        return self.ep

    def __exit__(self, *error):
        self.ep.destroy()

def attempt(name):
    try:
        with Link(name) as ep:
            print(ep.get_max_msg_size())
    except cc.DocaError as error:
        print(type(error).__name__)
""",
    ),
    "an object that is asked when it could not be entered": (
        frozenset(),
        """
class Link:
    ep = peer = None

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        SELF_CREATE
        name = self.name
        SELF_CONNECT
        print("up")
        return self.ep

    def __exit__(self, *error):
        self.ep.destroy()

def attempt(name):
    link = Link(name)
    try:
        with link as ep:
            print(ep.get_max_msg_size())
    except cc.DocaError:
        print(link.ep is not None, link.peer is not None)
""",
    ),
    "another exception takes its place": (
        BOTH,
        """
class Failed(Exception):
    pass

def build(name):
    CREATE
    CONNECT
    return ep

def attempt(name):
    try:
        try:
            build(name)
        except cc.DocaError as error:
            raise Failed(name) from error
    except Failed as failure:
        print(type(failure.__cause__).__name__)
""",
    ),
    "a callback that was left before": (
        frozenset({OPTIONS}),
        """
import contextlib

def attempt(name):
    with contextlib.ExitStack() as stack:
        CREATE
        peer = None
        stack.callback(lambda: print(peer is not None))
        CONNECT
        print("up")
""",
    ),
    "names are looked up": (
        frozenset(),
        """
def attempt(name):
    try:
        CREATE
        CONNECT
    except cc.DocaError as error:
        print("ep" in locals(), "peer" in locals(), type(error).__name__)
""",
    ),
}
TALK = (
    AWAIT_CONNECT
    + """
def second(ready, lets_in):
    ep = service_end()
    os.write(ready, b"x")
    end = time.monotonic() + 20
    while time.monotonic() < end:
        ep.update_service_state_info()
        if ep.get_pending_connections():
            if not lets_in:
                await_connect()
                return
            try:
                ep.recvfrom(4080)
            except (cc.Again, cc.ConnectionReset):
                pass
        time.sleep(1e-3)

print("nobody")
shown(attempt, "idioms")
for lets_in in (False, True):
    print("lets in", lets_in)
    child, reading, writing = fork()
    if not child:
        leave_after(second, writing, lets_in)
    os.read(reading, 1)
    shown(attempt, "idioms")
    os.kill(child, 9) if lets_in else None
    os.waitpid(child, 0)
"""
)
TWICE = """
shown(attempt, "idioms")
shown(attempt, "idioms")
"""


def _filled(place: str, size: str) -> str:
    """Return a place with the set-up in it, at the depth where its name stands."""
    parts = {"CREATE": CREATE, "CONNECT": CONNECT}
    parts["SELF_CREATE"] = re.sub(r"\bep\b", "self.ep", CREATE)
    parts["SELF_CONNECT"] = re.sub(r"\b(ep|peer)\b", r"self.\1", CONNECT)
    lines = []
    for line in place.splitlines():
        part = parts.get(line.strip(), line.strip())
        lines.append(textwrap.indent(part.strip("\n"), line[: len(line) - len(line.lstrip())]))
    return "\n".join(lines).replace("SIZE", size) + "\n"


CONTEXTS = {name: (codes, ENDS + _filled(place, "4080") + TALK) for name, (codes, place) in PLACES.items()}
REFUSED = {name: IMPORTS + SHOWN + _filled(place, "100000") + TWICE for name, (_, place) in PLACES.items()}
