# case: a module of one's own with the old name
from . import doca_comm_channel
from .doca_comm_channel import Endpoint

ep = Endpoint()
ep.listen("svc")


# case: only text
"""Replaces doca_comm_channel."""
import os


# case: a local name before its assignment
import doca_comm_channel_tools as cc


def f():
    cc.x()
    cc = None


# case: an alias, after the cookie and the docstring
#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Says hello."""
from __future__ import annotations

import os, doca_comm_channel as cc

print(cc.ErrorCode.AGAIN, os.sep)

# output
#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Says hello."""
from __future__ import annotations

import comch_next as comch
import os

print(comch.ErrorCode.AGAIN, os.sep)


# case: the compatibility name
import comm_channel_compat as cc

raise cc.NotFound("nothing")

# output
import comch_next as comch

raise comch.NotFound("nothing")


# case: without an alias
import doca_comm_channel

raise doca_comm_channel.NotFound("nothing")

# output
import comch_next as comch

raise comch.NotFound("nothing")


# case: a list with comments, one name of it stays
from doca_comm_channel import (
    Again,  # nothing yet
    PeerAddr as Peer,  # whom we talk to
)

def is_peer(thing):
    return isinstance(thing, Peer)


def is_busy(error):
    return isinstance(error, Again)

# output
# nothing yet
# whom we talk to
import comch_next as comch

def is_peer(thing):
    return isinstance(thing, comch.Connection)


def is_busy(error):
    return isinstance(error, comch.Again)


# case: inside of a function
def tx():
    from doca_comm_channel import DocaError as Oops

    raise Oops


def rx():
    import doca_comm_channel as cc

    raise cc.Again

# output
def tx():
    import comch_next as comch

    raise comch.DocaError


def rx():
    import comch_next as comch

    raise comch.Again


# case: comch_next is there already
import comch_next as modern
import doca_comm_channel as cc

print(len(modern.devices()), len(cc.devices()))

# output
import comch_next as modern

print(len(modern.devices()), len(modern.devices()))


# case: the name comch is taken
import doca_comm_channel as cc

comch = 1
print(len(cc.devices()), comch)

# output
import comch_next

comch = 1
print(len(comch_next.devices()), comch)


# case: for type checkers only
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from doca_comm_channel import Device, PeerAddr


def f(dev: Device, peer: "PeerAddr") -> None:
    print(dev)

# output
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import comch_next as comch


def f(dev: comch.Device, peer: "comch.Connection") -> None:
    print(dev)


# case: a fallback
try:
    import doca_channel_new as cc
except ImportError:
    import doca_comm_channel as cc

raise cc.NotFound("nothing")

# output
try:
    import doca_channel_new as cc
except ImportError:
    import doca_comm_channel as cc

# CCM004: the name has more than one origin (python -m migrate explain CCM004)
raise cc.NotFound("nothing")


# case: none if missing
try:
    import doca_comm_channel as cc
except ImportError:
    cc = None

if cc is not None:
    print(cc.devices())

# output
try:
    import doca_comm_channel as cc
except ImportError:
    cc = None

if cc is not None:
    # CCM081: an old object is shown as text (python -m migrate explain CCM081)
    print(cc.devices())


# case: a class is None if missing
try:
    from doca_comm_channel import Again, Endpoint, open_device
except ImportError:
    Again = None
    Endpoint = None


def available():
    return Endpoint is not None


if available():
    ep = Endpoint()
    ep.set_device(open_device("b1:00.0"))
    try:
        ep.connect("svc")
    except Again:
        pass
    ep.destroy()

# output
try:
    import comch_next as comch
    from comch_next import Again, Client as Endpoint
except ImportError:
    Again = None
    Endpoint = None


def available():
    return Endpoint is not None


if available():
    ep = Endpoint(one_sided=True)
    ep.configure(device=comch.open_device("b1:00.0"))
    try:
        ep.connect("svc", timeout=0)
    except Again:
        pass
    ep.close()


# case: a class is None if missing, and stands for two
try:
    from doca_comm_channel import Endpoint
except ImportError:
    Endpoint = None


def serve():
    ep = Endpoint()
    ep.listen("svc")


def talk():
    ep = Endpoint()
    ep.connect("svc")

# output
try:
    from doca_comm_channel import Endpoint
except ImportError:
    Endpoint = None


def serve():
    # CCM004: the name has more than one origin (python -m migrate explain CCM004)
    ep = Endpoint()
    ep.listen("svc")


def talk():
    # CCM004: the name has more than one origin (python -m migrate explain CCM004)
    ep = Endpoint()
    ep.connect("svc")



# case: leave if missing
try:
    import doca_comm_channel as cc
except ImportError:
    raise SystemExit("not installed")

raise cc.NotFound("nothing")

# output
try:
    import comch_next as comch
except ImportError:
    raise SystemExit("not installed")

raise comch.NotFound("nothing")


# case: a star under another star
from queue import *
from doca_comm_channel import *

