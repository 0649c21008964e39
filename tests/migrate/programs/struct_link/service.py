"""struct cc_objects and struct cc_config, as dataclasses; functions take and fill them."""
import dataclasses
import sys
import time
from dataclasses import dataclass, field
from typing import Any, List, Optional

from doca_comm_channel import *


@dataclass
class Config:
    name: str
    pci: str = "03:00.0"
    rep_pci: str = "b1:00.0"
    msg_size: int = 100
    queue: int = 8


@dataclass
class Stats:
    messages: int = 0
    octets: int = 0
    words: List[str] = field(default_factory=list)


@dataclass
class Objects:
    cfg: Config
    dev: Any = None
    rep: Any = None
    ep: Any = None
    peer: Optional[Any] = None
    stats: Stats = field(default_factory=Stats)


def init(obj: Objects) -> int:
    obj.dev = open_device(obj.cfg.pci)
    obj.rep = obj.dev.open_representor(obj.cfg.rep_pci)
    rc, obj.ep = doca_comm_channel_ep_create()
    return rc


def configure(obj: Objects) -> int:
    rc = doca_comm_channel_ep_set_device(obj.ep, obj.dev)
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_device_rep(obj.ep, obj.rep)
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_max_msg_size(obj.ep, obj.cfg.msg_size)
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_send_queue_size(obj.ep, obj.cfg.queue)
    return rc


def receive(obj: Objects):
    rc = DOCA_ERROR_AGAIN
    turns = 0
    while rc == DOCA_ERROR_AGAIN and turns < 500000:
        rc, msg, length, obj.peer = doca_comm_channel_ep_recvfrom(obj.ep, obj.cfg.msg_size, DOCA_CC_MSG_FLAG_NONE)
        turns += 1
        if rc:
            time.sleep(1e-4)
    if rc == DOCA_SUCCESS:
        obj.stats.messages += 1
        obj.stats.octets += length
        obj.stats.words.append(msg.decode())
    return rc


def main() -> int:
    obj = Objects(Config(name="struct_link"))
    rc = init(obj)
    rc = rc or configure(obj)
    rc = rc or doca_comm_channel_ep_listen(obj.ep, obj.cfg.name)
    print("listening", doca_error_get_name(rc))
    while rc == DOCA_SUCCESS:
        rc = receive(obj)
        if rc == DOCA_SUCCESS and obj.stats.words[-1] == ".":
            break
    text = dataclasses.replace(obj.stats, words=obj.stats.words[:-1])
    print(text)
    if obj.peer is not None:
        msg = " ".join(text.words).encode()
        rc = doca_comm_channel_ep_sendto(obj.ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, obj.peer)
        print("sentence", doca_error_get_name(rc))
        rc = receive(obj)
        print("receipt", doca_error_get_name(rc), obj.stats.words[-1])
    doca_comm_channel_ep_destroy(obj.ep)
    obj.rep.close()
    obj.dev.close()
    return rc


if __name__ == "__main__":
    sys.exit(main())
