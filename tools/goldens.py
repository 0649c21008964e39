"""Writes the golden cases of migrate's rules anew: the befores unchanged, the afters as migrate rewrites them.

A case whose result differs is a change of behaviour: read the diff before you commit it. Cases that are left alone come
first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from migrate.outcome import Options
from migrate.rewriting import rewrite

FOLDER = Path(__file__).resolve().parent.parent / "migrate" / "rules"
_CASE, _OUTPUT = "# case:", "\n# output\n"


def befores(text: str) -> Iterator[tuple[str, str]]:
    """Yield the title and the source of every case in a file."""
    for part in text.split(_CASE)[1:]:
        title, _, body = part.partition("\n")
        yield title.strip(), body.partition(_OUTPUT)[0].strip("\n") + "\n"


def golden(text: str, options: Options) -> str:
    """Return a file's cases with the afters of today."""
    alone, changed = [], []
    for title, before in befores(text):
        after = rewrite(before.encode(), options=options).new.decode()
        head = f"{_CASE} {title}\n{before}"
        if after == before:
            alone.append(head)
        else:
            changed.append(f"{head}{_OUTPUT}{after}")
    return "\n\n".join([*alone, *changed])


def main() -> int:
    """Write the files that are given, or all; with --check exit 1 when one would change."""
    check = "--check" in sys.argv[1:]
    given = [Path(name) for name in sys.argv[1:] if name != "--check"]
    stale = False
    for path in given or sorted(FOLDER.glob("*/*.case.py")):
        old = path.read_text(encoding="utf-8")
        new = golden(old, Options(idioms=path.parent.name == "idioms"))
        if new != old:
            stale = True
            print(f"{path.name}: {'stale' if check else 'written'}")
            if not check:
                path.write_text(new, encoding="utf-8")
    return int(check and stale)


if __name__ == "__main__":
    sys.exit(main())
