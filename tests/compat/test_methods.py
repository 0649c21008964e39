"""What programs do with methods and functions beside calling them: the hot ones are no exception."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref
from collections.abc import Callable
from functools import partial, partialmethod
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

import comm_channel_compat as cc
import comm_channel_compat.blocking
import comm_channel_compat.cc
from comch_next.pull import quick_method
from comm_channel_compat import Endpoint
from tests.compat import support

names: Any = cc  # the C names are made from tables, which mypy does not see
FUNCTIONS = [names.doca_comm_channel_ep_sendto, names.doca_comm_channel_ep_recvfrom]
METHODS = ["sendto", "recvfrom"]
CALLS: list[Any] = [*FUNCTIONS, Endpoint.sendto, Endpoint.recvfrom]


@pytest.mark.parametrize("name", METHODS)
def test_a_bound_method(name: str, pair: support.Pair) -> None:
    method = getattr(pair.client, name)
    assert inspect.ismethod(method)
    assert (method.__self__, method.__func__) == (pair.client, getattr(Endpoint, name))
    assert method == getattr(pair.client, name)
    assert weakref.WeakMethod(method)() == method


@pytest.mark.parametrize("call", CALLS)
def test_it_can_be_looked_at_and_named(call: Any) -> None:
    assert list(inspect.signature(call).parameters) == list(inspect.signature(call.__wrapped__).parameters)
    assert call.__doc__ == call.__wrapped__.__doc__
    assert call.__name__ in repr(call)
    assert call.__code__ is call.__wrapped__.__code__
    assert inspect.isfunction(call)
    assert weakref.ref(call)() is call
    assert copy.deepcopy(call) is call
    assert {call: call}[call] is call


@pytest.mark.parametrize("call", FUNCTIONS)
def test_a_c_name_is_pickled_by_its_name(call: Callable[..., object]) -> None:
    assert pickle.loads(pickle.dumps(call)) is call


@pytest.mark.parametrize("module", [cc.flat, cc.blocking.flat, cc.cc.flat])
def test_every_c_name_is(module: ModuleType) -> None:
    """For a pool of processes, say."""
    calls = [value for name, value in vars(module).items() if name in module.__all__ and callable(value)]
    assert [call for call in calls if pickle.loads(pickle.dumps(call)) is not call] == []
    assert len(calls) > 50


def test_what_a_call_lacks_is_said_of_its_own_name(pair: support.Pair) -> None:
    lacking: list[Any] = [partial(pair.client.sendto, b"x"), Endpoint.sendto, partial(FUNCTIONS[0], pair.client)]
    for call, name in zip(lacking, ["Endpoint.sendto", "Endpoint.sendto", "doca_comm_channel_ep_sendto"], strict=True):
        with pytest.raises(TypeError, match=rf"{name}\(\) missing"):
            call()
    too_many: Any = pair.client.recvfrom
    with pytest.raises(TypeError, match=r"Endpoint.recvfrom\(\) takes from 2 to 3"):
        too_many(1, 2, 3)


def test_arguments_by_name(pair: support.Pair) -> None:
    sendto, recvfrom = FUNCTIONS
    peer = pair.introduce()
    assert sendto(local_ep=pair.client, msg=b"x", len=1, flags=0, peer_addr=pair.to_service) == 0
    assert recvfrom(pair.service, 10, flags=0) == (0, b"x", 1, peer)


class Endpoints(Endpoint):
    """A program's own names for the calls that there are."""

    transmit = Endpoint.sendto
    to_peer = partialmethod(Endpoint.sendto, b"fixed")

    def sendto(self, *args: Any) -> None:
        super().sendto(*args)


def test_a_program_puts_them_under_names_of_its_own(pair: support.Pair) -> None:
    pair.introduce()
    pair.client.destroy()
    own = Endpoints()
    support.made.append(own)
    own.set_device(support.client().get_device())
    peer = own.connect(support.NAME)
    support.let_in(pair.service, peer)
    for call in (own.transmit, own.sendto, partial(Endpoint.sendto, own)):
        call(b"one", peer)
        assert support.eventually(pair.service.recvfrom, 10)[0] == b"one"
    own.to_peer(peer)
    assert support.eventually(pair.service.recvfrom, 10)[0] == b"fixed"


def test_a_test_of_the_programs_replaces_them(pair: support.Pair) -> None:
    with mock.patch.object(Endpoint, "sendto", autospec=True) as replaced:
        pair.client.sendto(b"x", pair.to_service)
        replaced.assert_called_once_with(pair.client, b"x", pair.to_service)
    with mock.patch.object(pair.client, "recvfrom", return_value=(b"mine", None)):
        assert pair.client.recvfrom(10)[0] == b"mine"


def test_a_mock_of_an_endpoint_knows_their_parameters() -> None:
    endpoint = mock.create_autospec(Endpoint, instance=True)
    endpoint.sendto(b"x", None, flags=0)
    with pytest.raises(TypeError, match="missing a required argument"):
        endpoint.sendto(b"x")


def test_one_that_is_dropped_is_collected() -> None:
    def function(first: object) -> object:
        return first

    made: Any = quick_method(0)(function)
    made.itself = made
    assert made(3) == 3
    gone = weakref.ref(made)
    del made
    gc.collect()
    assert gone() is None
