"""From bytes to bytes: what changes together, what stays and is said of it, and that a second run finds nothing."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from migrate.outcome import FileOutcome, Finding, Level, Options
from migrate.rewriting import rewrite, rewrite_project
from tests.processes import StartPython


def rewritten(
    files: Mapping[str, str], context: Mapping[str, str] | None = None, options: Options | None = None
) -> dict[str, FileOutcome]:
    """Rewrite a project; a second run must change nothing more."""
    given = {Path(name): textwrap.dedent(text).encode() for name, text in files.items()}
    around = {Path(name): textwrap.dedent(text).encode() for name, text in (context or {}).items()}
    outcomes = rewrite_project(given, context=around, options=options)
    again = rewrite_project({outcome.path: outcome.new for outcome in outcomes}, context=around, options=options)
    assert [outcome.new for outcome in again] == [outcome.new for outcome in outcomes]
    return {str(outcome.path): outcome for outcome in outcomes}


def text_of(text: str, options: Options | None = None) -> str:
    """Return the new text of a program of one file."""
    return rewritten({"a.py": text}, options=options)["a.py"].new.decode()


def left(outcome: FileOutcome) -> list[tuple[int, str, int]]:
    """Return line, code and the line of the cause (0 for a cause) of what is not rewritten."""
    return [
        (finding.span.line, finding.code, finding.because[1].line if finding.because else 0)
        for finding in outcome.findings
        if finding.level is not Level.SAFE
    ]


def found(outcome: FileOutcome, name: str) -> Finding:
    """Return the finding of a name."""
    return next(finding for finding in outcome.findings if finding.name == name)


TALK = """\
    import doca_comm_channel as cc

    ep = cc.Endpoint()
    ep.set_device(cc.open_device("03:00.0"))
    peer = ep.connect("svc")
    try:
        ep.sendto(b"x", peer)
    except cc.Again:
        pass
    ep.destroy()
