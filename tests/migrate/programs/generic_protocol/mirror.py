"""Mirrors points at the diagonal, until one lies on it; then a report in JSON."""
from __future__ import annotations

import sys

import doca_comm_channel
from codecs_ import JsonCodec, Point, PointCodec
from transport import Channel, ChannelTransport, Loopback, Sized, Transport


def mirror(channel: Channel[Point]) -> list[Point]:
    seen: list[Point] = []
    while True:
        point = channel.get()
        seen.append(point)
        channel.put(Point(point.y, point.x))
        if point.x == point.y:
            return seen


def rehearse() -> None:
    with Channel(Loopback(), PointCodec()) as channel:
        channel.put(Point(1, 1))
        print("rehearsal", mirror(channel), isinstance(channel.transport, Transport))


def main() -> int:
    rehearse()
    device = doca_comm_channel.open_device("03:00.0")
    rep = device.open_representor("b1:00.0")
    transport = ChannelTransport.accept(device, rep, "generic")
    print("listening", isinstance(transport, Transport))
    with Channel(transport, PointCodec()) as channel:
        seen = mirror(channel)
        report = Channel(Sized(transport, 64), JsonCodec())
        report.put([list(point) for point in seen])
        print(report.get(default="nothing", seconds=60), report.transport.cut)
    rep.close()
    device.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
