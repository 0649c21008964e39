"""Text as C has it: bytes that need not be UTF-8, and the same text in Python whichever way it came. And numbers, lists
and refused values in messages.
"""

from collections.abc import Sequence

__all__ = ["bytes_of", "counted", "listed", "quoted", "text_of", "them"]


def text_of(data: bytes) -> str:
    """Read what C calls text; bytes that are not UTF-8 are lone surrogates, as in file names."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return the bytes that `text_of` reads as this text, or the closest that UTF-8 has."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return text.encode("utf-8", "surrogatepass")


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun, or what it does: 1 byte, 2 bytes."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def them(number: int) -> str:
    """Return the pronoun for so many."""
    return "it" if number == 1 else "them"


def listed(words: Sequence[str]) -> str:
    """Return words as a sentence lists them: a, b and c."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def quoted(value: object) -> str:
    """Return how a message shows a refused value, also one that cannot be shown: Python writes no number of more than
    some thousand digits.
    """
    try:
        return repr(value)
    except Exception:
        if isinstance(value, int):
            return f"a whole number of {value.bit_length()} bits"
        return f"a {type(value).__name__} that has no repr"