"""


def test_every_call_is_rewritten_where_it_stands() -> None:
    assert text_of(TALK) == textwrap.dedent("""\
        import comch_next as comch

        ep = comch.Client(one_sided=True)
        ep.configure(device=comch.open_device("03:00.0"))
        peer = ep.connect("svc", timeout=0)
        try:
            ep.send_to(b"x", peer, timeout=0)
        except comch.Again:
            pass
        ep.close()
    """)


def test_every_reference_has_a_finding_with_its_new_text() -> None:
    outcome = rewritten({"a.py": TALK})["a.py"]
    assert {finding.level for finding in outcome.findings} == {Level.SAFE}
    sent = found(outcome, "doca_comm_channel_ep_sendto")
    assert sent.change == 'ep.send_to(b"x", peer, timeout=0)'
    assert (sent.span.line, sent.span.column, sent.span.end_column) == (7, 7, 13)
    assert found(outcome, "doca_comm_channel").message == "rewritten"


def test_what_flows_together_stays_together_with_one_comment_at_the_cause() -> None:
    outcome = rewritten({"a.py": TALK.replace("ep.destroy()", "getattr(ep, input())()")})["a.py"]
    causes = [line for line, _, because in left(outcome) if not because]
    assert causes == [10]
    assert all(because == 10 for _, _, because in left(outcome) if because)
    assert outcome.new.decode().count("# CCM") == 1
    assert b"comch" not in outcome.new


def test_handles_of_different_origins_are_free_of_each_other() -> None:
    new = text_of("""\
        import doca_comm_channel as cc
        def one():
            ep = cc.Endpoint()
            ep.destroy()
        def two():
            ep = cc.Endpoint()
            getattr(ep, input())()
        one()
        two()
    """)
    assert "def one():\n    ep = comch.Channel(one_sided=True)\n    ep.close()\n" in new
    assert "def two():\n    ep = cc.Endpoint()\n" in new
    assert new.startswith("import comch_next as comch\nimport doca_comm_channel as cc\n")


def test_names_beside_old_calls_stay_and_others_change() -> None:
    new = text_of("""\
        from doca_comm_channel import *
        def old():
            rc, ep = doca_comm_channel_ep_create()
            if rc != DOCA_SUCCESS:
                return DOCA_ERROR_AGAIN
            getattr(ep, input())
        def new():
            return DOCA_ERROR_AGAIN
        old(), new()
    """)
    assert "return DOCA_ERROR_AGAIN\n    # CCM" in new
    assert "def new():\n    return comch.ErrorCode.AGAIN\n" in new or "def new():\n    return DOCA_ERROR_AGAIN\n" in new


@pytest.mark.parametrize(
    "taking", ["from chan import cc, other\nep = cc.Endpoint()", "import chan\nep = chan.cc.Endpoint()"]
)
def test_a_module_taken_from_another_file(taking: str) -> None:
    files = {"chan.py": "import doca_comm_channel as cc\nother = 1\n", "b.py": taking + "\nep.destroy()\n"}
    outcomes = rewritten(files)
    assert outcomes["chan.py"].new == b"import comch_next as comch\nother = 1\n"
    assert b"ep = comch.Channel(one_sided=True)\nep.close()\n" in outcomes["b.py"].new
    assert b"cc" not in outcomes["b.py"].new


def test_a_module_taken_from_another_file_stays_where_something_old_needs_it() -> None:
    files = {
        "chan.py": "import doca_comm_channel as cc\nprint(cc.Again)\n",
        "b.py": "from chan import cc\nprint(getattr(cc, input()), cc.Again)\n",
    }
    outcomes = rewritten(files)
    assert outcomes["chan.py"].new.startswith(b"import comch_next as comch\nimport doca_comm_channel as cc\n")
    assert b"from chan import cc\n" in outcomes["b.py"].new


@pytest.mark.parametrize(
    ("module", "stays"), [("errors", False), ("(load and backend or errors)", True), ("load()", True)]
)
def test_a_name_that_is_read_of_another_module_keeps_no_star(module: str, stays: bool) -> None:
    """Unless it may be the module with the star."""
    files = {
        "errors.py": "def describe(code):\n    return str(code)\n",
        "backend.py": "from doca_comm_channel import *\ndef made():\n    return Endpoint()\n",
        "main.py": f"import backend, errors, elsewhere\nload = elsewhere.load\nprint({module}.describe(5))\n"
        "backend.made().destroy()\n",
    }
    assert ("from doca_comm_channel import *" in rewritten(files)["backend.py"].new.decode()) is stays


def test_stars_of_stars() -> None:
    files = {
        "common.py": "from doca_comm_channel import *\nX = 1\n",
        "b.py": "from common import *\nprint(X, DOCA_ERROR_AGAIN)\n",
        "c.py": "from common import *\nprint(X, DOCA_ERROR_AGAIN, eval(input()))\n",
    }
    outcomes = rewritten(files)
    assert b"print(X, comch.ErrorCode.AGAIN)" in outcomes["b.py"].new


def test_a_package_keeps_the_names_that_it_imports_for_others() -> None:
    outcome = rewritten({"pkg/__init__.py": "from doca_comm_channel import Again, NotFound\nprint(NotFound)\n"})
    assert outcome["pkg/__init__.py"].new == (
        b"import comch_next as comch\nfrom comch_next import Again\nprint(comch.NotFound)\n"
    )


REEXPORTS = """\
from doca_comm_channel import (  # noqa: F401
    Again,            # no room
    ConnectionReset,  # the peer has died
    DocaError,
)
"""


def test_a_package_keeps_the_names_that_it_imports_for_others_whoever_takes_them() -> None:
    files = {"pkg/__init__.py": REEXPORTS, "main.py": "from pkg import DocaError\nraise DocaError\n"}
    assert rewritten(files)["pkg/__init__.py"].new.decode() == REEXPORTS.replace("doca_comm_channel", "comch_next")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from doca_comm_channel import Again, Endpoint as E", "from comch_next import Again"),
        ("from doca_comm_channel import Again as Again  # noqa", "from comch_next import Again as Again  # noqa"),
        (
            "from doca_comm_channel import (\n    Again,  # no room\n    # the end\n    Endpoint as E,\n)",
            "from comch_next import (\n    Again,  # no room\n    # the end\n)",
        ),
        (
            "from doca_comm_channel import (\n    Again,  # no room\n    Endpoint as E\n)",
            "# no room\nfrom comch_next import (\n    Again\n)",
        ),
        ("from doca_comm_channel \\\n    import Again, DocaError", "from comch_next import Again, DocaError"),
        ("x = 1; from doca_comm_channel import Again", "x = 1; from comch_next import Again"),
    ],
)
def test_names_that_stay_in_an_import_keep_its_layout(old: str, new: str) -> None:
    files = {"pkg/__init__.py": f"{old}\n", "main.py": "from pkg import E\nE().destroy()\n"}
    assert rewritten(files)["pkg/__init__.py"].new.decode() == f"{new}\n"


def test_an_old_name_that_a_package_imports_for_others_is_said_to_stay_for_them() -> None:
    outcome = rewritten({"pkg/__init__.py": "from doca_comm_channel import Again, Endpoint\n"})["pkg/__init__.py"]
    (finding,) = [finding for finding in outcome.findings if finding.code == "CCM002"]
    assert (finding.name, finding.message) == (
        "Endpoint",
        "the import stays: other code may take the name from this file",
    )


def test_names_that_go_from_a_module_which_does_not_use_them_have_a_note() -> None:
    outcome = rewritten({"errors.py": f"{REEXPORTS}print(DocaError)\n"})["errors.py"]
    notes = [(finding.name, finding.level) for finding in outcome.findings if finding.code == "CCM011"]
    assert notes == [("Again", Level.SAFE), ("ConnectionReset", Level.SAFE)]


@pytest.mark.parametrize(
    "brings", ["from ._doca import cc", "from ._doca import cc as cc, require", "import doca_comm_channel as cc"]
)
def test_a_package_that_no_longer_has_the_old_module_has_a_note(brings: str) -> None:
    files = {
        "pkg/_doca.py": "import doca_comm_channel as cc\ndef require():\n    return cc\n",
        "pkg/__init__.py": f"{brings}\n",
        "main.py": "from pkg import cc\ncc.Endpoint().destroy()\n",
    }
    findings = rewritten(files)["pkg/__init__.py"].findings
    assert [(finding.code, finding.level) for finding in findings if finding.code] == [("CCM011", Level.SAFE)]


def test_each_comment_has_its_finding() -> None:
    """Where one handle has two causes, and the report says that the one keeps what the other stands at."""
    files = {
        "agent.py": """\
            import doca_comm_channel as cc
            class Agent:
                def __init__(self):
                    self.ep = cc.Endpoint()
                def ask(self, peer):
                    self.ep.sendto(b"?", peer)
            """,
        "test_agent.py": """\
            from unittest import mock
            from agent import Agent
            class Stub:
                def sendto(self, msg, peer):
                    print(msg)
            with mock.patch("doca_comm_channel.Endpoint"):
                Agent().ask(1)
            agent = Agent.__new__(Agent)
            agent.ep = Stub()
            agent.ask(2)
            """,
    }
    for outcome in rewritten(files).values():
        causes = {finding.code for finding in outcome.findings if finding.because is None and finding.code}
        commented = set(re.findall(r"# (CCM\d+):", outcome.new.decode()))
        assert commented
        assert causes == commented


@pytest.mark.parametrize(
    "text",
    ["import doca_comm_channel as cc\nend: 'cc.Endpoint'\n", "from doca_comm_channel import Endpoint as E\nend: 'E'\n"],
)
def test_a_name_that_is_read_in_quotes_has_no_note(text: str) -> None:
    findings = rewritten({"main.py": text})["main.py"].findings
    assert [finding.code for finding in findings if finding.code] == []


def test_an_import_of_names_that_go_leaves_none_of_the_new_module_behind() -> None:
    assert b"comch" not in rewritten({"errors.py": REEXPORTS})["errors.py"].new


FACADE = {
    "pkg/compat.py": """\
        from doca_comm_channel import Again as WouldBlock
        from doca_comm_channel import Endpoint
        __all__ = ["Endpoint", "WouldBlock"]
        """,
    "pkg/link.py": """\
        from . import compat
        from .compat import Endpoint, WouldBlock
        def size(end: Endpoint):
            end.sendto(b"x", None)
            return end.get_max_msg_size()
        try:
            size(compat.Endpoint())
        except WouldBlock:
            pass
        """,
}


def test_names_in_all_of_an_installed_project_are_for_other_programs() -> None:
    outcomes = rewritten(FACADE, options=Options(public=frozenset(map(Path, FACADE))))
    (finding,) = [finding for finding in outcomes["pkg/compat.py"].findings if finding.code == "CCM002"]
    assert finding.message == "the import stays: __all__ exports the name to other programs"
    new = outcomes["pkg/link.py"].new.decode()
    assert new.startswith("from . import compat\nimport comch_next as comch\ndef size(end: comch.Channel):\n")


def test_names_in_all_that_nobody_takes_any_more_go() -> None:
    compat = rewritten(FACADE)["pkg/compat.py"]
    assert compat.new.decode() == 'from comch_next import Again as WouldBlock\n__all__ = ["WouldBlock"]\n'
    (finding,) = [finding for finding in compat.findings if finding.code == "CCM010"]
    assert (finding.name, finding.level, finding.span.line) == ("Endpoint", Level.SAFE, 3)


@pytest.mark.parametrize(
    ("users", "listing"),
    [
        ({}, '__all__ = ["Endpoint", "x"]'),  # nobody imports the file
        ({"b.py": "from a import Endpoint\nend = Endpoint()\ngetattr(end, input())"}, '__all__ = ["Endpoint", "x"]'),
        ({"b.py": "import a\nend = a.Endpoint()\nend.destroy()\nprint(a.__all__)"}, '__all__ = ["Endpoint", "x"]'),
        ({"b.py": "from a import __all__ as names"}, '__all__ = ["Endpoint", "x"]'),
        ({"b.py": "import a\nprint(getattr(a, '__all__'))"}, '__all__ = ["Endpoint", "x"]'),
        ({"b.py": "import a"}, '__all__ = ["Endpoint"]\n__all__.append("x")'),
        ({"b.py": "import a"}, '__all__ = ["Endpoint"] + ["x"]'),
        ({"b.py": "import a"}, '__all__ = ["Endpoint", "x"]\nprint(__all__)'),
        ({"b.py": "import a"}, 'if x:\n    __all__ = ["Endpoint", "x"]'),
    ],
)
def test_names_in_all_that_somebody_may_take_stay(users: dict[str, str], listing: str) -> None:
    text = f"from doca_comm_channel import Endpoint\nx = 1\n{listing}\n"
    assert rewritten({"a.py": text, **users})["a.py"].new.decode() == text


@pytest.mark.parametrize("listing", ["", "__all__ = ['Endpoint']\n"])
@pytest.mark.parametrize("user", ["from b import Endpoint\nend = Endpoint()\n", "import b\nend = b.Endpoint()\n"])
def test_what_others_have_by_a_star_stays_for_something_old(listing: str, user: str) -> None:
    facade = f"from doca_comm_channel import Endpoint\n{listing}"
    files = {"a.py": facade, "b.py": f"from a import *\n{listing}", "c.py": f"{user}getattr(end, input())\n"}
    outcomes = rewritten(files)
    assert (outcomes["a.py"].new.decode(), outcomes["b.py"].new.decode()) == (facade, files["b.py"])
    gone = rewritten({**files, "c.py": f"{user}end.destroy()\n"})
    assert b"Endpoint" not in gone["a.py"].new + gone["b.py"].new + gone["c.py"].new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["Endpoint", "x"]', '["x"]'),
        ('["Endpoint"]', "[]"),
        ('("Endpoint", "x")', '("x",)'),
        ('"x", "Endpoint", "y"', '("x", "y")'),
        ('[\n    "x",\n    "Endpoint",  # the end\n    "y",\n]', '[\n    "x",\n    "y",\n]'),
        ('[\n    "x",\n    "y",\n    "Endpoint"\n]', '[\n    "x",\n    "y",\n]'),
        ('[  # {all}\n    "x",\n    "Endpoint",\n    "y",\n]', '[  # {all}\n    "x",\n    "y",\n]'),
        ('["Endpoint", "{x}"]', '["{x}"]'),
        ('[\n    "x", "y",\n    "Endpoint",\n]', '["x", "y"]'),
    ],
)
def test_all_without_a_name(old: str, new: str) -> None:
    rest = "x = y = 1\n"
    files = {"a.py": f"{rest}from doca_comm_channel import Endpoint\n__all__ = {old}\n", "b.py": "import a\n"}
    text = rewritten(files)["a.py"].new.decode()
    lost = "# the end\n" if "# the end" in old else ""
    assert text == f"{rest}{lost}__all__ = {new}\n"


def test_objects_with_handles_are_used_in_files_that_name_nothing_old() -> None:
    files = {
        "link.py": """\
            import doca_comm_channel as cc
            class Link:
                def __init__(self):
                    self.ep = cc.Endpoint()
            """,
        "use.py": """\
            from link import Link
            link = Link()
            peer = link.ep.connect("svc")
            print(peer.get_send_bytes())
            """,
    }
    new = rewritten(files)["use.py"].new.decode()
    assert new == textwrap.dedent("""\
        from link import Link
        import comch_next as comch
        link = Link()
        peer = link.ep.connect("svc", timeout=0)
        print(peer.get_counter(comch.Counter.SENT_BYTES))
    """)


def test_functions_that_stay_keep_the_handles_that_come_behind_a_star() -> None:
    text = text_of(
        """
        from doca_comm_channel import *
        def ask(function, *args, **more):
            return function(*args, **more)
        for info in devices():
            print(ask(doca_devinfo_get_iface_name, info, 8))
        for other in devices():
            print(ask(doca_devinfo_get_iface_name, **{"devinfo": other, "size": 8}))
        """
    )
    assert "comch" not in text


def test_an_object_with_handles_that_goes_to_unknown_code_stays_where_one_is_used_that_comes_from_there() -> None:
    program = """
        import framework
        import doca_comm_channel as cc
        class Context:
            def __init__(self, ep):
                self.ep = ep
        @framework.handler
        def handle(context):
            context.ep.{use}()
        framework.run(Context(cc.Endpoint()))
        """
    assert "cc.Endpoint()" in text_of(program.format(use="event_handle_arm_recv"))
    assert "comch.Channel(one_sided=True)" in text_of(program.format(use="start"))


def test_a_second_run_takes_new_objects_for_nothing_old_and_keeps_its_comments() -> None:
    new = text_of("""\
        import doca_comm_channel as cc
        def run(link):
            with cc.open_device("03:00.0") as dpu, dpu.open_representor("b1:00.0") as rep:
                print(rep is dpu, link.thing.get_send_messages())
    """)
    assert "# CCM034" in new
    assert "with comch.open_device(" in new


def test_a_second_run_knows_what_comch_next_calls_its_functions_with() -> None:
    outcomes = rewritten({
        "devices.py": """\
            import part
            import doca_comm_channel as doca
            rc, infos, count = doca.doca_devinfo_create_list()
            for i in range(count):
                rc, same = doca.doca_devinfo_is_equal_pci_addr(infos[i], "b1:00.0")
                print(int(rc), same)
            """,
        "tasks.py": """\
            import part
            import doca_cc as cc
            def on_sent(task, task_data, ctx_data):
                task.as_task().free()
            client = cc.Client(cc.open_device("b1:00.0"), "svc")
            client.send_task_set_conf(on_sent, on_sent, 2)
            """,
        "part.py": """\
            from doca_comm_channel import doca_comm_channel_ep_destroy
            def end(e):
                return doca_comm_channel_ep_destroy(e)
            """,
    })  # fmt: skip
    assert b"lambda devinfo" in outcomes["devices.py"].new
    assert b"    task.free()" in outcomes["tasks.py"].new


@pytest.mark.parametrize(
    ("made", "is_seen"),
    [
        ("comch.devices()", True),
        ("comch.outcome_list(comch.devices)[1]", True),
        ("comch.outcome_list(make)[1]", False),
        ("comch.open_device('03:00.0').user_data", False),
    ],
)
def test_what_holds_objects_of_comch_next(made: str, is_seen: bool) -> None:
    text = "import comch_next as comch\nimport doca_comm_channel as cc\n"
    text += f"def use(make):\n    for info in {made}:\n        info.is_equal_pci_addr('')\nraise cc.Again\n"
    assert ("# CCM034" not in text_of(text)) is is_seen


@pytest.mark.parametrize(
    ("call", "is_seen"),
    [
        ("comch.Client(1, 'svc').task_send_set_conf(own, own, 2)", True),
        ("comch.outcome(own, comch.devices()[0])", True),
        ("comch.outcomes(2, own, comch.devices()[0])", True),
        ("comch.outcome(own, thing)", False),
        ("comch.outcome(own, *thing)", False),
        ("thing.call(own)", False),
    ],
)
def test_what_comch_next_calls_functions_with(call: str, is_seen: bool) -> None:
    text = "import comch_next as comch\nimport doca_comm_channel as cc\n"
    text += f"def _run(thing):\n    own = lambda it: it.is_equal_pci_addr('')\n    {call}\nraise cc.Again\n"
    assert ("# CCM034" not in text_of(text)) is is_seen


def test_a_second_run_keeps_comments_when_nothing_else_of_the_old_api_is_left() -> None:
    part = """\
        import doca_comm_channel as cc
        def send(link, peer):
            # to a peer
            link.sendto(b"x", peer)
        def receive(link, sock):
            try:
                return link.recvfrom(8), len(sock.recvfrom(8))
            except cc.Again:
                pass
    """
    outcomes = rewritten({"main.py": TALK, "part.py": part})
    assert b"cc" not in outcomes["main.py"].new
    assert outcomes["part.py"].new.decode().count("# CCM034") == 2


@pytest.mark.parametrize(
    ("mention", "codes"),
    [
        ('"""Greets the service of doca_cc."""', []),
        ("# For doca_cc.", []),
        ("log = logging.getLogger('doca_cc')", ["CCM005"]),
    ],
)
def test_the_name_of_an_old_module_in_prose_makes_no_object_old(mention: str, codes: list[str]) -> None:
    modern = f"""\
        {mention}
        import comch_next as comch
        def finish(task, pe):
            while pe.progress():
                pass
            task.free()
        outcome, task = comch.outcome(client.task_send_alloc_init, None, b"q")
        """
    outcome = rewritten({"modern.py": modern, "user.py": "import modern"})["modern.py"]
    assert [finding.code for finding in outcome.findings] == codes


@pytest.mark.parametrize(
    "source",
    [
        "import doca_cc",
        "from comm_channel_compat.cc import *",
        "from _bindings import *\ndoca_cc_client_create()",
        "_bindings.doca_cc_client_create()",
        "import_module('doca_cc')",
        "names = ['doca_cc']\nmodule = import_module(names[0])",
        "ctypes.CDLL('libdoca_cc.so.2')",
        "sys.modules['doca_cc']",
    ],
)
def test_what_brings_the_old_api_from_wherever_makes_unknown_objects_suspects(source: str) -> None:
    new = rewritten(
        {"user.py": f"import pump\n{source}", "pump.py": "# For doca_cc.\ndef pump(pe):\n    pe.progress()"}
    )
    assert (2, "CCM083", 0) in left(new["pump.py"])


def test_a_second_run_keeps_the_comment_on_a_function_of_unknown_callers() -> None:
    files = {"user.py": "import pump, doca_cc\ndoca_cc.ProgressEngine().progress()"}
    files["pump.py"] = "# For doca_cc.\ndef pump(pe):\n    pe.progress()\n"
    assert "# CCM083" in rewritten(files)["pump.py"].new.decode()


@pytest.mark.parametrize("way", ["comch.DocaError", "OSError", "(comch.DocaError, OSError)", "DocaError"])
def test_a_second_run_sees_the_old_errors_in_clauses_that_are_new_already(way: str) -> None:
    caught = way.replace("comch.", "cc.")
    new = text_of(f"""\
        import doca_comm_channel as cc
        from doca_comm_channel import DocaError
        service, client = cc.Endpoint(), cc.Endpoint()
        service.listen("svc")
        client.connect("svc")
        try:
            client.recvfrom(10)
        except {caught} as error:
            text = str(error)
            print("again" in text)
        service.destroy()
    """)
    assert "# CCM071" in new
    assert "service.close()" in new


def test_what_flows_to_files_that_are_not_given_stays_old() -> None:
    files = {
        "use.py": "from link import make\nep = make()\nep.listen('x')\nep.event_handle_arm_recv()\n",
        "link.py": "import doca_comm_channel as cc\ndef make():\n    return cc.Endpoint()\n",
    }
    whole = rewritten(files)
    assert not [line for outcome in whole.values() for line in left(outcome)]
    alone = rewritten({"use.py": files["use.py"]}, {"link.py": files["link.py"]})
    assert alone["use.py"].new == files["use.py"].encode()
    assert list(alone) == ["use.py"]
    because = {finding.because[0] for finding in alone["use.py"].findings if finding.because}
    assert because == {Path("link.py")}


def test_needs_evidence_is_written_when_asked_for() -> None:
    text = "import doca_comm_channel as cc\ndef close(ep: cc.Endpoint):\n    ep.event_handle_arm_recv()\n"
    outcome = rewritten({"a.py": text})["a.py"]
    assert b"arm_recv()" in outcome.new
    assert b"ep.arm_recv()" not in outcome.new
    assert {finding.level for finding in outcome.findings} == {Level.NEEDS_EVIDENCE}
    assert "    ep.arm_recv()\n" in text_of(text, Options(unsafe=True))


# ------------------------------------------------------------------ pragmas


def test_a_skipped_line_stays_with_what_flows_through_it() -> None:
    text = TALK.replace("ep.destroy()", "ep.destroy()  # migrate: skip")
    outcome = rewritten({"a.py": text})["a.py"]
    assert outcome.new == outcome.old
    assert {because for _, _, because in left(outcome)} == {10}
    assert [finding.code for finding in outcome.findings if finding.span.line == 10] == ["CCM090"]
    assert {finding.message for finding in outcome.findings if finding.rule != "imports" and finding.because} == {
        "not rewritten because line 10 (CCM090) was not"
    }


def test_a_skipped_name_is_not_reported() -> None:
    """Nothing else stays because of it."""
    outcome = rewritten({"a.py": "import doca_comm_channel as cc\nprint(cc.Again)  # migrate: skip\n"})["a.py"]
    assert outcome.new == outcome.old
    assert [finding.code for finding in outcome.findings] == ["CCM002"]


def test_a_skipped_import_stays_beside_the_new_one() -> None:
    text = "import doca_comm_channel as cc  # migrate: skip\nraise cc.Again\n"
    assert text_of(text) == f"import comch_next as comch\n{text}".replace("raise cc", "raise comch")


def test_a_skipped_code_has_no_comment() -> None:
    text = "import doca_comm_channel as cc\nprint(getattr(cc, input()))"
    assert "# CCM" in text_of(text + "\n")
    assert text_of(text + "  # migrate: skip[CCM005]\n") == text + "  # migrate: skip[CCM005]\n"
    assert text_of(text + "  # migrate: skip[CCM033]\n").count("# CCM") == 1


def test_pragmas_without_effect_are_reported() -> None:
    text = "import doca_comm_channel as cc\nx = 1  # migrate: skip\nraise cc.Again  # migrate: skip[CCM034]\n"
    outcome = rewritten({"a.py": text})["a.py"]
    names = [finding.name for finding in outcome.findings if finding.code == "CCM091"]
    assert names == ["migrate: skip", "migrate: skip[CCM034]"]
    assert b"raise comch.Again" in outcome.new


# ------------------------------------------------------------------ bytes


def test_a_file_that_is_no_python_is_skipped() -> None:
    outcome = rewrite(b"import doca_comm_channel\nprint 'x'\n")
    assert (outcome.skipped, outcome.changed) == ("CCM001", False)
    assert outcome.reason


def test_a_project_whose_values_cannot_be_followed_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("migrate.python._points_to.engine.MOST", 0)
    monkeypatch.setattr("migrate.python._points_to.engine.MOST_PER_NODE", 0)
    calls_c = 'import ctypes\nlib = ctypes.CDLL("libdoca_common.so")\nlib.doca_cc_client_create(None)\n'
    for text, options in ((TALK, Options()), (TALK, Options(mode="shim")), (calls_c, Options(keep_spelling=True))):
        outcomes = rewritten({"a.py": text, "b.py": "import a\n", "c.py": "print doca_cc\n"}, options=options)
        found = [(outcome.skipped, outcome.changed) for outcome in outcomes.values()]
        assert found == [("CCM008", False), ("CCM008", False), ("CCM001", False)]


def test_line_ends_marks_and_cookies_stay() -> None:
    text = "# coding: latin-1\r\nimport doca_comm_channel as cc  # \xe9\r\n\x0c\r\nraise cc.Again"
    new = rewrite(text.encode("latin-1")).new
    assert new == text.replace("doca_comm_channel as cc", "comch_next as comch").replace("cc.", "comch.").encode(
        "latin-1"
    )
    marked = b"\xef\xbb\xbfimport doca_comm_channel as cc\nraise cc.Again\n"
    assert rewrite(marked).new == b"\xef\xbb\xbfimport comch_next as comch\nraise comch.Again\n"


def test_a_comment_goes_when_its_cause_is_gone() -> None:
    text = "import doca_comm_channel as cc\nprint(getattr(cc, input()))\n"
    commented = text_of(text)
    assert "# CCM005" in commented
    fixed = commented.replace("getattr(cc, input())", "cc.Again")
    assert text_of(fixed) == "import comch_next as comch\nprint(comch.Again)\n"


@pytest.mark.parametrize(("call", "needs"), [("ep.sendto(b'x', peer)", False), ("ep.sendto(b'x',\n  peer)", True)])
def test_libcst_is_loaded_for_layouts_only(call: str, needs: bool, start_python: StartPython) -> None:
    program = f"import doca_comm_channel as cc\nep = cc.Endpoint()\npeer = ep.connect('svc')\n{call}\n"
    code = f"import sys; from migrate import rewrite; rewrite({program.encode()!r}); print('libcst' in sys.modules)"
    assert start_python("-c", code, fresh=True).succeed() == f"{needs}\n"


@pytest.mark.parametrize("function", ["', '.join", "functools.partial(str, 1)"])
def test_what_makes_texts_is_given_to_a_library_with_a_name(function: str) -> None:
    """The library may call it with anything, not with the name that stands beside it."""
    user = f"import functools, strange, doca_comm_channel as cc\nx = cc.Again\nstrange.use({function}, x)\n"
    outcomes = rewrite_project({Path("a.py"): b"import b, doca_comm_channel\n", Path("b.py"): user.encode()})
    assert b"x = comch.Again" in outcomes[1].new


NAMES = """\
    import doca_comm_channel as _cc
    Again, BUSY = _cc.Again, _cc.DOCA_ERROR_AGAIN
    Lost = _cc.ConnectionReset
