# case: connecting again and again
import time

import doca_comm_channel as cc

NAME = "svc"
dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
while True:
    try:
        peer = ep.connect(NAME)
        break
    except cc.ConnectionAborted:
        time.sleep(0.1)
peer.update_info()

# output
import time

import comch_next as comch

NAME = "svc"
dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
while True:
    try:
        peer = ep.connect(NAME, timeout=0)
        break
    except comch.ConnectionAborted:
        time.sleep(0.1)
peer.update_info()


# case: kept on an object that is looked into by name
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = cc.open_device(pci_addr)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.peer = self.ep.connect(name)


def look(channel, what):
    return getattr(channel, what)

# output
import comch_next as comch


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = comch.open_device(pci_addr)
        self.ep = comch.Client(one_sided=True)
        self.ep.device = self.dev
        self.peer = self.ep.connect(name, timeout=0)


def look(channel, what):
    return getattr(channel, what)


# case: the name changes with the target of the loop
import doca_comm_channel as cc


def serve():
    dev = cc.open_device("03:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(dev.open_representor("b1:00.0"))
    for k in range(3):
        try:
            ep.listen("slot-%d" % k)
            break
        except cc.ConnectionAborted:
            print("taken", k)
    return ep

# output
import doca_comm_channel as cc


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def serve():
    dev = cc.open_device("03:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(dev.open_representor("b1:00.0"))
    for k in range(3):
        try:
            ep.listen("slot-%d" % k)
            break
        except cc.ConnectionAborted:
            print("taken", k)
    return ep


# case: a name out of a comprehension
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
tried = any(ep.connect(f"svc-{k}") is not None for k in (1,))

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
tried = any(ep.connect(f"svc-{k}", timeout=0) is not None for k in (1,))


# case: a name that is worked out at every turn
import doca_comm_channel as cc


def call(names):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    while True:
        try:
            return ep.connect(names.pop())
        except cc.ConnectionAborted:
            print("not there")

# output
import doca_comm_channel as cc


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def call(names):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    while True:
        try:
            return ep.connect(names.pop())
        except cc.ConnectionAborted:
            print("not there")


# case: the first of names that change
import doca_comm_channel as cc


def call(names):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    while names:
        try:
            return ep.connect(names[0])
        except cc.ConnectionAborted:
            names.pop(0)

# output
import doca_comm_channel as cc


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def call(names):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    while names:
        try:
            return ep.connect(names[0])
        except cc.ConnectionAborted:
            names.pop(0)


# case: the name of a with inside of a loop
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
for path in ("a", "b"):
    with open(path) as name:
        peer = ep.connect(name)

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
for path in ("a", "b"):
    with open(path) as name:
        peer = ep.connect(name, timeout=0)


# case: a name that another function changes
import doca_comm_channel as cc

name = "svc-0"


def step():
    global name
    name += "0"


dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
for _ in range(3):
    try:
        peer = ep.connect(name)
        break
    except cc.ConnectionAborted:
        step()

# output
import comch_next as comch

name = "svc-0"


def step():
    global name
    name += "0"


dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
for _ in range(3):
    try:
        peer = ep.connect(name, timeout=0)
        break
    except comch.ConnectionAborted:
        step()


# case: one name at every turn
import sys

import doca_comm_channel as cc


def call(name):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    for turn in range(3):
        try:
            return ep.connect(sys.argv[1] + name)
        except cc.ConnectionAborted:
            print("turn", turn)

# output
import sys

import doca_comm_channel as cc


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def call(name):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    for turn in range(3):
        try:
            return ep.connect(sys.argv[1] + name)
        except cc.ConnectionAborted:
            print("turn", turn)
