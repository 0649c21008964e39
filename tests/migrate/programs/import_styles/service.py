#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Every function brings its own import, as scripts grow; one branch is for machines without the library."""
from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

try:
    import doca_comm_channel as channel
except ImportError:  # a developer's laptop
    channel = None

if TYPE_CHECKING:
    from doca_comm_channel import Endpoint, PeerAddr


def make() -> Endpoint:
    from doca_comm_channel import Endpoint, open_device

    dev = open_device("03:00.0")
    ep = Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(dev.open_representor("b1:00.0"))
    return ep


def receive(ep: Endpoint) -> tuple[bytes, PeerAddr]:
    import doca_comm_channel

    for _ in range(500000):
        try:
            return ep.recvfrom(4080)
        except doca_comm_channel.Again:
            time.sleep(1e-4)
    raise TimeoutError


def send(ep: Endpoint, data: bytes, peer: "PeerAddr") -> None:
    from doca_comm_channel import Again as Full
    while True:
        try:
            return ep.sendto(data, peer)
        except Full:
            continue


def shut(ep: Endpoint) -> None:
    dev, rep = ep.get_device(), ep.get_device_rep()
    ep.destroy()
    rep.close()
    dev.close()


def main():
    if channel is None:
        print("no library")
        return 77
    ep = make()
    ep.listen("import_styles")
    print("listening")
    try:
        while (got := receive(ep))[0] != b"over":
            data, peer = got
            print("took", data.decode())
            send(ep, data.title(), peer)
        print("over")
    except channel.DocaError as error:
        print(error.name)
    finally:
        shut(ep)
    return 0


if __name__ == "__main__":
    sys.exit(main())