"""


@pytest.mark.parametrize("header", ["import hw\n    from hw import Again", "import hw\n    from hw import *"])
def test_what_another_file_assigns_keeps_its_names(header: str) -> None:
    user = f"""\
    {header}
    def poll(ep):
        try:
            return ep.recvfrom(10)
        except (Again, hw.Lost) as error:
            return error.code == hw.BUSY
    """
    main = "import doca_comm_channel as cc, user\nuser.poll(cc.Endpoint())\n"
    files = rewritten({"hw.py": NAMES, "user.py": user, "main.py": main})
    assert "import comch_next as comch\nAgain, BUSY = comch.Again, comch.ErrorCode.AGAIN" in files["hw.py"].new.decode()
    new = textwrap.dedent(user).replace("ep.recvfrom(10)", "ep.receive(10, timeout=0)")
    assert files["user.py"].new.decode() == new


def test_what_another_file_keeps_old_changes_its_names() -> None:
    user = "from hw import Again\ntry:\n    pass\nexcept Again:\n    pass\n"
    files = rewritten({"user.py": user}, context={"hw.py": NAMES})
    assert "except comch.Again:" in files["user.py"].new.decode()


UPLINK = """\
    import doca_comm_channel
    def put(address):
        ep = doca_comm_channel.Endpoint()
        try:
            return ep.get_max_msg_size()
        except doca_comm_channel.Again:
            return None
