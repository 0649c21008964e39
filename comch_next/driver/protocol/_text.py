"""Text as C has it: bytes that need not be UTF-8, and the same text in Python whichever way it came."""

__all__ = ["bytes_of", "text_of"]


def text_of(data: bytes) -> str:
    """Read what C calls text; bytes that are not UTF-8 are lone surrogates, as in file names."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return the bytes that `text_of` reads as this text, or the closest that UTF-8 has."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return text.encode("utf-8", "surrogatepass")
