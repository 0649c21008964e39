"""comch_next is imported where the old modules were, under names that are nobody else's."""

from __future__ import annotations

import ast

import pytest

from migrate.python.scopes import Names
from migrate.python.source import Source
from migrate.text._emptied import with_pass
from migrate.text.code import Edits, Template
from migrate.text.imports import Imports, Old
from migrate.text.pieces import splice
from migrate.text.render import Renderer


def migrated(text: str, exported: dict[str, bool] | None = None) -> str:
    """Rewrite a text in which `old` is the old module: X of it becomes `{comch}.X`, but for names that begin with Stay.

    `h.call()` stands for a call of a handle that needs comch_next, `chan` for a file of the project with old names.
    """
    source = Source(text.encode())
    names = Names(source.tree)
    edits, stays, old = Edits({}, {}), set[ast.AST](), dict[ast.alias, Old]()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            old |= {alias: Old(True, True) for alias in node.names if alias.name == "old"}
        if isinstance(node, ast.ImportFrom) and node.module in ("old", "chan"):
            for alias in node.names:
                if node.module == "old" or alias.name in ("cc", "X", "StayX", "*"):
                    plain = alias.name if alias.name != "Y" else ""
                    old[alias] = Old(alias.name == "cc", node.module == "old", plain)
    variables = {names.of[alias]: alias for alias in old if alias.name != "*"}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            bound = variables.get(names.of[node])
            star = not names.of[node].bindings and node.id[0] in "XS" and any(a.name == "*" for a in old)
            whole = names.parents[node]
            if bound and old[bound].module:
                if not isinstance(whole, ast.Attribute):
                    continue
                target, name = whole, whole.attr
            elif bound or star:
                target, name = node, bound.name if bound else node.id  # type: ignore[assignment]
            else:
                continue
            if name.startswith("Stay"):
                stays.add(target)
            else:
                edits.expressions[target] = Template("{comch}." + name)  # type: ignore[index]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "call":
            edits.expressions[node] = Template("{h}.call({comch}.Counter)", {"h": node.func.value})  # type: ignore[index]
    imports = Imports(source, names, old, edits, stays, exported or {})
    statements = with_pass({**edits.statements, **imports.statements}, source, names)
    edits = Edits(edits.expressions, statements)
    renderer = Renderer(source, names, edits, imports.name)
    changes = renderer.changes() + ([imports.added] if imports.added else [])
    new = splice(source.text, changes)
    ast.parse(new)
    assert not renderer.troubles + imports.troubles
    return new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import old as cc\ncc.X\n", "import comch_next as comch\ncomch.X\n"),
        ("import old\nold.X\n", "import comch_next as comch\ncomch.X\n"),
        ("import os, old as cc, re\ncc.X\n", "import comch_next as comch\nimport os, re\ncomch.X\n"),
        ("from old import X as Z\nZ\n", "import comch_next as comch\ncomch.X\n"),
        ("from old import (  # these\n    X,  # one\n)\nX\n", "# these\n# one\nimport comch_next as comch\ncomch.X\n"),
        ("from old import (\n    X,  # one\n    StayX,  # two\n)\nX, StayX\n",
         "# one\nimport comch_next as comch\nfrom old import (\n    StayX,  # two\n)\ncomch.X, StayX\n"),
        ("from old import (\n    X,  # {comch}\n    StayX,  # {x} {comch} {brace}\n)\nX, StayX\n",
         "# {comch}\nimport comch_next as comch\nfrom old import (\n    StayX,  # {x} {comch} {brace}\n)\n"
         "comch.X, StayX\n"),
        ("from old import (\n    X,  # a\n    Z,  # ab\n    StayX,  # ab\n)\nX, Z, StayX\n",
         "# a\n# ab\nimport comch_next as comch\nfrom old import (\n    StayX,  # ab\n)\ncomch.X, comch.Z, StayX\n"),
        ("import old as cc\ncc.X, cc.StayX\n",
         "import comch_next as comch\nimport old as cc\ncomch.X, cc.StayX\n"),
        ("from old import *\nX\n", "import comch_next as comch\ncomch.X\n"),
        ("from old import *\nX, StayX\n", "import comch_next as comch\nfrom old import *\ncomch.X, StayX\n"),
        ("if a: import old as cc\ncc.X\n", "if a: import comch_next as comch\ncomch.X\n"),
        ("x = 1; import old as cc; cc.X; cc.StayX\n",
         "x = 1; import comch_next as comch; import old as cc; comch.X; cc.StayX\n"),
    ],
)  # fmt: skip
def test_becomes_the_new_one_where_it_stands(old: str, new: str) -> None:
    assert migrated(old) == new


