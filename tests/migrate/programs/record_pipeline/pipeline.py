"""Stages of a pipeline of records; each is a generator, and the channel is the first or the last of them."""
import itertools
import json
import struct
import time
import zlib
from contextlib import closing

import doca_comm_channel as dcc
from doca_comm_channel import DOCA_CC_MSG_FLAG_NONE, DOCA_ERROR_AGAIN, DOCA_ERROR_CONNECTION_RESET, DOCA_SUCCESS

SIZE = 96
HEAD = struct.Struct("!IHH")  # record, part, parts


class ChannelError(Exception):
    def __init__(self, rc):
        super().__init__(dcc.doca_error_get_descr(rc))
        self.name = dcc.doca_error_get_name(rc)


def check(rc, *values):
    """Raise what is not success, or return the one value."""
    if rc != DOCA_SUCCESS:
        raise ChannelError(rc)
    return values[0] if values else None


def polled(ep):
    """Yield (bytes, peer), or None where nothing has come."""
    while True:
        rc, msg, length, peer = dcc.doca_comm_channel_ep_recvfrom(ep, SIZE, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_ERROR_AGAIN:
            yield None
        else:
            yield check(rc, (msg[:length], peer))


def patient(source, pause=0.0005, limit=60.0):
    """Wait where nothing has come; end after the limit."""
    idle = time.monotonic()
    for item in source:
        if item is None:
            if time.monotonic() - idle > limit:
                return
            time.sleep(pause)
        else:
            yield item
            idle = time.monotonic()


def whole(packets):
    """Put parts together: (number, bytes, peer)."""
    parts = []
    for packet, peer in packets:
        number, part, count = HEAD.unpack_from(packet)
        assert part == len(parts), (number, part)
        parts.append(packet[HEAD.size:])
        if len(parts) == count:
            yield number, b"".join(parts), peer
            parts.clear()


def decoded(records):
    for number, data, peer in records:
        yield number, json.loads(zlib.decompress(data)), peer


def until_end(records):
    for number, record, peer in records:
        if record is None:
            return (number, peer)
        yield number, record, peer


def batched(records, size):
    """Yield lists of records; return what ended them."""
    tail = None

    def remembering():
        nonlocal tail
        tail = yield from until_end(records)

    source = remembering()
    while batch := list(itertools.islice(source, size)):
        yield batch
    return tail


def packets_of(number, record):
    data = zlib.compress(json.dumps(record).encode())
    room = SIZE - HEAD.size
    pieces = [data[start:start + room] for start in range(0, len(data), room)]
    for part, piece in enumerate(pieces):
        yield HEAD.pack(number, part, len(pieces)) + piece


def sender(ep, peer):
    """A coroutine: send it (number, record), it yields how many messages have gone."""
    total = 0
    while True:
        number, record = yield total
        for packet in packets_of(number, record):
            while True:
                rc = dcc.doca_comm_channel_ep_sendto(ep, packet, len(packet), DOCA_CC_MSG_FLAG_NONE, peer)
                if rc != DOCA_ERROR_AGAIN:
                    break
                time.sleep(0.0005)
            check(rc)
            total += 1


def started(coroutine):
    next(coroutine)
    return closing(coroutine)


def endpoint(dev, rep=None):
    ep = check(*dcc.doca_comm_channel_ep_create())
    check(dcc.doca_comm_channel_ep_set_device(ep, dev))
    if rep is not None:
        check(dcc.doca_comm_channel_ep_set_device_rep(ep, rep))
    check(dcc.doca_comm_channel_ep_set_max_msg_size(ep, SIZE))
    check(dcc.doca_comm_channel_ep_set_send_queue_size(ep, 4))
    check(dcc.doca_comm_channel_ep_set_recv_queue_size(ep, 4))
    return ep
