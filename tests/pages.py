"""HTML pages as a reader of them takes them: every tag closed, every id once, every link with somewhere to lead."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "img"}


class Page(HTMLParser):
    """A page that is read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.words = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open, "tags that are not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert len(given) == len(attrs), f"an attribute of {tag} is given twice"
        assert not [name for name in given if name.startswith("on")], "a script in an attribute"
        self.tags.append(tag)
        self.ids += filter(None, [given.get("id")])
        self.links += filter(None, [given.get("href")])
        self.sources += filter(None, [given.get("src")])
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] not in ("script", "style"):
            self.words += data


def read(text: str) -> Page:
    """Read a page and check what holds for each: it is whole, stands alone, and runs no script but its own."""
    page = Page(text)
    assert len(set(page.ids)) == len(page.ids), "an id that stands twice"
    assert {link for link in page.links if link.removeprefix("#") not in page.ids} == set(), "links that lead nowhere"
    assert page.tags.count("script") == 1
    assert all(source.startswith("data:image/svg+xml;base64,") for source in page.sources)
    assert not {"link", "iframe", "object", "base"} & {*page.tags}
    return page
