"""Edits become text: arguments keep their lines and comments, everything else its bytes."""

from __future__ import annotations

import ast

import pytest

from migrate.python.scopes import Names
from migrate.python.source import Source
from migrate.text.code import Edits, Template
from migrate.text.pieces import splice
from migrate.text.render import Renderer

CALLS = {
    "send": "{a}.send_to({0}, {1}, timeout=0)",
    "flat": "{comch}.outcome({0}.configure, device={1})[0]",
    "get": "({a}.one, {a2}.two)",
    "read": "{a}.value",
    "make": "{comch}.Channel(one_sided=True)",
    "value": "lambda x: {0}",
    "same": "{0} == {1}",
    "close": "{a}.close()",
    "listen": "{a}.listen({0})",
    "drop": "{comch}.try_send({0}, {1}, {3})",
}
STATEMENTS = {"set": "{a}.device = {0}"}


def edited(text: str, width: int | None = None) -> str:
    """Render a text whose calls of the functions above change, and whose names OLD become `comch.New`."""
    new, troubles = tried(text, width)
    assert not troubles
    return new


def tried(text: str, width: int | None = None) -> tuple[str, list[str]]:
    source = Source(text.encode())
    names = Names(source.tree)
    edits = Edits({}, {})
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name) and node.id == "OLD":
            edits.expressions[node] = Template("{comch}.New")  # type: ignore[index]
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        parts = {str(at): value for at, value in enumerate(values)}
        if isinstance(node.func, ast.Attribute):
            parts |= {"a": node.func.value, "a2": node.func.value}
        used = {key: part for key, part in parts.items() if f"{{{key}}}" in (CALLS | STATEMENTS).get(name, "")}
        if name in STATEMENTS and isinstance(names.parents[node], ast.Expr):
            edits.statements[names.statement(node)] = Template(STATEMENTS[name], used)  # type: ignore[index]
        elif name in CALLS:
            edits.expressions[node] = Template(CALLS[name], used)  # type: ignore[index]
    renderer = Renderer(source, names, edits, lambda node: "comch", width)
    changes = renderer.changes()
    renderer.check_strings()
    new = splice(source.text, changes)
    ast.parse(new)
    return new, [trouble.code for trouble in renderer.troubles]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ep.send(m, p)", "ep.send_to(m, p, timeout=0)"),
        ("x = [ep.send(ep.send(m, p), p)]", "x = [ep.send_to(ep.send_to(m, p, timeout=0), p, timeout=0)]"),
        ("ep.set(d); x = 1; ep.set(e)", "ep.device = d; x = 1; ep.device = e"),
        ("if x: ep.set(d)", "if x: ep.device = d"),
        ("for m in make(): ep.send(m, p)", "for m in comch.Channel(one_sided=True): ep.send_to(m, p, timeout=0)"),
        ("def f():\n    return(ep).send(m, p)", "def f():\n    return ep.send_to(m, p, timeout=0)"),
        ("x = ep.read()if y else 0", "x = ep.value if y else 0"),
        ("x = (a or b).read()", "x = (a or b).value"),
        ("flat(a or b, c if d else e)", "comch.outcome((a or b).configure, device=c if d else e)[0]"),
        ("flat(a, (x := 3))", "comch.outcome(a.configure, device=(x := 3))[0]"),
        ("def f():\n    flat(a, (yield))", "def f():\n    comch.outcome(a.configure, device=(yield))[0]"),
        ("async def f():\n    (await g()).read()", "async def f():\n    (await g()).value"),
        ("x = 5 .read()", "x = (5).value"),
        ("@make()\ndef f(): pass", "@comch.Channel(one_sided=True)\ndef f(): pass"),
        ("x = lambda ep: ep.read()", "x = lambda ep: ep.value"),
        ("match ep.read():\n    case OLD.x: pass", "match ep.value:\n    case comch.New.x: pass"),
        ("try: pass\nexcept OLD as e: ep.send(e, e)", "try: pass\nexcept comch.New as e: ep.send_to(e, e, timeout=0)"),
        ("drop(a, b, len(make()), p)", "comch.try_send(a, b, p)"),
        ("with make() as ep, f(make()): pass",
         "with comch.Channel(one_sided=True) as ep, f(comch.Channel(one_sided=True)): pass"),
        ("if a: pass\nelif ep.read(): pass", "if a: pass\nelif ep.value: pass"),
        ("x = f(value(a)), [value(a)], (value(a) or b), b[value(a)].c",
         "x = f(lambda x: a), [lambda x: a], ((lambda x: a) or b), b[(lambda x: a)].c"),
        ("same(a or b, not c)", "(a or b) == (not c)"),
        ("é = ep.read(); ü = OLD", "é = ep.value; ü = comch.New"),
    ],
)  # fmt: skip
def test_one_line(old: str, new: str) -> None:
    assert edited(old, width=200) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # one argument to a line: so are the new ones, and comments stay beside theirs
        ("ep.send(  # talk\n    m,  # first\n    p,  # second\n)",
         "ep.send_to(  # talk\n    m,  # first\n    p,  # second\n    timeout=0,\n)"),
        ("ep.send(\n    m, p\n)", "ep.send_to(\n    m, p, timeout=0\n)"),
        ("ep.send(\n    m,\n    p\n)", "ep.send_to(\n    m,\n    p,\n    timeout=0\n)"),
        # one that has no room for a comment: above
        ("if a:\n    drop(\n        a,\n        b,\n        n,  # length\n        p,  # peer\n    )",
         "if a:\n    # length\n    comch.try_send(\n        a,\n        b,\n        p,  # peer\n    )"),
        ("ep.set(\n    d,  # which\n)", "# which\nep.device = d"),
        ("ep.set(a or\n    b)", "ep.device = (a or\n    b)"),
        ('ep.set("a"\n    "b")', 'ep.device = ("a"\n    "b")'),
        ("x = ep.send(m, \\\n    p)  # urgent", "x = ep.send_to(m, \\\n    p, timeout=0)  # urgent"),
        ("x = flat(a,\n         b)", "x = comch.outcome(a.configure,\n                  device=b)[0]"),
        ("x = (ep\n     .read())", "x = (ep.value)"),
    ],
)  # fmt: skip
def test_several_lines(old: str, new: str) -> None:
    assert edited(old) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ep.send(m,\n        p)", "ep.send_to(m,\n           p,\n           timeout=0)"),
        ("self.an_endpoint.send(m,\n                      p)",
         "self.an_endpoint.send_to(m,\n                         p,\n                         timeout=0)"),
        ("a.send(m + # and\n       n,\n       f(o,\n         p))",
         "a.send_to(m + # and\n          n,\n          f(o,\n            p),\n          timeout=0)"),
        ("ep.send(flat(a,\n             b),\n        p)",
         "ep.send_to(comch.outcome(a.configure,\n                         device=b)[0],\n"
         "           p,\n           timeout=0)"),
        ('ep.send("""(\n         one\n        """,\n        p)',
         'ep.send_to("""(\n         one\n        """,\n           p,\n           timeout=0)'),
        ('ep.send(f"""(\n         {m\n        }\n        """,\n        p)',
         'ep.send_to(f"""(\n         {m\n        }\n        """,\n           p,\n           timeout=0)'),
        ("ep.send(m,\n    p)", "ep.send_to(m,\n    p,\n    timeout=0)"),
    ],
)  # fmt: skip
def test_lines_below_the_first_argument_stay_below_it(old: str, new: str) -> None:
    assert edited(old) == new