try:
    print(DOCA_SUCCESS)
except Empty:
    pass

# output
from queue import *
import comch_next as comch

try:
    print(comch.ErrorCode.SUCCESS)
except comch.Empty:
    pass


# case: the second generation
import doca_cc
from doca_cc import *
from comm_channel_compat.cc import Server
from doca_comm_channel import DOCA_CC_MSG_FLAG_NONE as NONE

dev = open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
rc, server = doca_cc.doca_cc_server_create(dev, rep, "svc")
other = Server(dev, rep, "other")
print(NONE, doca_cc_server_destroy(server))

# output
import comch_next as comch

dev = comch.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
rc, server = comch.outcome(comch.Server, dev, rep, "svc")
other = comch.Server(dev, rep, "other")
print(0, comch.outcome(comch.Server.destroy, server)[0])


# case: looked up at run time
import importlib

import doca_comm_channel as cc

name = input()
ep = getattr(cc, name)()
other = importlib.import_module("doca_comm_channel", None)
third = reload("doca_comm_channel")
exec("import doca_comm_channel")
print(getattr(cc, "Again"), vars(cc))

# output
import importlib

import comch_next as comch
import doca_comm_channel as cc

name = input()
# CCM005: an old name is looked up at run time (python -m migrate explain CCM005)
ep = getattr(cc, name)()
# CCM005: an old name is looked up at run time (python -m migrate explain CCM005)
other = importlib.import_module("doca_comm_channel", None)
# CCM005: an old name is looked up at run time (python -m migrate explain CCM005)
third = reload("doca_comm_channel")
# CCM005: an old name is looked up at run time (python -m migrate explain CCM005)
exec("import doca_comm_channel")
# CCM009: the old module is used as a value (python -m migrate explain CCM009)
print(comch.Again, vars(cc))


# case: a feature test
import doca_comm_channel as cc

if hasattr(cc, "get_service_list"):
    found = cc.get_service_list()
else:
    found = cc.devices()

# output
import doca_comm_channel as cc

# CCM006: a feature test decides between old and new (python -m migrate explain CCM006)
if hasattr(cc, "get_service_list"):
    # CCM012: the old module has no such name (python -m migrate explain CCM012)
    found = cc.get_service_list()
else:
    # CCM006: a feature test decides between old and new (python -m migrate explain CCM006)
    found = cc.devices()


# case: a feature test of what every release has
import doca_comm_channel as cc

if hasattr(cc, "devices") and hasattr(cc, "Endpoint") and hasattr(cc, "DOCA_ERROR_AGAIN"):
    found = cc.devices()
else:
    found = []
print(hasattr(cc, "doca_comm_channel_ep_create"), hasattr(cc, "doca_dev_open"), hasattr(cc, "Again"))

# output
import comch_next as comch

if hasattr(comch, "devices") and hasattr(comch, "Channel") and hasattr(comch.ErrorCode, "AGAIN"):
    found = comch.devices()
else:
    found = []
print(hasattr(comch, "Channel"), hasattr(comch, "DevInfo"), hasattr(comch, "Again"))


# case: the library may be missing
try:
    import doca_comm_channel as cc
except ImportError:
    cc = None


def sent(peer):
    return peer.get_send_messages() if cc else 0


def main():
    if cc is None:
        return print("no library")
    ep = cc.Endpoint()
    print(sent(ep.connect("svc")))
    ep.destroy()


main()

# output
try:
    import comch_next as cc
except ImportError:
    cc = None


def sent(peer):
    return peer.get_counter(cc.Counter.SENT_MESSAGES) if cc else 0


def main():
    if cc is None:
        return print("no library")
    ep = cc.Client(one_sided=True)
    print(sent(ep.connect("svc", timeout=0)))
    ep.close()


main()


# case: the library may be missing, and a flag says so
try:
    from doca_comm_channel import Endpoint, open_device
    HAVE_DOCA = True
except ImportError:
    HAVE_DOCA = False

if HAVE_DOCA:
    ep = Endpoint()
    ep.set_device(open_device("b1:00.0"))
    print(ep.connect("svc").get_send_messages())
    ep.destroy()

# output
try:
    import comch_next as comch
    HAVE_DOCA = True
except ImportError:
    HAVE_DOCA = False

if HAVE_DOCA:
    ep = comch.Client(one_sided=True)
    ep.configure(device=comch.open_device("b1:00.0"))
    print(
        ep.connect("svc", timeout=0).get_counter(comch.Counter.SENT_MESSAGES)
    )
    ep.close()


# case: the module is a value
import doca_comm_channel as cc


class Link:
    import doca_comm_channel as library

    def __init__(self, api=cc):
        self.api = api
        self.ep = self.api.Endpoint()

    def open(self, address):
        for api in (cc, self.api):
            try:
                return api.open_device(address)
            except api.NotFound:
                print(self.library.doca_error_get_name(self.api.DOCA_ERROR_NOT_FOUND))


