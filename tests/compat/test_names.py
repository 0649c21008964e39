"""A misspelled name of the old APIs is answered with the one that was meant."""

from __future__ import annotations

import pytest

import comm_channel_compat
from comm_channel_compat import cc
from tests.processes import StartPython


@pytest.mark.parametrize(
    ("module", "name", "meant"),
    [
        (comm_channel_compat, "Endpont", "Endpoint"),
        (comm_channel_compat, "doca_comm_channel_ep_sendtoo", "doca_comm_channel_ep_sendto"),
        (comm_channel_compat, "DOCA_SUCESS", "DOCA_SUCCESS"),
        (cc, "Servr", "Server"),
        (cc, "doca_cc_sever_create", "doca_cc_server_create"),
    ],
)
def test_of_a_module(module: object, name: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"has no '{name}'; did you mean {meant}\\?"):
        getattr(module, name)


@pytest.mark.parametrize(
    "call", ["cc.Endpont", "gen2.Servr", "cc.doca_comm_channel_ep_sendtoo", "blocking.DOCA_SUCESS"]
)
def test_of_a_module_is_answered_once(start_python: StartPython, call: str) -> None:
    names = "import comm_channel_compat as cc; from comm_channel_compat import cc as gen2"
    code = f"{names}; from comm_channel_compat.blocking import flat as blocking\n{call}"
    told = start_python("-c", code, fresh=True).finish().stderr
    assert told.lower().count("did you mean") == 1


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        ("cc.Endpoint().set_max_msgsize(80)", "set_max_msg_size"),
        ("cc.PeerAddr.get_sent_messages", "get_send_messages"),
        ("gen2.Server.set_max_msgsize", "set_max_msg_size"),
        ("gen2.Task.submt", "submit"),
    ],
)
def test_of_an_object_as_its_traceback_shows(start_python: StartPython, call: str, meant: str) -> None:
    code = f"import comm_channel_compat as cc, comm_channel_compat.cc as gen2\n{call}"
    assert f"Did you mean: '{meant}'?" in start_python("-c", code, fresh=True).finish().stderr