"""


@pytest.mark.parametrize(
    ("patch", "name"),
    [
        ("mock.patch('uplink.doca_comm_channel')", "doca_comm_channel"),
        ("mock.patch.object(uplink, 'doca_comm_channel')", "doca_comm_channel"),
        ("monkeypatch.setattr(uplink, 'doca_comm_channel', fake)", "doca_comm_channel"),
        ("mock.patch.multiple(uplink, doca_comm_channel=fake)", "uplink"),
        ("uplink.doca_comm_channel = fake", "doca_comm_channel"),
        ("sys.modules['doca_comm_channel'] = fake", "doca_comm_channel"),
    ],
)
def test_a_replaced_module_has_one_comment_where_it_is_replaced(patch: str, name: str) -> None:
    test = f"import sys, uplink\nfrom unittest import mock\n{patch}\n"
    outcomes = rewritten({"uplink.py": UPLINK, "test_uplink.py": test})
    uplink, new = outcomes["uplink.py"], outcomes["test_uplink.py"]
    assert (uplink.changed, new.new.count(b"# CCM"), new.new.count(b"# CCM080")) == (False, 1, 1)
    (cause,) = [found for found in new.findings if found.level is Level.MANUAL and not found.because]
    assert (cause.name, cause.span.line) == (name, 3)
    assert {found.because for found in uplink.findings if found.rule != "imports"} == {(cause.path, cause.span)}


def test_calls_change_once_the_test_replaces_the_new_module() -> None:
    test = "from unittest import mock\nimport uplink\nmock.patch('uplink.comch').start()\n"
    new = rewritten({"uplink.py": UPLINK, "test_uplink.py": test})["uplink.py"].new
    assert b"import comch_next as comch" in new
    assert b"doca" not in new


@pytest.mark.parametrize(
    ("home", "read"),
    [
        ("OPTS = {'flags': cc.DOCA_CC_MSG_FLAG_NONE}", "opts.OPTS['flags']"),
        (
            "class Opts:\n    def __init__(self, flags=cc.DOCA_CC_MSG_FLAG_NONE):\n        self.flags = flags",
            "opts.Opts().flags",
        ),
        ("def flags():\n    return cc.DOCA_CC_MSG_FLAG_NONE", "opts.flags()"),
    ],
)
@pytest.mark.parametrize("shown", [True, False])
def test_flags_from_elsewhere_stay_with_the_call(home: str, read: str, shown: bool) -> None:
    """As a number they would not be seen to be none, by the next run."""
    sending = TALK.replace("import doca_comm_channel as cc", "import doca_comm_channel as cc\n    import opts")
    sending = sending.replace("peer)", f"peer, {read})").replace(
        "ep.destroy()", "print(ep)" if shown else "ep.destroy()"
    )
    outcomes = rewritten({"a.py": sending, "opts.py": f"import doca_comm_channel as cc\n{home}\n"})
    assert ("cc.DOCA_CC_MSG_FLAG_NONE" in outcomes["opts.py"].new.decode()) is shown


FAKES = """\
import link
class Ep:
    def set_device(self, device): self.device = device
    def connect(self, name): return name
    def sendto(self, message, peer): pass
