"""Random functions whose every step is watched: what they call writes a log, and decides by dice what happens next.

`p(n)` gives some value or raises; `c(n)` gives a context manager, `it(n)` an iterable, `t(n)` exception classes; their
own steps are logged as well. `v(n, locals())` notes which names are bound.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

NAMES = "abc"
Event = tuple[int, str, bool]  # a number, what was done with it, and whether it raised


class Stop(BaseException):
    """The run has had its steps."""


class FirstError(Exception):
    """One error of the program."""


class SecondError(Exception):
    """Another."""


EXPRESSIONS = """
@p
(@e and @e)
(@e or not @e or @e)
(@e if @e else @e)
(not @e)
[@e for @n in @it if @e if @e]
{@p: @e for x in @it for y in @it}
list(@e for @n in @it)
@q
(@n := @e)
(@p < @p < @p)
f'{@p} {@p!r:>{@p}}'
(lambda x=@e: @e)
{@p: @e, **{}}
(@e, *[@e], @e)
(0 and @e or @e)
[@e, @e][0:1]
""".strip().splitlines()
SIMPLE = """
@e
@n = @e
@n = x = @e
@n, *x = [@e, @e]
@n: int = @e
x = 1; x += @p and 1
@v
@v
@v
assert @e, @e
del @n
import sys as @n
def @n(x=@e): return p(0)
class @n: y = @e
""".strip().splitlines()
LEAVING = ["return @e", "raise @t", "raise @t from None"]


class Writer:
    """Writes a random function body."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.number = 0

    def call(self, name: str) -> str:
        """Return a call with a number of its own."""
        self.number += 1
        return f"{name}({self.number})"

    def expression(self, depth: int = 2) -> str:
        """Return an expression with probes."""
        return self.fill(self.dice.choice(EXPRESSIONS), depth - 1) if depth else self.call("p")

    def fill(self, form: str, depth: int = 2) -> str:
        """Fill a form: @e is an expression, @n a name, @v notes the names that are bound, @p @it @c @t are calls."""

        def part(match: re.Match[str]) -> str:
            word = match[1]
            if word == "v":
                return self.call("v").replace(")", ", locals())")
            if word == "q":
                return f"p({self.call('')[1:-1]}, {self.expression(depth)}, k={self.expression(depth)})"
            return (
                self.dice.choice(NAMES) if word == "n" else self.expression(depth) if word == "e" else self.call(word)
            )

        return re.sub(r"@(\w+)", part, form)

    def block(self, depth: int, loop: bool, indent: str) -> str:
        return "".join(self.statement(depth, loop, indent) for _ in range(self.dice.randint(1, 3)))

    def statement(self, depth: int, loop: bool, indent: str) -> str:
        """Return a statement of some lines."""
        compound = [self._if, self._while, self._for, self._try, self._try, self._with, self._match]
        compound += [self._groups] if sys.version_info >= (3, 11) else []
        if depth and self.dice.random() < 0.5:
            return self.dice.choice(compound)(depth - 1, loop, indent)
        leaving = LEAVING + (["break", "continue"] if loop else [])
        return f"{indent}{self.fill(self.dice.choice(leaving if self.dice.random() < 0.15 else SIMPLE))}\n"

    def _head(self, form: str, depth: int, loop: bool, indent: str) -> str:
        return f"{indent}{self.fill(form)}:\n" + self.block(depth, loop, indent + "  ")

    def _maybe(self, form: str, depth: int, loop: bool, indent: str) -> str:
        return self._head(form, depth, loop, indent) if self.dice.random() < 0.5 else ""

    def _if(self, depth: int, loop: bool, indent: str) -> str:
        text = self._head("if @e", depth, loop, indent) + self._maybe("elif @e", depth, loop, indent)
        return text + self._maybe("else", depth, loop, indent)

    def _while(self, depth: int, loop: bool, indent: str) -> str:
        form = self.dice.choice(["while @e", "while True", "while not @e"])
        head, body = self._head(form, depth, True, indent).split("\n", 1)
        text = f"{head}\n{indent}  {self.call('p')}\n{body}"  # so that every turn counts, and the run has an end
        return text + self._maybe("else", depth, loop, indent)

    def _for(self, depth: int, loop: bool, indent: str) -> str:
        return self._head("for @n in @it", depth, True, indent) + self._maybe("else", depth, loop, indent)

    def _with(self, depth: int, loop: bool, indent: str) -> str:
        return self._head(self.dice.choice(["with @c as @n", "with @c, @c as @n"]), depth, loop, indent)

    def _try(self, depth: int, loop: bool, indent: str) -> str:
        text = self._head("try", depth, loop, indent)
        handlers = self._maybe("except @t", depth, loop, indent) + self._maybe("except @t as @n", depth, loop, indent)
        handlers += self._maybe(self.dice.choice(["except", "except BaseException"]), depth, loop, indent)
        if handlers:
            handlers += self._maybe("else", depth, loop, indent)
        ending = self._maybe("finally", depth, loop, indent) if handlers else self._head("finally", depth, loop, indent)
        return text + handlers + ending

    def _groups(self, depth: int, loop: bool, indent: str) -> str:
        text = self._head("try", depth, loop, indent)
        handlers = [
            self._head("except* @t", depth, False, indent),
            self._maybe("except* @t as @n", depth, False, indent),
        ]
        handlers = [handler.replace("return ", "").replace("  break\n", "  pass\n") for handler in handlers]
        return text + "".join(handlers) + self._maybe("else", depth, loop, indent)

    def _match(self, depth: int, loop: bool, indent: str) -> str:
        text = f"{indent}match {self.expression()}:\n"
        for form in ("case 0 | 1", "case [@n, *_] if @e", "case str(@n) | bytes(@n)", "case @n if @e", "case _"):
            text += self._maybe(form, depth, loop, indent + "  ")
        return text + f"{indent}  case {{'a': 1, **b}}:\n{indent}    {self.call('p')}\n"


