from __future__ import annotations

import sys
from typing import cast

from codecs_ import JsonCodec, Point, PointCodec
from doca_comm_channel import Device, open_device
from transport import Channel, ChannelTransport


def main(device: Device) -> int:
    transport: ChannelTransport = ChannelTransport.dial(device, "generic")
    points = Channel(transport, PointCodec())
    values = iter([Point(1, 2), Point(-3, 4), Point(5, 5)])
    for mirrored in points.map(lambda point: point._replace(x=point.x * 10), values):
        print(mirrored)
    json_channel = Channel(transport, JsonCodec())
    print(cast("list[list[int]]", json_channel.get()))
    json_channel.put("thanks")
    transport.close()
    return 0


with open_device("b1:00.0") as dev:
    status = main(dev)
sys.exit(status)
