"""What is reported on standard error."""

import sys

__all__ = ["complain"]


def complain(text: str) -> None:
    """Write a line to standard error; if that was closed when Python started, the line is lost."""
    if sys.stderr is not None:  # else print would take standard output
        print(text, file=sys.stderr)
