"""Control flow against real code: the standard library runs under a tracer, and every line it goes to is on a path."""

from __future__ import annotations

import argparse
import ast
import configparser
import contextlib
import csv
import difflib
import email
import email.feedparser
import email.generator
import email.message
import fractions
import html.parser
import io
import json.decoder
import json.encoder
import json.scanner
import pprint
import shlex
import statistics
import string
import sys
import textwrap
import tokenize
import urllib.parse
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from migrate.python.control import Control, Graph, Point
from migrate.python.scopes import COMPREHENSIONS, Names
from migrate.python.source import Source

SILENT = (ast.Global, ast.Nonlocal, ast.Pass, ast.Break, ast.Continue, ast.Try, ast.While)
APART = (*COMPREHENSIONS, ast.ClassDef)  # what is in them runs in a frame of its own, in some releases


def header(unit: ast.AST) -> range:
    """Return the lines of a statement or except clause without the statements in it."""
    inner = getattr(unit, "body", [])
    last = max(unit.lineno, inner[0].lineno - 1) if inner else unit.end_lineno  # type: ignore[attr-defined]
    return range(min([unit.lineno, *(part.lineno for part in getattr(unit, "decorator_list", []))]), last + 1)  # type: ignore[attr-defined]


class Followed:
    """A function's graph by statements; except clauses count as statements."""

    def __init__(self, control: Control, function: ast.AST) -> None:
        self.names, self.graph = control.names, control.graph(function)
        self.units: dict[int, set[ast.AST]] = {}  # by line
        self.unit: dict[Point, ast.AST] = {}  # of the steps that leave code
        for block, contents in enumerate(self.graph.blocks):
            for index, step in enumerate(contents.steps):
                unit = self.of(step.node, function)
                if unit is not None:
                    self.unit[block, index] = unit
                    for line in header(unit):
                        self.units.setdefault(line, set()).add(unit)

    def of(self, node: ast.AST, function: ast.AST) -> ast.AST | None:
        """Return the statement or except clause of a node; None where it runs in a frame of its own."""
        unit = None
        for place in (node, *self.names.above(node)):
            if place is function:
                return unit
            if isinstance(place, APART) and place is not node:
                return None
            if unit is None and isinstance(place, ast.stmt | ast.excepthandler):
                unit = place
        return unit

    def onward(self, at: set[Point], last: int, line: int) -> set[Point]:
        """Return the points of a line to which paths lead over no third statement that leaves code."""
        wanted = self.units.get(line, set())
        passed = wanted | self.units.get(last, set())
        todo, seen, found = list(at), set(at), set()
        while todo:
            point = todo.pop()
            unit = self.unit.get(point)
            if unit in wanted:
                found.add(point)
            if unit is None or unit in passed or is_silent(unit):
                fresh = [following for following in self.graph.following(point) if following not in seen]
                seen.update(fresh)
                todo += fresh
        return found


def is_silent(unit: ast.AST) -> bool:
    """Whether the compiler may leave no code of a statement."""
    return isinstance(unit, SILENT) or (isinstance(unit, ast.Expr) and isinstance(unit.value, ast.Constant))


class Tracer:
    """Follows every function of some files."""

    def __init__(self, files: Iterable[str]) -> None:
        self.functions: dict[tuple[str, str, int], Followed] = {}
        self.wrong: list[str] = []
        self.count = 0
        self._at: dict[FrameType, tuple[int, set[Point]]] = {}
        for file in files:
            control = Control(Names(Source(Path(file).read_bytes()).tree))
            for node in control.names.scopes:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                    self.functions[file, node.name, first] = Followed(control, node)

    def followed(self, code: CodeType) -> Followed | None:
        return self.functions.get((code.co_filename, code.co_name, code.co_firstlineno))

    def __call__(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        """Trace, as sys.settrace wants it."""
        followed = self.followed(frame.f_code)
        if followed is None:
            return None
        if event == "line":
            self.count += 1
            last, at = self._at.get(frame, (0, {Graph.ENTRY}))
            now = followed.onward(at, last, frame.f_lineno)
            if not now and at:
                self.wrong.append(f"{frame.f_code.co_filename}: no way from {last} to {frame.f_lineno}")
            self._at[frame] = (frame.f_lineno, now)
        return self


def run_library() -> None:
    """Run a little of everything."""
    text = Path(shlex.__file__).read_text()
    list(tokenize.generate_tokens(io.StringIO(text).readline))
    textwrap.fill(text[:3000], 40)
    list(difflib.unified_diff(text[:3000].splitlines(), text[500:3500].splitlines()))
    difflib.get_close_matches("appel", ["ape", "apple", "peach"])
    shlex.split('a \'b c\' "d\\"e" # f', comments=True)
    pprint.pformat([{"a": [1, 2] * 40, "b": {"c": (1,)}}] * 3)
    statistics.stdev([1, 2, 3.5]), statistics.quantiles([1, 5, 3, 4]), statistics.median([1, 4, 2])
    fractions.Fraction("3/4") + fractions.Fraction(1.25) ** 2
    string.Template("$a ${b} $$").safe_substitute(a=1)
    list(string.Formatter().vformat("{0[1]} {a.real:>{w}}", ([1, 2],), {"a": 1, "w": 3}))
    urllib.parse.urlsplit("http://a:b@[::1]:8/c;d?e=f&g#h"), urllib.parse.parse_qs("a=1&b=2&a=3")
    urllib.parse.urljoin("http://a/b/c", "../d")
    parser = html.parser.HTMLParser()
    parser.feed("<a b='c'>d &amp; <!-- e --><script>x</script></a><br/>" * 3)
    parser.close()
    message = email.message_from_string("A: b\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nc\n--x--\n")
    message.as_string(), message.get_content_type(), list(message.walk())
    csv.Sniffer().sniff("a;b;c\n1;2;3\n4;5;6\n")
    list(csv.DictReader(io.StringIO("a,b\n1,2\n3\n")))
    decoder = json.decoder.JSONDecoder()
    decoder.parse_string = json.decoder.py_scanstring  # type: ignore[attr-defined]
    json.scanner.py_make_scanner(decoder)('{"a": [1, -2.5e3, "x\\u00e9\\n", true, null, {}]}', 0)  # type: ignore[attr-defined]
    "".join(json.encoder.JSONEncoder(indent=1).iterencode({"a": [1, 2.5, None, {"b": ()}]}))
    ast.unparse(ast.parse(text))
    config = configparser.ConfigParser()
    config.read_string("[a]\nb = %(c)s\nc: 1\n  2\n[d]\n")
    with contextlib.suppress(configparser.Error):
        config.get("a", "nothing")
    options = argparse.ArgumentParser(prog="x")
    options.add_argument("a", nargs="*", type=int)
    options.add_argument("--b", choices=["c", "d"], help="with a %(default)s")
    for arguments in (["1", "--b", "c"], ["--b", "e"], ["-h"], ["x"]):
        with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            with contextlib.redirect_stdout(io.StringIO()):
                options.parse_args(arguments)


MODULES = [argparse, ast, configparser, contextlib, csv, difflib, email.feedparser, email.message, email.generator]
MODULES += [fractions, html.parser, json.decoder, json.encoder, json.scanner, pprint, shlex, statistics, string]
MODULES += [textwrap, tokenize, urllib.parse]


def test_standard_library() -> None:
    """Every line that a function of the library goes to is on a path from the line before."""
    tracer = Tracer(str(module.__file__) for module in MODULES)
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        run_library()
    finally:
        sys.settrace(before)
    assert not tracer.wrong, "\n".join(sorted(set(tracer.wrong))[:20])
    assert tracer.count > 20_000
