#!/usr/bin/env python3
"""Receive a file over Comch, on the DPU, by callbacks: a leading count, segments, a status."""

import argparse
import contextlib
import hashlib
import struct
import sys
import zlib
from pathlib import Path

import comch_next as comch
from comch_next import Counter

SERVICE_NAME = "file_transfer"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 8
MAX_FILE_SIZE = 128 * 1024 * 1024
HEADER = struct.Struct("!IQ")  # number of segments; Adler-32 and CRC-32 of the whole file
STATUS = struct.Struct("!I")  # our result code


def show(what: str, data: bytes) -> None:
    print(f"peer 1 {what} {len(data)} bytes {hashlib.sha256(data).hexdigest()[:16]}", flush=True)


def show_statistics(connection: comch.Connection) -> None:
    connection.update_info()
    count = connection.get_counter
    print(
        f"peer 1 statistics:"
        f" sent {count(Counter.SENT_MESSAGES)} messages {count(Counter.SENT_BYTES)} bytes,"
        f" received {count(Counter.RECV_MESSAGES)} messages {count(Counter.RECV_BYTES)} bytes"
    )


class FileReceiver:
    """One transfer, driven by what arrives: the header, the segments, the goodbye."""

    def __init__(self, server: comch.Server, path: Path) -> None:
        self.server = server
        self.path = path
        self.result: comch.ErrorCode | None = None  # of the transfer, once its status is sent
        self.finished = False
        self.data = bytearray()
        self.missing: int | None = None  # segments still to come; None before the header
        self.checksum = 0
        server.task_send_set_conf(self.on_sent, self.on_send_failed, QUEUE_SIZE)
        server.event_msg_recv_register(self.on_message)
        server.event_connection_status_changed_register(self.on_connected, self.on_disconnected)

    def on_connected(self, connection: comch.Connection, ok: bool) -> None:
        """Nothing to do: the client speaks first."""

    def on_disconnected(self, connection: comch.Connection, ok: bool) -> None:
        if self.result is None:
            raise comch.ConnectionReset("the client left in the middle of the transfer")

    def on_message(self, connection: comch.Connection, data: bytes) -> None:
        show("received", data)
        if self.result is not None:
            self.say_goodbye(connection, data)
            return
        if self.missing is None:
            self.missing, self.checksum = HEADER.unpack(data)
        else:
            self.data += data
            self.missing -= 1
        if self.missing * MAX_MSG_SIZE > MAX_FILE_SIZE:
            self.finish(connection, comch.ErrorCode.TOO_BIG)
        elif self.missing == 0:
            self.finish(connection, self.store())

    def store(self) -> comch.ErrorCode:
        if zlib.adler32(self.data) << 32 | zlib.crc32(self.data) != self.checksum:
            return comch.ErrorCode.IO_FAILED
        self.path.write_bytes(self.data)
        return comch.ErrorCode.SUCCESS

    def finish(self, connection: comch.Connection, result: comch.ErrorCode) -> None:
        self.result = result
        self.send(connection, STATUS.pack(result))

    def say_goodbye(self, connection: comch.Connection, bye: bytes) -> None:
        # The client still waits for our goodbye, so the counts are final.
        show_statistics(connection)
        self.finished = True
        self.send(connection, bye)

    def send(self, connection: comch.Connection, data: bytes) -> None:
        self.server.task_send_alloc_init(connection, data).submit()
        show("sent", data)

    def on_sent(self, task: comch.SendTask) -> None:
        task.free()

    def on_send_failed(self, task: comch.SendTask) -> None:
        status = task.status
        task.free()
        raise comch.from_code(status, "the client did not take the answer")


def serve(device: comch.Device, rep: comch.Representor, path: Path, timeout: float) -> comch.ErrorCode:
    with comch.ProgressEngine() as engine:
        server = comch.Server(device, rep, SERVICE_NAME, engine=engine,
                              max_msg_size=MAX_MSG_SIZE, recv_queue_size=QUEUE_SIZE)  # fmt: skip
        receiver = FileReceiver(server, path)
        with contextlib.closing(server):
            server.start()
            print("listening on", SERVICE_NAME, flush=True)
            while not receiver.finished or server.num_inflight_tasks > 0:
                if not engine.progress() and not engine.wait(timeout):
                    raise comch.TimeOut(f"no message for {timeout:g} s")
    return receiver.result or comch.ErrorCode.SUCCESS


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-f", "--file", type=Path, required=True, help="file to be written")
    parser.add_argument("-t", "--timeout", type=float, default=30, help="seconds to wait for one message")
    return parser.parse_args()


def main() -> int:
    args = parse_arguments()
    try:
        with comch.open_device(args.pci_addr) as device, device.open_representor(args.rep_pci) as rep:
            result = serve(device, rep, args.file, args.timeout)
    except comch.DocaError as error:
        print(f"transfer: {error}", file=sys.stderr)
        result = error.code
    print("result", comch.code_name(result))
    return 0 if result == comch.ErrorCode.SUCCESS else 1


if __name__ == "__main__":
    sys.exit(main())
