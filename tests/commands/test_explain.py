"""``python -m comch_next explain``: what the tables have of a C name."""

from __future__ import annotations

import re

import pytest

from comch_next import __main__ as command
from comch_next import api
from comch_next._commands.explain import explain
from comch_next.api import GENERATIONS
from tests.processes import ROOT

CREATE = """\
doca_comch_server_create
  Python      Server
  Found in    Comch, doca_comch.h, since DOCA 2.7
  Signature   doca_error_t doca_comch_server_create(struct doca_dev *dev,
              struct doca_dev_rep *repr, const char *name, struct
              doca_comch_server **comch_server)
  Notes       DPU side. Caller owns it. Name unique per device plus representor;
              identifies the service clients ask for. Nothing listens before
              doca_ctx_start.
  Fails with  InvalidValue: an argument is NULL
  Fails with  NoMemory: out of memory
  Fails with  Initialization: internal lock could not be set up
"""


def fields(name: str, title: str) -> list[str]:
    """The texts of a name's fields of that title, each on one line."""
    lines = re.sub(r"\n {14}", " ", explain([name])).splitlines()
    return [line[14:] for line in lines if line.startswith(f"  {title} ")]


def test_a_function(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["explain", "doca_comch_server_create"]) == 0
    assert capsys.readouterr().out == CREATE


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("doca_pe_progress", "ProgressEngine.progress"),
        ("doca_ctx_states", "State"),
        ("DOCA_CTX_STATE_IDLE", "State.IDLE"),
        ("doca_comm_channel_ep_sendto", "Server.send_to or Client.send_to or Connection.send"),
        ("doca_comm_channel_ep_rcvfrom", "Server.receive or Client.receive"),
        ("doca_cc_server_send_task_set_conf", "Server.task_send_set_conf"),
        ("doca_argp_init", "no counterpart (arguments: use Python's argparse)"),
        ("libdoca_comm_channel.so", "no counterpart"),
    ],
)
def test_the_spelling_in_python(name: str, python: str) -> None:
    assert fields(name, "Python") == [python]


def test_a_result_code() -> None:
    assert fields("DOCA_ERROR_AGAIN", "Value") == ["5"]
    assert fields("DOCA_ERROR_AGAIN", "Raised as") == ["Again: no room or nothing yet, retry"]


def test_an_alias_names_the_proper_name() -> None:
    assert fields("doca_comm_channel_ep_rcvfrom", "Alias of") == ["doca_comm_channel_ep_recvfrom"]


def test_a_name_of_two_generations_has_both_signatures() -> None:
    found = fields("doca_comm_channel_ep_sendto", "Found in")
    assert found == [
        "generation 1, doca_comm_channel.h, DOCA 1.5 to 2.8",
        "generation 1 before DOCA 1.5, doca_comm_channel.h, until DOCA 1.4",
    ]


def test_a_name_of_one_release() -> None:
    assert fields("doca_cc_server_send_task_set_conf", "Found in") == ["generation 2, doca_cc.h, DOCA 2.5"]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_function_is_explained_in_80_columns(generation: api.Generation) -> None:
    for function in api.functions(generation):
        lines = explain([function.name]).splitlines()
        assert lines[0] == function.name
        assert all(len(line) <= 80 or len(line[14:].split()) == 1 for line in lines), function.name  # names stay whole


def test_every_name_of_the_pages_is_explained() -> None:
    pages = [(ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("status.md", "symbols.md")]
    names = {name for page in pages for name in re.findall(r"^\| (?:<a [^>]*></a>)?`([^`]+)` \|", page, re.MULTILINE)}
    assert len(names) > 600
    assert explain(sorted(names))


def test_a_name_is_proposed_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["explain", "Server.destroy"])
    near = capsys.readouterr().err.partition("close to it: ")[2].strip().split(", ")
    assert len(near) == len({*near}) > 1


def test_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["explain", "doca_comch_serv_create"])
    assert ended.value.code == 64
    told = capsys.readouterr()
    assert told.out == ""
    assert "no table has 'doca_comch_serv_create'; close to it: doca_comch_server_create" in told.err