def test_on_every_path() -> None:
    old = "if a:\n    import old as cc\nelse:\n    try:\n        from old import X\n"
    old += "    finally:\n        import old as cc\n"
    assert migrated(old + "cc.X\n").count("import comch_next as comch") == 3


def test_once_in_a_block() -> None:
    assert migrated("import old as cc  # one\nfrom old import X  # two\n\ncc.X, X\n") == (
        "import comch_next as comch  # one\n# two\n\ncomch.X, comch.X\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import old\nimport comch_next as comch\nold.X\n", "import comch_next as comch\ncomch.X\n"),
        (
            "from old import X\nimport a\nimport comch_next as comch\nX\n",
            "import comch_next as comch\nimport a\ncomch.X\n",
        ),
        ("import comch_next as comch\nimport comch_next as comch\n", None),
        ("import old\nif a:\n    import comch_next as comch\nold.X\n", None),
    ],
)
def test_the_new_one_goes_where_an_old_one_before_it_becomes_it(old: str, new: str | None) -> None:
    assert migrated(old) == (new or old.replace("old.X", "comch.X").replace("import old", "import comch_next as comch"))


@pytest.mark.parametrize(
    ("comment", "kept"),
    [
        ("# noqa", ""),
        ("# noqa: F401", ""),
        ("#type: ignore[import-not-found]", ""),
        ("# pylint: disable=unused-import", ""),
        ("# fmt: skip", ""),
        ("# noqa: E402  # late", "# late\n"),
        ("# the type: a class", "# the type: a class\n"),
    ],
)
def test_what_tells_tools_about_a_line_goes_with_it(comment: str, kept: str) -> None:
    old = f"import old as cc  # noqa\nfrom old import X  {comment}\n\ncc.X, X\n"
    assert migrated(old) == f"import comch_next as comch  # noqa\n{kept}\ncomch.X, comch.X\n"


def test_an_import_that_is_there_is_used_when_it_comes_first() -> None:
    assert migrated("import comch_next as new\nimport old as cc\ncc.X\n") == "import comch_next as new\nnew.X\n"
    assert migrated("import old as cc\ncc.X\nimport comch_next as new\n") == (
        "import comch_next as new\nnew.X\nimport comch_next as new\n"
    )


@pytest.mark.parametrize(
    "taken", ["comch = 1", "def f(comch): pass", "comch()", "import comch", "for comch in x: pass"]
)
def test_a_name_of_the_programs_own_is_not_taken(taken: str) -> None:
    assert migrated(f"import old as cc\n{taken}\ncc.X\n") == f"import comch_next\n{taken}\ncomch_next.X\n"


def test_a_name_in_an_edit_around_it_is_the_same() -> None:
    assert migrated("import old\ncomch = 1\nold.X.call()\n") == (
        "import comch_next\ncomch = 1\ncomch_next.X.call(comch_next.Counter)\n"
    )


def test_a_local_import_hides_no_outer_use() -> None:
    new = migrated("from old import X\ndef f():\n    X\n    import old as cc\n    cc.X\n")
    assert new == ("import comch_next as comch\ndef f():\n    comch.X\n    import comch_next\n    comch_next.X\n")
    new = migrated("import comch_next as comch\ndef f():\n    comch.y\n    import old as cc\n    cc.X\n")
    assert new == ("import comch_next as comch\ndef f():\n    comch.y\n    import comch_next\n    comch_next.X\n")


@pytest.mark.parametrize(
    "rest",
    ["del cc", "print(cc is None)", "__all__ = ['cc']", "def f():\n    global cc\n    import old as cc", "cc = None"],
)
def test_a_name_that_is_more_than_a_prefix_stays(rest: str) -> None:
    text = f"import old as cc\ncc.X\n{rest}\n"
    assert migrated(text) == text.replace("import old", "import comch_next")


