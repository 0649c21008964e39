from __future__ import annotations

import json
import struct
from typing import Any, NamedTuple


class Point(NamedTuple):
    x: int
    y: int


class PointCodec:
    def encode(self, value: Point) -> bytes:
        return struct.pack("!ii", *value)

    def decode(self, data: bytes) -> Point:
        return Point(*struct.unpack("!ii", data))


class JsonCodec:
    def encode(self, value: Any) -> bytes:
        return json.dumps(value).encode()

    def decode(self, data: bytes) -> Any:
        return json.loads(data)
