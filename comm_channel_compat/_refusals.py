"""The code that stands for a refusal where nothing is raised, and who else hears of the reason."""

from __future__ import annotations

from collections.abc import Callable

from comch_next import DocaError

__all__ = ["answer_by", "code_of", "hearers"]


def _number(error: DocaError) -> int:
    return int(error.code)


hearers: list[Callable[[DocaError], object]] = []  # who hears of every refusal
_answer: Callable[[DocaError], int] = _number


def answer_by(answer: Callable[[DocaError], int]) -> None:
    """Have the codes of refusals returned by this from now on: a face logs the reasons."""
    global _answer
    _answer = answer


def code_of(error: DocaError) -> int:
    """Return the code of a refusal."""
    for hear in hearers:
        hear(error)
    return _answer(error)