def test_a_name_that_other_files_take_stays() -> None:
    assert migrated("import old as cc\ncc.X\n", {"cc": False}) == "import comch_next as cc\ncc.X\n"
    assert migrated("import old as cc\ncc.X\n", {"cc": True}) == (
        "import comch_next as comch\nimport old as cc\ncomch.X\n"
    )
    assert migrated("from old import X as Z\n", {"Z": False}) == "from comch_next import X as Z\n"
    assert (
        migrated("from old import Y\nY\n", {"Y": False}) == "import comch_next as comch\nfrom old import Y\ncomch.Y\n"
    )


def test_types_need_no_import_that_is_there() -> None:
    typed = "if typing.TYPE_CHECKING:\n    import types\n    from old import X\n\n"
    kept = typed.replace("    from old import X\n", "")
    assert migrated("import old as cc\n" + typed + "def f(a: X): cc.X\n") == (
        "import comch_next as comch\n" + kept + "def f(a: comch.X): comch.X\n"
    )
    assert migrated("import typing\n" + typed + "def f(a: X): h.call()\n") == (
        "import typing\nimport comch_next as comch\n" + kept + "def f(a: comch.X): h.call(comch.Counter)\n"
    )
    assert migrated(typed + "def f(a: X): pass\n") == (
        typed.replace("from old import X", "import comch_next as comch") + "def f(a: comch.X): pass\n"
    )
    alone = typed.replace("    import types\n", "")
    new = migrated("import old as cc\n" + alone + "def f(a: X): cc.X\n")
    assert "if typing.TYPE_CHECKING:\n    pass\n" in new


def test_names_that_stay_come_in_one_import() -> None:
    new = migrated("from old import X, Z as W, Y\nX, Y\n", {"X": False, "W": False})
    assert new == "import comch_next as comch\nfrom comch_next import X, Z as W\ncomch.X, comch.Y\n"


def test_global_speaks_of_the_new_name_too() -> None:
    old = "def f():\n    global X\n    from old import X\ndef g():\n    X\n"
    assert migrated(old) == (
        "def f():\n    global X, comch\n    import comch_next as comch\n    from comch_next import X\n"
        "def g():\n    comch.X\n"
    )


def test_a_file_of_the_project_that_does_something_is_imported_all_the_same() -> None:
    assert migrated("from chan import X, help\nX\n") == "import comch_next as comch\nfrom chan import help\ncomch.X\n"
    assert migrated("from chan import X\nX\n") == "import comch_next as comch\nimport chan\ncomch.X\n"
    assert migrated("from chan import help\nfrom chan import X\nX\n") == (
        "from chan import help\nimport comch_next as comch\ncomch.X\n"
    )
    assert migrated("import chan\nfrom chan import X\nX\n") == "import chan\nimport comch_next as comch\ncomch.X\n"
    assert migrated("from .chan import a\nfrom chan import X\nX\n") == (
        "from .chan import a\nimport comch_next as comch\nimport chan\ncomch.X\n"
    )
    assert migrated("from chan import X\nchan = X\n") == (
        "import comch_next as comch\nfrom chan import X\nchan = comch.X\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('#!/bin/x\n"""Doc."""\nfrom __future__ import annotations\n\nimport os\nimport re  # r\n\nh.call()\n',
         '#!/bin/x\n"""Doc."""\nfrom __future__ import annotations\n\nimport os\nimport re  # r\n'
         "import comch_next as comch\n\nh.call(comch.Counter)\n"),
        ("# why\nh.call()\n", "# why\nimport comch_next as comch\nh.call(comch.Counter)\n"),
        ("def f(h):\n    import old as cc\n    h.call()\n",
         "def f(h):\n    import comch_next as comch\n    h.call(comch.Counter)\n"),
        ("def f(h):\n    h.call()\nimport old as cc\n",
         "import comch_next as comch\ndef f(h):\n    h.call(comch.Counter)\nimport comch_next as comch\n"),
        ("import comch_next as new\ndef f(h):\n    h.call()\n",
         "import comch_next as new\ndef f(h):\n    h.call(new.Counter)\n"),
        ("'doc'; import os; h.call()\n", "'doc'; import comch_next as comch; import os; h.call(comch.Counter)\n"),
    ],
)  # fmt: skip
def test_a_use_that_names_nothing_old_finds_an_import(old: str, new: str) -> None:
    assert migrated(old) == new
