"""How objects end: an exception of the program takes precedence over one of closing; a strict second end is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NoReturn

from comch_next.errors import DocaError, InvalidValue

__all__ = ["exit_block", "leave", "note", "refuse_again"]

_TURNS = 64  # each turn of progress may raise what another callback of the program raised


def leave(error: BaseException | None, close: Callable[[], object]) -> None:
    """Call `close`. With `error` in flight give back what can be, and note on it what could not."""
    if error is None:
        close()
        return
    for _ in range(_TURNS):
        try:
            close()
        except Exception as failure:
            note(error, failure)
            if isinstance(failure, DocaError):
                return  # trying again does not help
        else:
            return


def exit_block(owner: Any, error: BaseException | None, close: Callable[[], object]) -> None:
    """Leave the with block of an object. A forked child leaves it, too, and has nothing to close."""
    if owner._pid == os.getpid():
        leave(error, close)


def note(error: BaseException, failure: BaseException) -> None:
    """Keep on an exception what failed while it was in flight."""
    text = f"while it was in flight, closing raised {_text(failure)}"
    notes = error.__dict__.setdefault("__notes__", [])  # as add_note of Python 3.11
    if isinstance(notes, list) and text not in notes:
        notes.append(text)


def _text(failure: BaseException) -> str:
    name = type(failure).__name__
    try:
        return f"{name}: {failure}"
    except Exception:  # of the program's own __str__
        return name


def refuse_again(destroyed: object) -> NoReturn:
    """Raise InvalidValue for the strict destruction of what has been destroyed before."""
    raise InvalidValue(f"destroy was attempted on {destroyed!r}, which has been destroyed; legal without strict")