@pytest.mark.parametrize("text", ["__part_0__", "__part_1__ ___part_0__", "{0} {comch} {brace}"])
def test_no_text_is_a_name_of_a_part(text: str) -> None:
    assert edited(f"ep.send(\n    '{text}',  # {text}\n    p,  # {text}\n)") == (
        f"ep.send_to(\n    '{text}',  # {text}\n    p,  # {text}\n    timeout=0,\n)"
    )


@pytest.mark.parametrize("comment", ["# on", "# one"])
def test_a_comment_without_room_is_kept_beside_one_like_it(comment: str) -> None:
    assert edited(f"drop(\n    a,  # one\n    b,\n    n,  {comment}\n    p,\n)") == (
        f"{comment}\ncomch.try_send(\n    a,  # one\n    b,\n    p,\n)"
    )


def test_line_ends_tabs_and_form_feeds_stay() -> None:
    old = "if x:\r\n\tep.send(\r\n\t\tm,\r\n\t\tp,\r\n\t)\r\n\x0c\r\ny = 1"
    assert edited(old) == "if x:\r\n\tep.send_to(\r\n\t\tm,\r\n\t\tp,\r\n\t\ttimeout=0,\r\n\t)\r\n\x0c\r\ny = 1"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("value = flat(endpoint, the_device)",
         "value = comch.outcome(\n    endpoint.configure, device=the_device\n)[0]"),
        ("if flat(endpoint, the_device) != 0:  # why\n    pass",
         "if comch.outcome(\n    endpoint.configure, device=the_device\n)[0] != 0:  # why\n    pass"),
        ("ep.send(a_long_message_indeed, the_peer_of_it)",
         "ep.send_to(\n    a_long_message_indeed,\n    the_peer_of_it,\n    timeout=0,\n)"),
        ("print(f'{flat(a, b)} of {flat(aaaa, [bbbb, cccc])}', 1)",
         "print(\n    f'{comch.outcome(a.configure, device=b)[0]} of {"
         "comch.outcome(aaaa.configure, device=[bbbb, cccc])[0]}',\n    1,\n)"),
        ("def f():\n\tvalue = flat(ep, the_device)",
         "def f():\n\tvalue = comch.outcome(\n\t\tep.configure, device=the_device\n\t)[0]"),
    ],
)  # fmt: skip
def test_lines_that_become_too_long_are_folded(old: str, new: str) -> None:
    assert edited(old, width=45) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("for (name, item) in ((first, flat(endpoint, 1)),\n    (last, 2)):\n    pass",
         "for (name, item) in ((\n    first,\n    comch.outcome(\n        endpoint.configure, device=1\n    )[0],\n),\n"
         "    (last, 2)):\n    pass"),
        ("(a, _) = wait(flat(the_endpoint, the_device_of_it),  # what\n    size)",
         "(a, _) = wait(comch.outcome(\n    the_endpoint.configure,\n    device=the_device_of_it,\n)[0],  # what\n"
         "    size)"),
        ("x = value(a) or 'a text that makes the line longer than all of these'",
         "x = (lambda x: a) or 'a text that makes the line longer than all of these'"),
    ],
)  # fmt: skip
def test_brackets_that_are_not_the_cause_stay(old: str, new: str) -> None:
    assert edited(old, width=50) == new


