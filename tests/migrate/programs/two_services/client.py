"""Clients of three functions; requests wait in a queue, connections in a list of dicts."""
import collections
import sys
import time

from doca_comm_channel import Again, ConnectionAborted, ConnectionInprogress, Endpoint, open_device

requests = collections.deque([("b1:00.2", "a"), ("b1:00.0", "b"), ("b1:00.3", "c"), ("b1:00.0", "d"), ("b1:00.2", "e")])
open_ = []


def connection(pci):
    for entry in open_:
        if entry["pci"] == pci:
            return entry
    entry = {"pci": pci, "device": open_device(pci), "ep": Endpoint(), "state": "new"}
    entry["ep"].set_device(entry["device"])
    entry["peer"] = entry["ep"].connect("two_services")
    while entry["state"] == "new":
        try:
            entry["peer"].update_info()
            entry["state"] = "up"
        except ConnectionInprogress:
            time.sleep(1e-4)
        except ConnectionAborted:
            entry["state"] = "refused"
    open_.append(entry)
    return entry


def ask(entry, text):
    ep, peer = entry["ep"], entry["peer"]
    ep.sendto(text.encode(), peer)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            return ep.recvfrom(200)[0].decode()
        except Again:
            time.sleep(1e-4)


while requests:
    pci, text = requests.popleft()
    print(pci, ask(connection(pci), text))
print([entry["state"] for entry in open_])
for entry in reversed(open_):
    entry["ep"].disconnect(entry.pop("peer"))
    entry["ep"].destroy()
    entry["device"].close()
sys.exit(len(open_) != 3)