"""


@pytest.mark.parametrize(
    ("library", "test"),
    [
        ("def begin(name, make=cc.Endpoint, opener=cc.open_device):\n    ep = make()\n    ep.set_device(opener(name))",
         "link.begin('a', Ep, str)"),
        ("class Link:\n    make = cc.Endpoint\n    def begin(self):\n        self.make().connect('a')",
         "class Fake(link.Link):\n    make = Ep\nFake().begin()"),
        ("import dataclasses\n@dataclasses.dataclass\nclass Link:\n    make: type = cc.Endpoint\n"
         "    def begin(self):\n        self.make().connect('a')", "link.Link(Ep).begin()"),
        ("def begin(ep: cc.Endpoint):\n    ep.sendto(b'x', 'a')", "link.begin(Ep())"),
        ("def begin(name, opener=cc.open_device):\n    print(opener(name).cap_get_max_msg_size())",
         "link.begin('a', lambda name: None)"),
    ],
)  # fmt: skip
def test_a_test_with_fakes_is_not_all_that_calls_a_library(library: str, test: str) -> None:
    """What it replaces is for others, who are not seen."""
    files = {"link.py": f"import doca_comm_channel as cc\n{library}\n", "test_link.py": FAKES + test}
    outcome = rewritten(files)["link.py"]
    assert b"comch" not in outcome.new
    assert "CCM083" in {code for _, code, _ in left(outcome)}


IDENTITIES = """\
    import operator
    import unittest
    from doca_comm_channel import *
    rc, infos, count = doca_devinfo_create_list()
    print(count, {})
