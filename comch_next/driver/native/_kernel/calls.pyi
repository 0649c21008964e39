"""What programs do for every message; see calls.c."""

from collections.abc import Callable
from typing import Any

from comch_next._codes import ErrorCode

HELD: str
SUBMITTED: str
FREED: str

class Task:
    ctx: Any
    owner: str
    status: ErrorCode
    address: int
    base: int
    token: Any
    data: bytes
    peer: Any
    context: Any
    user_data: Any
    def submit(self) -> None: ...
    def free(self) -> None: ...

def alloc(
    ctx: object,
    life: object,
    peer: type,
    kind: type,
    program: object,
    slow: Callable[..., Any],
    pointer: int,
    alloc: int,
    as_task: int,
    /,
) -> Callable[..., Any]: ...
def completed(life: object, slow: Callable[..., Any], masked: list[Any], /) -> Callable[..., None]: ...
def received(life: object, slow: Callable[..., Any], masked: list[Any], /) -> Callable[..., None]: ...
def progress(
    engine: object, life: object, slow: Callable[[], bool], pointer: int, function: int, longest_s: float, /
) -> Callable[[], bool]: ...
