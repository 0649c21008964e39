"""The check of a rewritten file: what it must refuse, and what it must let through."""

from __future__ import annotations

import textwrap

import pytest

from migrate.python.control import Control
from migrate.python.source import Source
from migrate.text.check import complaints

STARS = {"chan": frozenset({"Endpoint", "DOCA_IS_ERROR"}), "comch_next": frozenset({"Channel"})}
WANTED = frozenset({"cc", "make"})


def source(text: str) -> Source:
    return Source(textwrap.dedent(text).lstrip("\n").encode())


def check(old: str, new: str) -> list[str]:
    found = complaints(source(old), source(new), stars=STARS, wanted=WANTED)
    return [f"{complaint.line}: {complaint.name} {complaint.what}" for complaint in found]


RIGHT = {
    "the same": ("import chan as cc\ncc.f()", "import chan as cc\ncc.f()"),
    "another name": ("import chan as xx\nxx.f()", "import comch\ncomch.f()"),
    "undefined before as well": ("nowhere.f()", "nowhere.f(1)"),
    "both branches": (
        "if a:\n  import chan as xx\nelse:\n  import chan as xx\nxx.f()",
        "if a:\n  import comch\nelse:\n  import comch\ncomch.f()",
    ),
    "one branch, as before": (
        "if a:\n  import chan as xx\nxx.f()",
        "if a:\n  import comch\ncomch.f()",
    ),
    "a fallback that raises": (
        "try:\n  import chan as xx\nexcept ImportError:\n  raise SystemExit(1)\nxx.f()",
        "try:\n  import comch\nexcept ImportError:\n  raise SystemExit(1)\ncomch.f()",
    ),
    "a fallback that exits": (
        "import sys\ntry:\n  import chan as xx\nexcept ImportError:\n  sys.exit(1)\nxx.f()",
        "import sys\ntry:\n  import comch\nexcept ImportError:\n  sys.exit(1)\ncomch.f()",
    ),
    "under TYPE_CHECKING, in annotations": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import chan as xx\ndef f(a: 'xx.E') -> xx.E: ...",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import comch\ndef f(a: 'x') -> comch.E: ...",
    ),
    "a star import that is resolved": (
        "from chan import *\nep = Endpoint()",
        "from comch_next import *\nep = Channel()",
    ),
    "a star import of which nothing is known": ("from other import *\nEndpoint()", "from other import *\nChannel()"),
    "local imports": (
        "def f():\n  import chan as xx\n  xx.f()\ndef g():\n  from chan import f\n  f()",
        "def f():\n  import comch\n  comch.f()\ndef g():\n  import comch\n  comch.f()",
    ),
    "bound by a function at run time": (
        "def setup():\n  global xx\n  import chan as xx\ndef f():\n  xx.f()",
        "def setup():\n  global comch\n  import comch\ndef f():\n  comch.f()",
    ),
    "a match statement": (
        "match a:\n  case 1:\n    import chan as xx\n  case _:\n    import chan as xx\nxx.f()",
        "match a:\n  case 1:\n    import comch\n  case _:\n    import comch\ncomch.f()",
    ),
    "exported": ("import chan as xx\n__all__ = ['xx']", "import comch_next as xx\n__all__ = ['xx']"),
    "wanted": ("import chan as cc\ndef make(): ...", "import comch_next as cc\ndef make(): ..."),
    "deleted": ("import chan as xx\ndel xx", "import comch\ndel comch"),
    "a builtin that the program replaces": (
        "try:\n  input = raw_input\nexcept NameError:\n  pass\ninput()",
        "try:\n  input = raw_input\nexcept NameError:\n  pass\ninput(1)",
    ),
    "statements joined": (
        "def f(a):\n  if a: import chan as xx\n  ep = xx.e()\n  ep.set(1)\n  ep.go()",
        "def f(a):\n  if a: import comch\n  ep = comch.e(1)\n  ep.go()",
    ),
}