"""


@pytest.mark.parametrize(
    ("told", "new"),
    [
        ("rc is 0", "rc == 0"),
        ("0 is not rc", "0 != rc"),
        ("rc is DOCA_SUCCESS", "rc is comch.ErrorCode.SUCCESS"),
        ("rc is None, rc is True", "rc is None, rc is True"),
        ("count is DOCA_ERROR_AGAIN", "count == comch.ErrorCode.AGAIN"),
        ("any(rc is code for code in (5, 6))", "any(rc == code for code in (5, 6))"),
        ("(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | 16) is 17", "(comch.AccessFlag.LOCAL_READ_WRITE | 16) == 17"),
        ("operator.is_(rc, DOCA_SUCCESS)", "operator.is_(rc, comch.ErrorCode.SUCCESS)"),
        ("operator.is_(rc, 0)", ""),
        ("unittest.TestCase().assertIs(rc, 0)", ""),
        ("unittest.TestCase().assertIsNot(count, DOCA_SUCCESS)", ""),
    ],
)
def test_a_code_that_is_compared_by_identity(told: str, new: str) -> None:
    package = "doca_cc" if "ACCESS" in told else "doca_comm_channel"
    old = IDENTITIES.format(told).replace("doca_comm_channel", package)
    outcome = rewritten({"a.py": old})["a.py"]
    assert f"print(count, {new or told})" in outcome.new.decode()
    assert {code for _, code, because in left(outcome) if not because} <= ({"CCM082"} if not new else set())


def test_handles_that_come_with_codes_are_compared_by_identity() -> None:
    new = text_of("""\
        from doca_comm_channel import *
        rc, ep = doca_comm_channel_ep_create()
        connected = doca_comm_channel_ep_connect(ep, "svc")
        def exchange(text):
            sent = doca_comm_channel_ep_sendto(ep, text, len(text), 0, connected[1])
            return (sent,) if sent else doca_comm_channel_ep_recvfrom(ep, 64, 0)
        if not connected[0]:
            print(exchange(b"x")[-1] is connected[1])
    """)
    assert 'print(exchange(b"x")[-1] is connected[1])' in new
    assert "doca" not in new


def test_a_code_that_another_file_compares_by_identity() -> None:
    helper = "def succeeded(rc):\n    return rc is 0\n"
    program = "import helper\nfrom doca_comm_channel import *\nprint(helper.succeeded(doca_devinfo_create_list()[0]))\n"
    outcomes = rewritten({"a.py": program, "helper.py": helper})
    assert (3, "CCM082", 0) in left(outcomes["a.py"])
    assert outcomes["helper.py"].new.decode() == helper


FALLBACK = """\
    import sys
    try:
        import doca_comm_channel as cc
    except ImportError:
        cc = None
    def old():
        {}
    def new():
        dev = cc.open_device("b1:00.0")
        dev.close()
    if cc is not None:
        old()
        new()
