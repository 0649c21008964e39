"""The letters and how they travel."""
import struct
from dataclasses import dataclass

_HEAD = struct.Struct("!4sBH")
MAGIC = b"MBX1"


@dataclass(frozen=True)
class Letter:
    kind: int
    body: str = ""

    PUT = 1
    TAKE = 2
    ACK = 3
    EMPTY = 4
    CLOSE = 5

    def pack(self) -> bytes:
        body = self.body.encode()
        return _HEAD.pack(MAGIC, self.kind, len(body)) + body

    @classmethod
    def unpack(cls, data: bytes) -> "Letter":
        magic, kind, size = _HEAD.unpack_from(data)
        if magic != MAGIC or size != len(data) - _HEAD.size:
            raise ValueError("no letter")
        return cls(kind, data[_HEAD.size:].decode())
