"""What stands for something of this process is neither copied nor pickled, and says so."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import comch_next
import comm_channel_compat
from comch_next import aio, dpa
from comch_next.unique import Unique
from comm_channel_compat import cc

MODULES = (comch_next, aio, dpa, comm_channel_compat, cc)
VALUES = (int, tuple, BaseException, SimpleNamespace, cc.Event)


class Station(comm_channel_compat.Endpoint):
    """A program's own endpoint."""


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_public_class_but_values_is_unique(module: ModuleType) -> None:
    public = [getattr(module, name) for name in module.__all__]
    kinds = [kind for kind in public if isinstance(kind, type) and not issubclass(kind, VALUES)]
    assert [kind.__name__ for kind in kinds if not issubclass(kind, Unique)] == []


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda way: way.__name__)
def test_a_copy_is_refused_by_the_name_of_its_class(way: Callable[[Any], object]) -> None:
    station = Station()
    with pytest.raises(TypeError, match=r"^cannot copy or pickle a Station: it stands for .* open its own$"):
        way(station)
    station.destroy()


def test_what_holds_one_is_copied_around_it() -> None:
    station = Station()
    assert copy.copy([station]) == [station]
    with pytest.raises(TypeError, match=r"^cannot copy or pickle a Station"):
        copy.deepcopy([station])
    station.destroy()


def test_another_process_is_refused_one_as_an_argument() -> None:
    device = comch_next.open_device("03:00.0")
    process = multiprocessing.get_context("spawn").Process(target=print, args=(device,))
    with pytest.raises(TypeError, match=r"^cannot copy or pickle a Device"):
        process.start()
    device.close()