def test_spaces_of_what_does_not_change_stay() -> None:
    assert edited("ep . close( ) ; ep.listen( NAME )") == "ep . close( ) ; ep.listen( NAME )"
    assert edited("ep.listen( ep . read( ) )") == "ep.listen( ep.value )"
    assert edited("ep.listen(\n  OLD )") == "ep.listen(\n  comch.New )"


def test_lines_that_become_no_longer_stay() -> None:
    old = "if same(the_first_of_all, the_second_of_all): print('what is long: {}'.format('and more of this'))"
    assert edited(old, width=60) == "if the_first_of_all == the_second_of_all: " + old.partition(": ")[2]


def test_lines_that_were_long_before_stay() -> None:
    text = "x = make(); y = 'a text that is longer than the width that is asked'\nx = [aaaaaaaaaaaaaaaaaaaaaaaaaa(1)]"
    assert edited(text, width=30).splitlines()[-1] == text.splitlines()[-1]


def test_the_width_is_the_files_own() -> None:
    line = "value = flat(endpoint_one, the_device_of_the_whole_program_and_more)"
    assert "\n" in edited(line)
    wide = "x = 1\n" * 3 + "y = 1  # " + "-" * 91 + "\n"
    assert (
        edited(wide + line)
        == wide + line.replace("flat(endpoint_one, ", "comch.outcome(endpoint_one.configure, device=") + "[0]"
    )


def test_f_strings() -> None:
    assert edited("x = f'{ep.read()!r:>{OLD}}'") == "x = f'{ep.value!r:>{comch.New}}'"
    for text in ("x = f'{ep.read()=}'",):
        assert tried(text) == (text, ["CCM048"])


def test_a_quote_does_not_come_into_an_f_string(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CALLS, "read", "{a}['value']")
    assert tried('x = f"{ep.read()}"')[1] == ["CCM048"]
    assert tried("x = f\"{ep.read(a['b'])}\"")[1] == []