class Run:
    """One run of a function: what it called, in order, and how it ended."""

    def __init__(self, function: Callable[..., Any], dice: random.Random, steps: int = 60) -> None:
        self.dice, self.steps = dice, steps
        self.events: list[Event] = []
        self.bound: dict[int, list[set[str]]] = {}
        try:
            function(self)
            self.end = "return"
        except BaseException:
            self.end = "raise"

    def do(self, number: int, what: str) -> None:
        """Log a step, which may raise."""
        self.steps -= 1
        error = Stop if self.steps < 0 else self.dice.choice([None] * 8 + [FirstError, SecondError])
        self.events.append((number, what, error is not None))
        if error is not None:
            raise error

    def p(self, number: int, *_: object, **__: object) -> object:
        self.do(number, "do")
        return self.dice.choice([0, 1, 2, "", "x", [1, 2], {"a": 1}])

    def v(self, number: int, names: dict[str, object]) -> None:
        self.bound.setdefault(number, []).append({name for name in NAMES if name in names})
        self.do(number, "do")

    def t(self, number: int) -> type[BaseException]:
        self.do(number, "do")
        return self.dice.choice([FirstError, SecondError, Exception])

    def it(self, number: int) -> Iterator[int]:
        self.do(number, "do")
        return Items(self, number)

    def c(self, number: int) -> Manager:
        self.do(number, "do")
        return Manager(self, number)


class Items:
    """An iterator of some numbers."""

    def __init__(self, run: Run, number: int) -> None:
        self.run, self.number = run, number

    def __iter__(self) -> Items:
        return self

    def __next__(self) -> int:
        self.run.do(self.number, "next")
        if self.run.dice.random() < 0.4:
            raise StopIteration
        return 1


class Manager:
    """A context manager that may swallow exceptions."""

    def __init__(self, run: Run, number: int) -> None:
        self.run, self.number = run, number

    def __enter__(self) -> None:
        self.run.do(self.number, "enter")

    def __exit__(self, *_: object) -> bool:
        self.run.do(self.number, "exit")
        return self.run.dice.random() < 0.3
