"""The hook of mkdocs.yml: pages of the top folder join the site, links to sources become names, every name is there.

It also adds what browsers need: a place to search from the file system, and places where names may break.
"""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocstrings import Inventory

ROOT = Path(__file__).resolve().parent.parent
# A page's path in the repository -> in the site. A README.md there would be the index of its folder.
TOP = {
    "README.md": "overview.md",
    **{f"{name}.md": f"{name.lower()}.md" for name in ("MIGRATION", "CHANGELOG", "CONTRIBUTING", "SECURITY")},
}
# Pages of wide tables, which take the place of their short table of contents.
WIDE = {"status.md", "symbols.md", "errors.md", "proofs.md"}
ASSETS = {"assets/site.css": "site.css", "assets/iframe-worker.js": "iframe-worker.js"}  # mkdocs.yml names them
_CODE_IN_CELLS = re.compile(r"(?<=<code>)[^<]+(?=</code>(?:(?!<td|<th).)*</t[dh]>)")
_INLINE_CODE = re.compile(r"<code>(?:[^<]|<wbr>)+</code>")
_OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
_NAME_IN_HEADING = re.compile(r'(?<=-name">)[\w.]+(?=</span>)')
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")
_log = logging.getLogger("mkdocs.hooks.site")  # a warning fails `make docs`, which is strict


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the top folder and what browsers need, and make links lead within the site."""
    for place, name in ASSETS.items():
        files.append(File.generated(config, place, content=(Path(__file__).with_name(name)).read_text("utf-8")))
    for path, place in TOP.items():
        files.append(File.generated(config, place, content=(ROOT / path).read_text("utf-8")))
    for page in files.documentation_pages():
        path = next((path for path, place in TOP.items() if place == page.src_uri), f"docs/{page.src_uri}")
        page.content_string = _relinked(page.content_string, path, page.src_uri, files)
    return files


def _relinked(text: str, path: str, place: str, files: Files) -> str:
    """Return the text with links as the site needs them: `path` is the page in the repository, `place` in the site."""

    def link(match: re.Match[str]) -> str:
        mark, words, target, anchor = match.groups(default="")
        to = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        page = TOP.get(to, to.removeprefix("docs/"))
        if files.get_file_from_path(page) is not None:
            return f"{mark}[{words}]({posixpath.relpath(page, posixpath.dirname(place) or '.')}{anchor})"
        if not (ROOT / to).exists():
            return match[0]  # mkdocs reports it
        return words if words in (to, f"`{to}`") else f"{words} (`{to}`)"

    return _LINK.sub(link, text)


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> None:
    """Give wide tables the whole width."""
    if page.file.src_uri in WIDE:
        page.meta["hide"] = ["toc"]


def on_post_page(output: str, **_: object) -> str:
    """Let names break between their words, and options nowhere; the search has read them."""
    output = _CODE_IN_CELLS.sub(lambda code: re.sub(r"(?<=[_(])(?=\w)|(?<=\.)(?=\w{3})", "<wbr>", code[0]), output)
    output = _NAME_IN_HEADING.sub(lambda name: re.sub(r"(?<=[._])(?=\w)", "<wbr>", name[0]), output)
    return _INLINE_CODE.sub(lambda code: _OPTION.sub(r'<span class="option">\g<0></span>', code[0]), output)


def on_post_build(config: MkDocsConfig) -> None:
    """Warn of public names that no page of the reference documents."""
    import comch_next
    from comch_next import aio, dpa, testing
    from comch_next.dpa import dev

    with open(Path(config.site_dir, "objects.inv"), "rb") as file:
        shown = {name.rpartition(".")[2] for name in Inventory.parse_sphinx(file)}
    errors = (Path(config.docs_dir) / "errors.md").read_text("utf-8")
    for module in (comch_next, aio, dpa, dev, testing):
        for name in module.__all__:
            if name not in shown and f"| `{name}` |" not in errors:
                _log.warning("%s.%s is in no page of the reference", module.__name__, name)
