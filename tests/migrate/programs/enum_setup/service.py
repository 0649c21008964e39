"""Configuration in an Enum and a NamedTuple; the set-up is spread over functions and loops."""
import enum
import sys
import time
from typing import NamedTuple

import doca_comm_channel as cc


class Option(enum.Enum):
    MESSAGE = "set_max_msg_size"
    SEND = "set_send_queue_size"
    RECV = "set_recv_queue_size"


class Status(enum.IntEnum):
    OK = 0
    SILENT = 3
    FAILED = 4


class Settings(NamedTuple):
    service: str
    pci: str = "03:00.0"
    function: str = "b1:00.2"
    options: tuple = ((Option.MESSAGE, 1500), (Option.SEND, 40), (Option.RECV, 8))


class Opened(NamedTuple):
    dev: cc.Device
    rep: cc.Representor
    ep: cc.Endpoint

    def close(self):
        self.ep.destroy()
        self.rep.close()
        self.dev.close()


def open_everything(settings):
    dev = cc.open_device(settings.pci)
    return Opened(dev, dev.open_representor(settings.function), cc.Endpoint())


def apply(ep, option, value):
    if option is Option.MESSAGE:
        ep.set_max_msg_size(value)
    elif option is Option.SEND:
        ep.set_send_queue_size(value)
    elif option is Option.RECV:
        ep.set_recv_queue_size(value)
    return option.name.lower()


def configure(opened, settings):
    dev, rep, ep = opened
    ep.set_device(dev)
    done = [apply(ep, *pair) for pair in settings.options]
    if rep is not None:
        ep.set_device_rep(rep)
        done.append("rep")
    return done


def shout(ep, deadline):
    """Answer in capitals until a full stop."""
    count = 0
    while time.monotonic() < deadline:
        try:
            text, peer = ep.recvfrom(ep.get_max_msg_size())
        except cc.Again:
            time.sleep(1e-4)
            continue
        count += 1
        ep.sendto(text.upper(), peer)
        if text.endswith(b"."):
            print("shouted", count, "times")
            return Status.OK
    return Status.SILENT


def main():
    settings = Settings("enum_setup")
    opened = open_everything(settings)
    status = Status.FAILED
    try:
        print("configured", *configure(opened, settings))
        opened.ep.listen(settings.service)
        print("listening on", opened.ep.get_send_queue_size(), opened.ep.get_recv_queue_size())
        status = shout(opened.ep, time.monotonic() + 60)
    except cc.DocaError as error:
        print(error.name)
    finally:
        opened.close()
    print(status.name)
    return status


if __name__ == "__main__":
    sys.exit(main())
