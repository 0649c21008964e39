"""Elements of HTML: every text and value in them is escaped, and control characters are shown."""

from __future__ import annotations

from html import escape

from migrate.report.run import printable

_VOID = ("img",)  # elements that have no content and no end


class Element(str):
    """A piece of a page that is escaped."""

    __slots__ = ()


def tag(name: str, *content: str, **attributes: str | None) -> Element:
    """Return an element; what is no Element in it is text.

    An underscore at the end of an attribute's name is dropped (`class_`), others become hyphens. None leaves it out.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Element(f"<{name}{given}>" if name in _VOID else f"<{name}{given}>{joined(*content)}</{name}>")


def joined(*content: str) -> Element:
    """Return pieces one after the other."""
    return Element("".join(part if isinstance(part, Element) else _escaped(part) for part in content))


def prose(text: str) -> Element:
    """Return a text in which code stands between backticks."""
    parts = text.split("`")
    return joined(*(tag("code", part) if number % 2 else part for number, part in enumerate(parts)))


def _escaped(text: str) -> str:
    return escape(printable(text))
