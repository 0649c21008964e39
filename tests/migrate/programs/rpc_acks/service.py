"""Offload device: runs commands of the host; pays for the shallow queue with an ack after every fourth piece."""
import enum
import struct
import sys
import time

from doca_comm_channel import (
    DOCA_CC_MSG_FLAG_NONE,
    DOCA_ERROR_AGAIN,
    DOCA_ERROR_TIME_OUT,
    DOCA_SUCCESS,
    doca_comm_channel_ep_create,
    doca_comm_channel_ep_destroy,
    doca_comm_channel_ep_disconnect,
    doca_comm_channel_ep_listen,
    doca_comm_channel_ep_recvfrom,
    doca_comm_channel_ep_sendto,
    doca_comm_channel_ep_set_device,
    doca_comm_channel_ep_set_device_rep,
    doca_comm_channel_ep_set_max_msg_size,
    doca_error_get_name,
    open_device,
)

PIECE = 256
WINDOW = 4
HEADER = struct.Struct("!BIQ")


class Command(enum.IntEnum):
    ALLOC = 1
    WRITE = 2
    SUM = 3
    EXIT = 9


class Channel:
    """One endpoint and whoever wrote last."""

    def __init__(self):
        self.dev = open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        _, self.ep = doca_comm_channel_ep_create()
        self.peer = None

    def open(self, name):
        return (doca_comm_channel_ep_set_device(self.ep, self.dev)
                or doca_comm_channel_ep_set_device_rep(self.ep, self.rep)
                or doca_comm_channel_ep_set_max_msg_size(self.ep, PIECE)
                or doca_comm_channel_ep_listen(self.ep, name))

    def read(self):
        for _ in range(1000000):
            rc, msg, size, peer = doca_comm_channel_ep_recvfrom(self.ep, PIECE, DOCA_CC_MSG_FLAG_NONE)
            if rc != DOCA_ERROR_AGAIN:
                break
            time.sleep(1e-5)
        else:
            rc = DOCA_ERROR_TIME_OUT
        if rc != DOCA_SUCCESS:
            raise RuntimeError(doca_error_get_name(rc))
        self.peer = peer
        return msg

    def write(self, msg):
        while (rc := doca_comm_channel_ep_sendto(self.ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, self.peer)):
            if rc != DOCA_ERROR_AGAIN:
                raise RuntimeError(doca_error_get_name(rc))

    def close(self):
        if self.peer:
            doca_comm_channel_ep_disconnect(self.ep, self.peer)
        rc = doca_comm_channel_ep_destroy(self.ep)
        print("destroyed", doca_error_get_name(rc))
        self.rep.close()
        self.dev.close()


def run(channel):
    memory = {}
    while True:
        command, handle, size = HEADER.unpack(channel.read())
        name = Command(command).name
        if command == Command.EXIT:
            print(name)
            channel.write(HEADER.pack(command, 0, 0))
            return
        if command == Command.ALLOC:
            memory[handle] = bytearray(size)
        elif command == Command.WRITE:
            taken = pieces = 0
            while taken < size:
                piece = channel.read()
                memory[handle][taken:taken + len(piece)] = piece
                taken += len(piece)
                pieces += 1
                if pieces % WINDOW == 0:
                    channel.write(b"\0" * 16)
            print("pieces", pieces)
        result = sum(memory[handle]) if command == Command.SUM else 0
        print(name, handle, size, "->", result)
        channel.write(HEADER.pack(command, handle, result))


def main():
    channel = Channel()
    rc = channel.open("rpc_acks")
    if rc:
        print("open:", doca_error_get_name(rc))
        return 1
    print("listening")
    try:
        run(channel)
    except RuntimeError as error:
        print("ended by", error)
        return 2
    finally:
        channel.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