WRONG = {
    "an import lost": ("import chan as xx\nxx.f()", "comch.f()", ["1: comch is not defined"]),
    "undefined in a function that did not change its text": (
        "import chan as xx\ndef f():\n  xx.f()",
        "import comch\ndef f():\n  xx.f()",
        ["3: xx is not defined"],
    ),
    "a local import below the use": (
        "import chan as xx\ndef f():\n  xx.f()\n  from chan import g\n  g()",
        "import comch\ndef f():\n  comch.f()\n  import comch\n  comch.g()",
        ["3: comch is not bound here"],
    ),
    "a local import in one branch": (
        "import chan as xx\ndef f(a):\n  if a:\n    import chan as b\n    b.f()\n  xx.f()",
        "import comch\ndef f(a):\n  if a:\n    import comch\n    comch.f()\n  comch.f()",
        ["6: comch may be unbound here"],
    ),
    "one branch of two": (
        "if a:\n  import chan as xx\nelse:\n  import chan as xx\nxx.f()",
        "if a:\n  import comch\nelse:\n  import chan as xx\ncomch.f()",
        ["5: comch may be unbound here"],
    ),
    "the import in a try": (
        "import chan as xx\ntry:\n  import chan as b\nexcept ImportError:\n  pass\nxx.f()",
        "try:\n  import comch\nexcept ImportError:\n  pass\ncomch.f()",
        ["5: comch may be unbound here"],
    ),
    "only under TYPE_CHECKING": (
        "from typing import TYPE_CHECKING\nimport chan as b\nif TYPE_CHECKING:\n  import chan as xx\nb.f()",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import comch\ncomch.f()",
        ["4: comch may be unbound here"],
    ),
    "after an early return": (
        "import chan as xx\ndef f(a):\n  if a:\n    return xx.f()\n  from chan import g\n  return g()",
        "import comch\ndef f(a):\n  if a:\n    return comch.f()\n  import comch\n  return comch.g()",
        ["4: comch is not bound here"],
    ),
    "one case of two": (
        "import chan as xx\ndef f(a):\n  match a:\n    case 1: import chan as b\n    case _: pass\n  xx.f()",
        "import comch\ndef f(a):\n  match a:\n    case 1: import comch\n    case _: pass\n  comch.f()",
        ["6: comch may be unbound here"],
    ),
    "a loop that may not run": (
        "import chan as xx\nfor a in b: pass\nxx.f()",
        "for a in b: import comch\ncomch.f()",
        ["2: comch may be unbound here"],
    ),
    "a function that is called above the import": (
        "import chan as xx\ndef f(): xx.f()\nf()\nimport chan as b",
        "def f(): comch.f()\nf()\nimport comch",
        ["1: comch may be unbound here"],
    ),
    "a closure that is called above the import": (
        "def f():\n  import chan as xx\n  def g(): xx.f()\n  g()\n  from chan import h",
        "def f():\n  def g(): comch.f()\n  g()\n  import comch",
        ["2: comch may be unbound here"],
    ),
    "a class body": (
        "import chan as xx\nclass A:\n  x = xx.f()",
        "class A:\n  x = comch.f()\nimport comch",
        ["2: comch is not bound here"],
    ),
    "deleted twice": (
        "import chan as xx\nimport chan as b\ndel xx\ndel b",
        "import comch\ndel comch\ndel comch",
        ["3: comch is not bound here"],
    ),
    "used after del": (
        "import chan as xx\nimport chan as b\ndel xx\nb.f()",
        "import comch\ndel comch\ncomch.f()",
        ["3: comch is not bound here"],
    ),
    "the name of an except clause": (
        "import chan as xx\ntry: f()\nexcept E as e: pass\nxx.f()",
        "import comch_next as e\ntry: e.f()\nexcept e.E as e: pass\ne.f()",
        ["4: e may be unbound here"],
    ),
    "exported": (
        "import chan as xx\n__all__ = ['a']\n__all__ += ['xx']\na = 1",
        "import comch\n__all__ = ['a']\n__all__ += ['xx']\na = 1",
        ["3: xx is in __all__ and not bound"],
    ),
    "wanted by another file": (
        "import chan as cc",
        "import comch",
        ["1: cc is imported by other files and not bound"],
    ),
    "wanted, and bound in one branch only": (
        "if a:\n  import chan as cc\nelse:\n  import chan as cc",
        "if a:\n  import chan as cc\nelse:\n  import comch",
        ["1: cc is imported by other files and not bound"],
    ),
    "a name that only the old star import gave": (
        "from chan import *\nif DOCA_IS_ERROR(1): Endpoint()",
        "from comch_next import *\nif DOCA_IS_ERROR(1): Channel()",
        ["2: DOCA_IS_ERROR is not defined"],
    ),
    "local now": (
        "def f(): return len(b'')\n",
        "def f():\n  try: return len(b'')\n  finally: len = 1\n",
        ["2: len is not bound here"],
    ),
    "one way through a finally": (
        "import chan as xx\ndef f(a):\n  try:\n    import chan as b\n  finally:\n    xx.f()",
        "def f(a):\n  try:\n    import comch\n  finally:\n    comch.f()",
        ["5: comch may be unbound here"],
    ),
    "statements joined": (
        "import chan as xx\ndef f(a):\n  ep = xx.e()\n  ep.set(1)\n  ep.go()",
        "def f(a):\n  if a: import comch\n  ep = comch.e(1)\n  ep.go()",
        ["3: comch may be unbound here"],
    ),
}


@pytest.mark.parametrize(("old", "new"), RIGHT.values(), ids=RIGHT)
def test_right(old: str, new: str) -> None:
    """A file in which every name is bound as before passes."""
    assert check(old, new) == []


@pytest.mark.parametrize(("old", "new", "expected"), WRONG.values(), ids=WRONG)
def test_wrong(old: str, new: str, expected: list[str]) -> None:
    """A name that is lost is reported where it is used."""
    assert check(old, new) == expected


@pytest.mark.parametrize("text", [text for pair in RIGHT.values() for text in pair])
def test_unchanged(text: str) -> None:
    """Nothing is reported of a file that stays as it is."""
    assert check(text, text) == []


def test_what_stands_above_needs_no_control_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Control, "graph", None)
    old = "import chan as xx\ndef f(ep):\n  for m in ep:\n    data = xx.f(m)\n    print(data)\n"
    assert check(old, old.replace("chan as xx", "comch").replace("xx.f", "comch.f")) == []