print(Link().open("b1:00.0") is None)
print(len(Link({"doca": cc}["doca"]).api.devices()))

# output
import comch_next as comch


class Link:
    import comch_next as library

    def __init__(self, api=comch):
        self.api = api
        self.ep = self.api.Channel(one_sided=True)

    def open(self, address):
        for api in (comch, self.api):
            try:
                return api.open_device(address)
            except api.NotFound:
                print(self.library.code_name(self.api.ErrorCode.NOT_FOUND))


print(Link().open("b1:00.0") is None)
print(len(Link({"doca": comch}["doca"]).api.devices()))


# case: the module comes from a call
import doca_comm_channel as cc


def library():
    return cc


rc, infos, count = library().doca_devinfo_create_list()

# output
import doca_comm_channel as cc


def library():
    return cc


# CCM009: the old module is used as a value (python -m migrate explain CCM009)
rc, infos, count = library().doca_devinfo_create_list()


# case: imported by a text
import importlib
from importlib.util import find_spec

if find_spec("doca_comm_channel") is None:
    raise SystemExit("no library")
cc = importlib.import_module("doca_comm_channel")
other = __import__("doca_comm_channel")
ep = cc.Endpoint()
print(ep.connect("svc").get_send_messages(), other.DOCA_ERROR_AGAIN + 0)

# output
import importlib
from importlib.util import find_spec

if find_spec("comch_next") is None:
    raise SystemExit("no library")
cc = importlib.import_module("comch_next")
other = __import__("comch_next")
ep = cc.Client(one_sided=True)
print(
    ep.connect("svc", timeout=0).get_counter(cc.Counter.SENT_MESSAGES),
    other.ErrorCode.AGAIN + 0,
)


# case: cffi and ctypes
import ctypes

from cffi import FFI

ffi = FFI()
ffi.cdef("""int doca_comm_channel_ep_create(void **ep);""")
lib = ffi.dlopen("libdoca_comm_channel.so.2")
ep = ffi.new("struct doca_comm_channel_ep_t **")
if hasattr(lib, "doca_comm_channel_ep_create"):
    lib.doca_comm_channel_ep_create(ep)
fn = ctypes.CDLL("libdoca_comm_channel.so.2")["doca_comm_channel_ep_destroy"]
fn(ep[0])

# output
import comch_next as comch


ep = [None]
if hasattr(comch, "Channel"):
    comch.store(comch.outcome(comch.Channel, one_sided=True), ep)
fn = lambda local_ep: comch.outcome(comch.Channel.close, local_ep)[0]
fn(ep[0])


# case: the path of the C library stands elsewhere, beside uses of the module
import ctypes

import doca_comm_channel as cc

PATHS = ("libdoca_comm_channel.so.2", "/opt/mellanox/doca/lib/x86_64-linux-gnu/libdoca_comm_channel.so.2")
lib = ctypes.CDLL(PATHS[0])
print(lib.doca_comm_channel_get_max_message_size, getattr(cc, "DOCA_ERROR_" + input()))

# output
import ctypes

import doca_comm_channel as cc

PATHS = ("libdoca_comm_channel.so.2", "/opt/mellanox/doca/lib/x86_64-linux-gnu/libdoca_comm_channel.so.2")
# CCM094: the library is not the old API's alone (python -m migrate explain CCM094)
lib = ctypes.CDLL(PATHS[0])
# CCM005: an old name is looked up at run time (python -m migrate explain CCM005)
print(lib.doca_comm_channel_get_max_message_size, getattr(cc, "DOCA_ERROR_" + input()))


# case: a submodule that the old module does not have
import doca_comm_channel.nothing

# output
# CCM012: the old module has no such name (python -m migrate explain CCM012)
import doca_comm_channel.nothing


# case: the name for comch_next is bound again
import comch_next as comch
from doca_comm_channel import open_device

comch = 3
d = open_device("b1:00.0")

# output
import comch_next as comch
import comch_next

comch = 3
d = comch_next.open_device("b1:00.0")


# case: the name for comch_next is bound again by a function
import comch_next as comch
from doca_comm_channel import open_device


def forget():
    global comch
    comch = None


d = open_device("b1:00.0")

# output
import comch_next as comch
import comch_next


def forget():
    global comch
    comch = None


d = comch_next.open_device("b1:00.0")


# case: the name for comch_next is a parameter
import comch_next as comch
import doca_comm_channel as cc


def f(comch):
    return cc.open_device(comch)

# output
import comch_next as comch
import doca_comm_channel as cc


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def f(comch):
    return cc.open_device(comch)


# case: names that a module imports for others
from doca_comm_channel import Again as Again, ConnectionReset as ConnectionReset


def is_fatal(error):
    return not isinstance(error, Again)

# output
import comch_next as comch
from comch_next import Again as Again, ConnectionReset as ConnectionReset


def is_fatal(error):
    return not isinstance(error, comch.Again)
