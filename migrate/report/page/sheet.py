"""The head of all pages, with style and script; the pages load nothing from outside."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from migrate.report.page.markup import Element, tag

_STYLE, _SCRIPT = ((Path(__file__).parent / name).read_text("utf-8") for name in ("page.css", "page.js"))


def sheet(title: str, lead: str, sections: Sequence[Element]) -> str:
    """Return a whole page. Its policy lets a browser load nothing, and run no script but this one."""
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    body = "\n".join([tag("h1", title), tag("p", lead, class_="lead"), *sections])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"{tag('title', title)}\n<style>\n{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def section(title: str, *content: str, **attributes: str | None) -> Element:
    """Return a part of the page under a heading; none if there is nothing in it."""
    return tag("section", tag("h2", title), *content, **attributes)


def table(heads: Sequence[str], rows: Sequence[Element]) -> Element:
    """Return a table that scrolls by itself where it is too wide."""
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in heads)))
    return tag("div", tag("table", head, tag("tbody", *rows)), class_="wide")
