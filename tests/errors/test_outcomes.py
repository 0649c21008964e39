"""Codes in place of exceptions: outcome and its relations, and the calls that never raise."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import comch_next as comch
from comch_next import ErrorCode

# Untyped, since these tests call functions of classes on what are no objects of theirs.
Channel: Any = comch.Channel
Connection: Any = comch.Connection


def _name(stranger: object) -> str:
    return type(stranger).__name__ if type(stranger) is object else repr(stranger)


STRANGERS = [None, 5, "x", object(), comch.Channel, comch.DevInfo]


def test_the_code_beside_the_value() -> None:
    def call(value: int, *, error: comch.DocaError | None = None) -> int:
        if error is not None:
            raise error
        return value

    assert comch.outcome(call, 7) == (ErrorCode.SUCCESS, 7)
    assert comch.outcome(call, 7, error=comch.Again()) == (ErrorCode.AGAIN, None)


def test_what_the_program_does_wrong_surfaces() -> None:
    with pytest.raises(ZeroDivisionError):
        comch.outcome(lambda: 1 // 0)
    with pytest.raises(TypeError):
        comch.outcome(lambda: len(5))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        comch.outcome(Channel.listen)
    with pytest.raises(AttributeError):
        comch.outcome(lambda: comch.Channel().nonsense)  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        comch.outcome(comch.Channel(one_sided=True).configure, nonsense=5)  # type: ignore[call-arg]


def test_no_memory_at_all() -> None:
    def call() -> None:
        raise MemoryError

    assert comch.outcome(call) == (ErrorCode.NO_MEMORY, None)


@pytest.mark.parametrize("stranger", STRANGERS, ids=_name)
@pytest.mark.parametrize(
    "call",
    [
        *(Channel.listen, Channel.connect, Channel.configure, Channel.arm_send, Channel.update_info),
        *(Channel.send_to, Channel.receive, Channel.disconnect, Channel.pending.fget, Channel.device.fget),
        *(Connection.update_info, Connection.get_counter, Connection.in_flight.fget),
        *(comch.Device.close, comch.DevInfo.open, comch.DevInfo.pci_addr_str.fget),  # type: ignore[attr-defined]
        *(comch.RepInfo.open, comch.Representor.close, comch.log.Backend.set_sdk_level),
    ],
    ids=lambda call: call.__qualname__,
)
def test_a_function_of_a_class_on_a_stranger(call: Any, stranger: object) -> None:
    assert comch.outcome(call, stranger) == (ErrorCode.INVALID_VALUE, None)


def test_closing_none_is_not_connected() -> None:
    assert comch.outcome(Channel.close, None) == (ErrorCode.NOT_CONNECTED, None)
    assert comch.outcome(Channel.close, 5) == (ErrorCode.INVALID_VALUE, None)


def test_several_values() -> None:
    assert comch.outcomes(2, lambda: (1, 2)) == (ErrorCode.SUCCESS, 1, 2)
    assert comch.outcomes(2, Channel.listen, None, "svc") == (ErrorCode.INVALID_VALUE, None, None)


def test_a_function_with_a_name_of_its_own() -> None:
    function = comch.named("doca_dev_close", lambda device, *, twice=False: (device, twice))
    assert (function.__name__, function.__qualname__) == ("doca_dev_close", "doca_dev_close")
    assert function(1, twice=True) == (1, True)
    assert comch.named("describe", comch.describe)(5) == comch.describe(5)
    assert comch.describe.__name__ == "describe"


def test_a_list_with_its_length() -> None:
    code, infos, count = comch.outcome_list(comch.devices)
    assert (code, count) == (ErrorCode.SUCCESS, len(infos or []))
    assert comch.outcome_list(comch.Server.connections.fget, None) == (  # type: ignore[attr-defined]
        *(ErrorCode.INVALID_VALUE, None, None),
    )


@pytest.mark.parametrize("stranger", STRANGERS, ids=_name)
def test_try_calls_on_a_stranger(stranger: object) -> None:
    assert Channel.try_send_to(stranger, b"x", None) is ErrorCode.INVALID_VALUE
    assert Channel.try_send_to(stranger, b"x", length=2, connection=None) is ErrorCode.INVALID_VALUE
    assert Channel.try_receive(stranger, 5) == (ErrorCode.INVALID_VALUE, None, None, None)


def test_values_go_into_cells() -> None:
    number, buffer, text = [7], bytearray(b"......"), bytearray(6)
    assert comch.store((ErrorCode.SUCCESS, 1, b"abc", "up"), number, buffer, text) == ErrorCode.SUCCESS
    assert (number, bytes(buffer), bytes(text)) == ([1], b"abc...", b"up\0\0\0\0")


def test_cells_keep_what_they_have_where_there_is_no_value() -> None:
    number, buffer = [7], bytearray(b"abc")
    assert comch.store((ErrorCode.AGAIN, None, None, 5), number, buffer, None) == ErrorCode.AGAIN
    assert (number, bytes(buffer)) == ([7], b"abc")


def test_each_value_has_its_cell() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        comch.store((ErrorCode.SUCCESS, 1, 2), [0])


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), KeyboardInterrupt()], ids=_name)
def test_an_unraisable_error_goes_to_the_hook(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    seen: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: seen.append(args.exc_value))

    def fail(number: int) -> int:
        raise error

    guarded = comch.unraisable(fail)
    assert (guarded(1), seen) == (None, [error])
    assert guarded.__name__ == "fail"


def test_an_unraisable_callback_returns_what_it_returns() -> None:
    assert comch.unraisable(divmod)(7, 2) == (3, 1)


def test_what_takes_the_errors_of_a_callback_returns_in_its_place() -> None:
    error = ValueError("x")

    @comch.unraisable(onerror=lambda kind, value, traceback: (kind, value, traceback is error.__traceback__))
    def fail() -> None:
        raise error

    assert fail() == (ValueError, error, True)
    assert comch.unraisable(divmod, onerror=print)(7, 2) == (3, 1)


def test_what_the_taker_of_errors_raises_goes_to_the_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: seen.append((args.exc_type, args.exc_value.__context__)))
    error = ValueError("x")

    def fail(*_: object) -> None:
        raise error

    assert comch.unraisable(fail, onerror=lambda *_: 1 // 0)() is None
    assert seen == [(ZeroDivisionError, error)]
