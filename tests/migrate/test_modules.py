"""Which file an import means, what a star import brings, who imports whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from migrate.python.modules import Project, is_standard


def project(*files: str, **texts: str) -> Project:
    named = {name.replace("__", "/") + ".py": text for name, text in texts.items()}
    return Project({Path(name): ast.parse(named.get(name, "")) for name in (*files, *named)})


PACKAGE = (
    "app.py",
    "tools/run.py",
    "net/__init__.py",
    "net/link.py",
    "net/deep/__init__.py",
    "net/deep/wire.py",
    "plain/x.py",
)


@pytest.mark.parametrize(
    ("path", "name", "level", "expected"),
    [
        ("app.py", "net", 0, "net/__init__.py"),
        ("app.py", "net.link", 0, "net/link.py"),
        ("app.py", "net.deep.wire", 0, "net/deep/wire.py"),
        ("app.py", "plain", 0, "plain"),
        ("app.py", "plain.x", 0, "plain/x.py"),
        ("app.py", "missing", 0, None),
        ("tools/run.py", "net.link", 0, "net/link.py"),
        ("net/link.py", "deep", 1, "net/deep/__init__.py"),
        ("net/link.py", "", 1, "net/__init__.py"),
        ("net/link.py", "deep.wire", 1, "net/deep/wire.py"),
        ("net/deep/wire.py", "link", 2, "net/link.py"),
        ("net/__init__.py", "link", 1, "net/link.py"),
        ("net/deep/wire.py", "app", 0, "app.py"),
    ],
)
def test_an_import_means_a_file(path: str, name: str, level: int, expected: str | None) -> None:
    assert project(*PACKAGE).resolve(Path(path), name, level) == (Path(expected) if expected else None)


def test_a_package_in_a_source_folder_is_found_from_its_tests() -> None:
    files = project("src/net/__init__.py", "src/net/link.py", "tests/test_link.py")
    assert files.resolve(Path("tests/test_link.py"), "net.link") == Path("src/net/link.py")


def test_two_files_of_a_name_are_nobody_elses() -> None:
    files = project("a/conf.py", "b/conf.py", "c/main.py", "a/main.py")
    assert files.resolve(Path("c/main.py"), "conf") is None
    assert files.resolve(Path("a/main.py"), "conf") == Path("a/conf.py")


def test_python_s_own_modules_win_but_for_the_script_s_folder() -> None:
    files = project("app.py", "net/__init__.py", "net/queue.py", "net/link.py", "queue.py")
    assert files.resolve(Path("app.py"), "queue") == Path("queue.py")
    assert files.resolve(Path("net/link.py"), "queue") == Path("queue.py")  # as when app.py runs
    files = project("app.py", "net/__init__.py", "net/queue.py", "net/link.py")
    assert files.resolve(Path("net/link.py"), "queue") is None
    assert is_standard("concurrent.futures")
    assert not is_standard("numpy.random")


def test_a_module_does_not_import_itself() -> None:
    assert project("cc.py").resolve(Path("cc.py"), "cc") is None


def test_exports_follow_all_and_stars() -> None:
    files = project(a="from b import *\nx = _y = 1\n", b="z = 1\nfrom a import *\n", c="__all__ = ['_q']\nr = 1\n")
    assert files.exports(Path("a.py")) == {"x", "z"}
    assert files.exports(Path("c.py")) == {"_q"}


def test_importers_are_the_imports_turned_around() -> None:
    files = project("net/__init__.py", "net/link.py", app="import net.link\n", tool="from net import link\n")
    assert files.imports[Path("app.py")] == {Path("net/__init__.py"), Path("net/link.py")}
    assert files.importers[Path("net/link.py")] == {Path("app.py"), Path("tool.py")}


def test_a_script_is_run_and_not_imported() -> None:
    guard = "if __name__ == '__main__': pass"
    found = project("lib.py", tool=guard, tested=guard, test_it="import tested")
    assert [path.name for path in found.trees if found.is_script(path)] == ["tool.py"]


@pytest.mark.parametrize("text", ["/", "a/b", "b.so", ".a", "two words"])
def test_a_text_that_is_no_name_is_no_module(text: str) -> None:
    assert project(*PACKAGE).resolve(Path("app.py"), text) is None
