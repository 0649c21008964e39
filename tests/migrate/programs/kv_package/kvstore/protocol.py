"""What is said on the channel."""
import json
from typing import NamedTuple, Optional


class Request(NamedTuple):
    verb: str
    key: str = ""
    value: Optional[str] = None

    def encode(self) -> bytes:
        return json.dumps(self).encode()

    @classmethod
    def decode(cls, data: bytes) -> "Request":
        return cls(*json.loads(data))


class Reply(NamedTuple):
    ok: bool
    value: Optional[str] = None

    def encode(self) -> bytes:
        return json.dumps(self).encode()

    @classmethod
    def decode(cls, data: bytes) -> "Reply":
        return cls(*json.loads(data))