"""


@pytest.mark.parametrize(
    ("stays", "code"),
    [
        ("cc.Endpoint().recvfrom(10, 1)", "CCM040"),
        ("print(cc.__name__)", "CCM022"),
        ("getattr(cc, sys.argv[1])()", "CCM005"),
    ],
)
@pytest.mark.parametrize("absent", ["", "cc = None\n"])
def test_what_stays_of_an_import_with_a_fallback_keeps_all_of_it(stays: str, code: str, absent: str) -> None:
    old = textwrap.dedent(FALLBACK.format(stays))
    if absent:
        old = old.replace("try:", f"{absent}if sys.argv[1:]:").replace("except ImportError:\n    cc = None\n", "")
    outcome = rewritten({"a.py": old})["a.py"]
    assert "comch" not in re.sub("#.*", "", outcome.new.decode())
    assert {cause for _, cause, because in left(outcome) if not because} == {code}


def test_a_text_that_does_not_pass_its_check_shows_what_stays_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "migrate.rewriting.complaints", lambda old, new, **_: [new] if b"comch." in new.text.encode() else []
    )
    program = "import doca_comm_channel as cc\ncc.open_device('b1:00.0').close()\n"
    assert (2, "CCM046", 0) in left(rewritten({"a.py": program})["a.py"])
    outcome = rewritten({"a.py": program + "cc.Endpoint().recvfrom(10, 1)\n"})["a.py"]
    assert left(outcome)[1:] == [(2, "CCM030", 3), (2, "CCM030", 3), (3, "CCM030", 3), (3, "CCM040", 0)]


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("from doca_comm_channel import *\nfor devices in []:\n    pass\nprint(devices)\n", 4),
        ("from doca_comm_channel import *\nif not DOCA_SUCCESS:\n    devices = None\nprint(devices())\n", 4),
        ("try:\n    from doca_comm_channel import *\nexcept ImportError:\n    wrap = None\nprint(wrap)\n", 5),
        ("from doca_comm_channel import *\ndef f():\n    global wrap\n    wrap = 1\nprint(wrap)\nf()\n", 5),
    ],
)
def test_a_name_of_the_program_that_a_star_import_may_have_brought(program: str, line: int) -> None:
    outcome = rewritten({"a.py": program})["a.py"]
    assert "from doca_comm_channel import *" in outcome.new.decode()
    assert {(at, code) for at, code, because in left(outcome) if not because} == {(line, "CCM004")}


def test_a_name_of_the_program_that_hides_one_of_a_star_import() -> None:
    new = text_of("""\
        from doca_comm_channel import *
        devices = doca_devinfo_create_list()
        def describe():
            return devices[0] == DOCA_SUCCESS
        print(describe())
    """)
    assert "doca" not in new.lower()
